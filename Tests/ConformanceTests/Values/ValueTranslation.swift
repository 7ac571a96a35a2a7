/// A recorded value as Apple's API would give it, or as the page would get it back from there.
///
/// Undefined is left out of an object and is `NSNull` in an array. In Swift, strings have no lone surrogates, and
/// what was one object in two places is two equal ones.
struct ValueTranslation {
    private let isHandedBack: Bool
    /// What stands at each path so far.
    private var made: [String: Tree] = [:]

    /// What native code has.
    static func native(_ tag: Tree) -> Tree {
        var translation = ValueTranslation(isHandedBack: false)
        return translation.value(tag, at: "$")
    }

    /// What the page gets when native code replies with what it has. On Apple identity and surrogates survive that.
    static func handedBack(_ tag: Tree) -> Tree {
        var translation = ValueTranslation(isHandedBack: true)
        return translation.value(tag, at: "$")
    }

    private init(isHandedBack: Bool) { self.isHandedBack = isHandedBack }

    private mutating func value(_ tag: Tree, at path: String) -> Tree {
        let value =
            switch tag["t"]?.string {
            case "array": array(tag, path)
            case "object": object(tag, path)
            case "string" where !isHandedBack:
                tag["utf16"].map { ["t": "string", "v": .text(ValueTranslation.repaired($0))] } ?? tag
            // The target of a cycle is not made yet: it is the object around this place.
            case "ref" where !isHandedBack: made[tag["path"]?.string ?? ""] ?? tag
            default: tag
            }
        made[path] = value
        return value
    }

    private mutating func array(_ tag: Tree, _ path: String) -> Tree {
        var tag = tag
        if let items = tag["items"]?.array {
            var translated: [Tree] = []
            for (index, item) in items.enumerated() { translated.append(self.item(item, at: "\(path)[\(index)]")) }
            tag["items"] = .array(translated)
        }
        // A long array: its ends, and a hash over the rest.
        for end in ["first", "last"] { tag[end] = tag[end].map { item($0, at: "\(path)[\(end)]") } }
        return tag
    }

    private mutating func item(_ tag: Tree, at path: String) -> Tree {
        ValueTranslation.isUndefined(tag) ? ["t": "null"] : value(tag, at: path)
    }

    private mutating func object(_ tag: Tree, _ path: String) -> Tree {
        guard let properties = tag["props"]?.array else { return tag }
        var tag = tag
        var translated: [Tree] = []
        for property in properties {
            guard let pair = property.array, pair.count == 2, !ValueTranslation.isUndefined(pair[1]) else { continue }
            let units = isHandedBack ? nil : pair[0]["utf16"]
            let key = units.map { .text(ValueTranslation.repaired($0)) } ?? pair[0]
            translated.append(.array([key, value(pair[1], at: "\(path).\(key.string ?? "")")]))
        }
        tag["props"] = .array(translated)
        return tag
    }

    private static func isUndefined(_ tag: Tree) -> Bool {
        tag["t"]?.string == "undefined" || tag["t"]?.string == "hole"
    }

    private static func repaired(_ units: Tree) -> String {
        String(decoding: (units.array ?? []).compactMap { $0.number.flatMap { UInt16(exactly: $0) } }, as: UTF16.self)
    }
}
