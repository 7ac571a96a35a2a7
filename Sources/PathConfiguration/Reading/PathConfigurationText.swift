import BridgeProtocol

/// A file's bytes and the JSON in them.
struct PathConfigurationText {
    let json: JSON
    /// Where a comma before a closing bracket was left out, which only iOS accepts.
    let trailingCommas: [(line: Int, column: Int)]
    private let bytes: [UInt8]

    /// - Throws: ``PathConfigurationError`` with line and column if the text is not JSON.
    init(_ text: some Sequence<UInt8>) throws(PathConfigurationError) {
        let text = Array(text)
        // Editors on Windows write a byte order mark, which JSON does not allow.
        let commas = TrailingCommas(text.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(text.dropFirst(3)) : text)
        bytes = commas.blanked
        trailingCommas = commas.offsets.map { [bytes] offset in
            let before = bytes.prefix(offset)
            let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
            return (before.count { $0 == UInt8(ascii: "\n") } + 1, offset - lineStart + 1)
        }
        do throws(JSONParseError) {
            json = try JSON.parse(bytes)
        } catch {
            throw PathConfigurationError(error)
        }
    }

    /// The places of all values. Each use scans the text again, so use it only if there is something to report.
    var places: JSONPlaces { JSONPlaces(bytes) }
}

/// A rule as it is written in a file, whether or not a platform would accept it.
struct RuleText {
    let path: JSONPath
    /// The patterns that are strings, with their places.
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

/// Checks whether a configuration has the shape that the platforms accept. The platforms stop at the first mistake;
/// this finds all of them.
struct PathConfigurationShape {
    private(set) var errors: [PathConfigurationError] = []

    init(_ json: JSON) { check(json) }

    private mutating func check(_ json: JSON) {
        guard json.kind == .object else {
            return expect(
                "an object with settings and rules", at: .root, json,
                fix: "The smallest configuration is {\"settings\": {}, \"rules\": []}.")
        }
        let path = JSONPath.root.member("rules")
        guard let rules = json["rules"], rules.kind == .array else {
            return expect(
                "a list of rules", at: path, json["rules"],
                fix: "Write \"rules\": [{\"patterns\": [\"/new$\"], \"properties\": {}}].")
        }
        for index in 0..<rules.count { checkRule(rules[index] ?? .null, at: path.element(index)) }
    }

    private mutating func checkRule(_ rule: JSON, at path: JSONPath) {
        guard rule.kind == .object else {
            return expect("a rule", at: path, rule, fix: "Write {\"patterns\": [\"/new$\"], \"properties\": {}}.")
        }
        checkPatterns(rule["patterns"], at: path.member("patterns"))
        guard rule["properties"]?.kind != .object else { return }
        expect(
            "an object of properties", at: path.member("properties"), rule["properties"],
            fix: "Write \"properties\": {\"context\": \"modal\"}, or {} for none.")
    }

    private mutating func checkPatterns(_ patterns: JSON?, at path: JSONPath) {
        guard let patterns, patterns.kind == .array else {
            let text = JSONValue.string(patterns?.string ?? "/new$")
            return expect("a list of regular expressions", at: path, patterns, fix: "Write \"patterns\": [\(text)].")
        }
        for index in 0..<patterns.count where patterns[index]?.kind != .string {
            expect(
                "a regular expression as a string", at: path.element(index), patterns[index],
                fix: "Write it in quotes.")
        }
    }

    private mutating func expect(_ expected: String, at path: JSONPath, _ found: JSON?, fix: String) {
        errors.append(PathConfigurationError(path, expected: expected, found: found, fix: fix))
    }
}
