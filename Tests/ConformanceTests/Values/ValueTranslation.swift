import BridgeProtocol

/// Translates a recorded value to the one in Apple's API, or to the one that the page gets back from there.
///
/// An undefined member of an object is left out, and an undefined item of an array becomes `NSNull`. In Swift, strings
/// have no lone surrogates, and an object in two places becomes two equal objects.
struct ValueTranslation {
    private let isHandedBack: Bool
    /// The translated value at each path.
    private var made: [String: JSONValue] = [:]

    /// Returns the value in native code.
    static func native(_ tag: JSONValue) -> JSONValue {
        var translation = ValueTranslation(isHandedBack: false)
        return translation.value(tag, at: "$")
    }

    /// Returns the value that the page gets if native code replies with the value it received. On Apple's systems,
    /// identity and lone surrogates survive the way back.
    static func handedBack(_ tag: JSONValue) -> JSONValue {
        var translation = ValueTranslation(isHandedBack: true)
        return translation.value(tag, at: "$")
    }

    private init(isHandedBack: Bool) { self.isHandedBack = isHandedBack }

    private mutating func value(_ tag: JSONValue, at path: String) -> JSONValue {
        let value =
            switch tag["t"]?.string {
            case "array": array(tag, path)
            case "object": object(tag, path)
            case "string" where !isHandedBack:
                tag["utf16"].map { ["t": "string", "v": .string(ValueTranslation.repaired($0))] } ?? tag
            // The target of a cycle is still being translated, so it has no entry yet.
            case "ref" where !isHandedBack: made[tag["path"]?.string ?? ""] ?? tag
            default: tag
            }
        made[path] = value
        return value
    }

    private mutating func array(_ tag: JSONValue, _ path: String) -> JSONValue {
        var tag = tag
        if let items = tag["items"]?.elements {
            var translated: [JSONValue] = []
            for (index, item) in items.enumerated() { translated.append(self.item(item, at: "\(path)[\(index)]")) }
            tag["items"] = .array(translated)
        }
        // A long array is recorded as its ends and a hash.
        for end in ["first", "last"] { tag[end] = tag[end].map { item($0, at: "\(path)[\(end)]") } }
        return tag
    }

    private mutating func item(_ tag: JSONValue, at path: String) -> JSONValue {
        ValueTranslation.isUndefined(tag) ? ["t": "null"] : value(tag, at: path)
    }

    private mutating func object(_ tag: JSONValue, _ path: String) -> JSONValue {
        guard let properties = tag["props"]?.elements else { return tag }
        var tag = tag
        var translated: [JSONValue] = []
        for property in properties {
            guard let pair = property.elements, pair.count == 2, !ValueTranslation.isUndefined(pair[1]) else {
                continue
            }
            let units = isHandedBack ? nil : pair[0]["utf16"]
            let key = units.map { .string(ValueTranslation.repaired($0)) } ?? pair[0]
            translated.append(.array([key, value(pair[1], at: "\(path).\(key.string ?? "")")]))
        }
        tag["props"] = .array(translated)
        return tag
    }

    private static func isUndefined(_ tag: JSONValue) -> Bool {
        tag["t"]?.string == "undefined" || tag["t"]?.string == "hole"
    }

    private static func repaired(_ units: JSONValue) -> String {
        String(
            decoding: (units.elements ?? []).compactMap { $0.number.flatMap { UInt16(exactly: $0) } }, as: UTF16.self)
    }
}
