public import Foundation

/// A JavaScript value in the form in which it is sent: JSON, and a table of the types that JSON cannot express
/// (docs/protocol.md, "Script values").
public struct ScriptValue: Sendable {
    public let json: JSON
    /// The types of the values that JSON has no form for. `nil` for most values.
    public let types: ScriptTypes?

    /// Combines a value with the `types` table that came with it.
    ///
    /// - Throws: `invalidParams` that names the entry of the table which does not fit the value.
    public init(json: JSON, types: JSON? = nil) throws(RPCError) {
        self.json = json
        if let types {
            self.types = try ScriptTypesReader.read(types, for: json)
        } else {
            self.types = nil
        }
    }

    /// Reads the member `key` of params or of a result, together with the table of types in the member `types`.
    /// - Throws: `invalidParams` if the value is missing or the table does not fit it.
    public init(params: JSON, key: String) throws(RPCError) {
        guard let value = params[key] else {
            throw .invalidParams(at: JSONPointer(tokens: [key]).description, "expected a value, found nothing")
        }
        try self.init(json: value, types: params["types"])
    }

    package init(json: JSON, checked types: ScriptTypes?) {
        self.json = json
        self.types = types
    }

    /// A value that is plain JSON.
    public init(_ value: JSONValue) { self.init(json: JSON(value), checked: nil) }

    public static let null = ScriptValue(json: .null, checked: nil)
    /// `{}`
    public static let emptyObject = ScriptValue([:])
    public static let undefined = ScriptValue(json: .null, checked: ScriptTypes(kind: .undefined))

    /// Writes the member `key` with the value and, if there is a table, the member `types` with it.
    public func write(to writer: inout JSONWriter, key: StaticString) {
        writer.member(key, json)
        writer.member("types", ifPresent: types)
    }

    /// Decodes a Swift value directly from the parsed document.
    ///
    /// `undefined` counts as absent. A shared object is decoded again at each place. A `Date` can be a JavaScript date
    /// or an ISO 8601 string, `Data` is base64, and a `Decimal` can be a number or a string. A whole number must fit its
    /// type exactly. A `ScriptValue` takes any value.
    ///
    /// - Throws: `DecodingError`. If one value was wrong, the context's `underlyingError` is a ``ValueMismatch``.
    ///   Cycles and nesting beyond 512 levels are `dataCorrupted`.
    public func decode<T: Decodable>(_ type: T.Type, userInfo: [CodingUserInfoKey: any Sendable] = [:]) throws -> T {
        try ScriptValueDecoder(root: self, userInfo: userInfo).decodeRoot(type)
    }
}

extension ScriptValue {
    /// The kinds of value in JavaScript.
    public enum Kind: String, Sendable {
        case undefined, null, bool, number, string, date, array, object
        /// Another occurrence of the object at ``ScriptValue/referenceTarget``.
        case reference
    }

    public var kind: Kind {
        switch types?.kind {
        case .undefined: return .undefined
        case .date: return .date
        case .number: return .number
        case .ref: return .reference
        case .utf16: return .string
        case nil: break
        }
        switch json.kind {
        case .null: return .null
        case .bool: return .bool
        case .number: return .number
        case .string: return .string
        case .array: return .array
        case .object: return .object
        }
    }

    public var bool: Bool? { types?.kind == nil ? json.bool : nil }

    /// The number, which may be NaN, infinite or negative zero.
    public var number: Double? {
        switch types?.kind {
        case nil: json.number
        case .number: json.string.flatMap { ScriptNumber.values[$0] }
        default: nil
        }
    }

    /// The string. A lone surrogate reads as U+FFFD.
    public var string: String? {
        switch types?.kind {
        case nil: json.string
        case .utf16: [UInt16](json).map { String(decoding: $0, as: UTF16.self) }
        default: nil
        }
    }

    /// The date. An invalid one has a NaN interval, as in Apple's WebKit.
    public var date: Date? {
        guard types?.kind == .date else { return nil }
        return json.isNull ? Date(timeIntervalSince1970: .nan) : json.string.flatMap(ISO8601.date)
    }

    /// The earlier place in the whole value that holds the same object. `nil` if this is not a reference.
    public var referenceTarget: JSONPointer? {
        types?.kind == .ref ? json.string.flatMap(JSONPointer.init) : nil
    }

