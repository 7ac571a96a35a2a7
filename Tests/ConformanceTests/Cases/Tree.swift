import Foundation

/// A JSON value of a recording. As in JavaScript, strings are equal only if their code points are equal.
indirect enum Tree: Sendable, Hashable {
    case null
    case bool(Bool)
    case number(Double)
    case string(Text)
    case array([Tree])
    case object([String: Tree])

    /// A string that compares code points. Swift's own strings are equal if they are canonically equivalent in Unicode.
    struct Text: Sendable, Hashable {
        let value: String

        static func == (left: Text, right: Text) -> Bool {
            left.value.unicodeScalars.elementsEqual(right.value.unicodeScalars)
        }
        func hash(into hasher: inout Hasher) { hasher.combine(value) }
    }

    static func text(_ value: String) -> Tree { .string(Text(value: value)) }

    var string: String? { if case .string(let text) = self { text.value } else { nil } }
    var number: Double? { if case .number(let value) = self { value } else { nil } }
    var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    var array: [Tree]? { if case .array(let items) = self { items } else { nil } }
    var object: [String: Tree]? { if case .object(let members) = self { members } else { nil } }

    subscript(key: String) -> Tree? {
        get { object?[key] }
        set {
            guard case .object(var members) = self else { return }
            members[key] = newValue
            self = .object(members)
        }
    }

    /// Returns the tree with every string changed.
    func mapStrings(_ change: (String) -> String) -> Tree {
        switch self {
        case .string(let text): .text(change(text.value))
        case .array(let items): .array(items.map { $0.mapStrings(change) })
        case .object(let members): .object(members.mapValues { $0.mapStrings(change) })
        default: self
        }
    }
}

extension Tree: Codable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let value = try? container.decode([Tree].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: Tree].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let text): try container.encode(text.value)
        case .array(let items): try container.encode(items)
        case .object(let members): try container.encode(members)
        }
    }
}

extension Tree: CustomStringConvertible {
    init(json: String) throws { self = try JSONDecoder().decode(Tree.self, from: Data(json.utf8)) }

    /// Compact JSON with sorted keys, in ASCII.
    var description: String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .number(let value): Tag.javaScript(value)
        case .string(let text): Tag.quote(text.value)
        case .array(let items): "[" + items.map(\.description).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.sorted { $0.key < $1.key }.map { "\(Tag.quote($0.key)):\($0.value)" }.joined(separator: ",")
                + "}"
        }
    }
}

extension Tree: ExpressibleByDictionaryLiteral, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    init(dictionaryLiteral members: (String, Tree)...) { self = .object(Dictionary(members) { $1 }) }
    init(stringLiteral value: String) { self = .text(value) }
    init(integerLiteral value: Int) { self = .number(Double(value)) }
}
