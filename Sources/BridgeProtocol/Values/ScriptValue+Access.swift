public import Foundation

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
        case .utf16: json.utf16.map { String(decoding: $0, as: UTF16.self) }
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
