import BridgeProtocol

/// A file's bytes, read as JSON.
struct PathConfigurationText {
    let json: JSON
    private let bytes: [UInt8]

    /// - Throws: where it is not JSON, with line and column.
    init(_ text: some Sequence<UInt8>) throws(PathConfigurationError) {
        let text = Array(text)
        // Editors on Windows write a byte order mark; JSON has none.
        bytes = text.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(text.dropFirst(3)) : text
        do throws(JSONParseError) {
            json = try bytes.withUnsafeBytes { bytes in
                Result { () throws(JSONParseError) in try JSON.parse(bytes) }
            }.get()
        } catch {
            throw PathConfigurationError(error)
        }
    }

    /// Walks over the text again: only where there is something to tell.
    var places: JSONPlaces { JSONPlaces(bytes) }
}

/// A rule as it stands in a file, whether or not a platform would take it.
struct RuleText {
    let path: JSONPath
    /// Those that are strings, with their places.
    let patterns: [(path: JSONPath, text: String)]
    let properties: PathProperties

    static func all(in json: JSON) -> [RuleText] {
        guard let list = json["rules"], list.kind == .array else { return [] }
        let rules = JSONPath.root.member("rules")
        return (0..<list.count).compactMap { index in list[index].map { RuleText($0, at: rules.element(index)) } }
    }

    private init(_ rule: JSON, at path: JSONPath) {
        self.path = path
        let list = rule["patterns"].flatMap { $0.kind == .array ? $0 : nil }
        patterns = (0..<(list?.count ?? 0)).compactMap { index in
            list?[index]?.string.map { (path.member("patterns").element(index), $0) }
        }
        properties = rule["properties"].map(PathProperties.init) ?? [:]
    }

    func path(of key: String) -> JSONPath { path.member("properties").member(key) }
}
