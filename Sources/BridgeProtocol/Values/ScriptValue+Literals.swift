public import Foundation

// Values in code: `["name": "Zoe", "at": .date(.now), "tags": ["new"]]`.
extension ScriptValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(nilLiteral: ()) { self = .null }
    public init(booleanLiteral value: Bool) { self.init(.bool(value)) }
    public init(integerLiteral value: Int) { self.init(.number(Double(value))) }
    public init(floatLiteral value: Double) { self = .number(value) }
    public init(stringLiteral value: String) { self = .string(value) }

    public init(arrayLiteral elements: ScriptValue...) {
        self.init { try $0.array(count: elements.count) { $0.copy(elements[$1]) } }
    }

    public init(dictionaryLiteral members: (String, ScriptValue)...) {
        self.init { writer in
            try writer.object { writer in
                for (name, value) in members { try writer.member(name) { $0.copy(value) } }
            }
        }
    }

    public static func bool(_ value: Bool) -> ScriptValue { ScriptValue(.bool(value)) }
    public static func number(_ value: Double) -> ScriptValue { ScriptValue { $0.number(value) } }
    public static func string(_ value: String) -> ScriptValue { ScriptValue(.string(value)) }
    /// A JavaScript date, to the millisecond.
    public static func date(_ value: Date) -> ScriptValue { ScriptValue { $0.date(value) } }

    /// Nesting beyond 2,048 levels, which no literal has, gives null.
    private init(_ body: (inout ScriptValueWriter) throws -> Void) {
        self = (try? ScriptValueWriter.value(body)) ?? .null
    }
}

/// Two values are equal if JavaScript shows no difference; NaN equals itself.
extension ScriptValue: Equatable {
    public static func == (left: ScriptValue, right: ScriptValue) -> Bool {
        left.contains(subset: right) && right.contains(subset: left)
    }
}

extension ScriptValue: CustomStringConvertible {
    /// The value as compact JSON, or `undefined`. A date is its ISO 8601 text.
    public var description: String { kind == .undefined ? "undefined" : json.text }
}

extension ScriptValue {
    /// The member of an object that has this name, or nil. References are not followed.
    public subscript(key: String) -> ScriptValue? { kind == .object ? child(key) : nil }

    /// The element of an array at this index, or nil. References are not followed.
    public subscript(index: Int) -> ScriptValue? { kind == .array ? child(index: index) : nil }
}