    /// A member or an element. References are not followed, because that needs the whole value.
    package func child(_ token: String) -> ScriptValue? {
        guard types?.kind == nil else { return nil }
        return json.child(token).map { ScriptValue(json: $0, checked: types?.child(token)) }
    }

    /// An element of an array.
    package func child(index: Int) -> ScriptValue? {
        guard types?.kind == nil else { return nil }
        return json[index].map { ScriptValue(json: $0, checked: types?.child(String(index))) }
    }

    /// The value at a place, or `nil` if there is none. It follows no references.
    public func resolve(pointer: JSONPointer) -> ScriptValue? {
        pointer.tokens.reduce(self) { place, token in place?.child(token) }
    }

    /// The value's kind and contents, short enough for an error message: `number NaN`, `object with keys a, b`.
    public var summary: String {
        switch types?.kind {
        case nil: json.summary
        case .undefined: "undefined"
        case .date: "date \(json.string ?? "(invalid)")"
        case .number: "number \(json.string ?? "")"
        case .ref: "the object at \(quoted(json.string ?? ""))"
        case .utf16: "string \(quoted(string ?? ""))"
        }
    }
}

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

extension ScriptValue {
    /// Whether this value has everything that is in `subset`: an object may have more members, arrays match element by
    /// element, and other values must be equal.
    ///
    /// A string that is the JSON text of an object or an array also has what that object or array has, because many pages
    /// post `JSON.stringify(…)`. References in this value are followed. A date also equals its ISO 8601 text, because people write patterns as
    /// JSON.
    public func contains(subset: ScriptValue) -> Bool {
        SubsetMatch(root: self).matches(self, subset)
    }

    /// The value of a string that is the JSON text of an object or an array; nil for any other value.
    package var parsedText: ScriptValue? {
        guard kind == .string, let text = json.string, let first = text.first(where: { !$0.isWhitespace }),
            first == "{" || first == "[", let parsed = try? JSON.parse(Array(text.utf8), .untrusted)
        else { return nil }
        return ScriptValue(json: parsed, checked: nil)
    }
}

private struct SubsetMatch {
    let root: ScriptValue

    /// References in `subset` are compared and not followed, so the recursion ends with the pattern.
    func matches(_ place: ScriptValue, _ subset: ScriptValue) -> Bool {
        if subset.kind == .reference { return place.referenceTarget == subset.referenceTarget }
        let value = resolved(place)
        switch (value.kind, subset.kind) {
        case (.object, .object): return hasMembers(of: subset, value)
        case (.array, .array): return hasElements(of: subset, value)
        case (.number, .number): return areEqual(value.number, subset.number)
        case (.string, .string): return value.string == subset.string
        case (.bool, .bool): return value.bool == subset.bool
        case (.date, .date), (.date, .string): return value.json.string == subset.json.string
        case (.string, .object), (.string, .array):
            return value.parsedText.map { $0.contains(subset: subset) } ?? false
        case (.null, .null), (.undefined, .undefined): return true
        default: return false
        }
    }

    private func hasMembers(of subset: ScriptValue, _ value: ScriptValue) -> Bool {
        var holds = true
        subset.json.forEachMember { key, _ in
            guard holds, let expected = subset.child(key) else { return }
            holds = value.child(key).map { matches($0, expected) } ?? false
        }
        return holds
    }

    private func hasElements(of subset: ScriptValue, _ value: ScriptValue) -> Bool {
        guard value.json.count == subset.json.count else { return false }
        return (0..<subset.json.count).allSatisfy { index in
            guard let element = value.child(index: index), let expected = subset.child(index: index) else {
                return false
            }
            return matches(element, expected)
        }
    }

    /// Whether two numbers match. NaN matches NaN, because a pattern that contains NaN is meant to find it.
    private func areEqual(_ left: Double?, _ right: Double?) -> Bool {
        left == right || (left?.isNaN == true && right?.isNaN == true)
    }

    /// Follows references to a value. Each leads to an earlier place, so the loop ends.
    private func resolved(_ place: ScriptValue) -> ScriptValue {
        var place = place
        while let target = place.referenceTarget {
            guard let value = root.resolve(pointer: target) else { break }
            place = value
        }
        return place
    }
}

extension [UInt16] {
    /// The UTF-16 units of a string that has a lone surrogate. `nil` if `json` is not an array of such units.
    init?(_ json: JSON) {
        guard json.kind == .array else { return nil }
        self = json.elements.compactMap { $0.number.flatMap(UInt16.init(exactly:)) }
        guard count == json.count else { return nil }
    }
}
