/// The expectation that a value did not meet: the `underlyingError` of the `DecodingError`s of
/// ``ScriptValue/decode(_:userInfo:)``.
public struct ValueMismatch: Error, Equatable, CustomStringConvertible {
    /// The name of a Swift type, `object` or `array`.
    public let expected: String
    /// A summary such as `number 3`, `object with keys a, b`, or `nothing` for a missing key. Long values are cut.
    public let found: String

    public var description: String { "expected \(expected), found \(found)" }
}

extension DecodingError {
    /// The error for a value of the wrong kind, or for `null` or `undefined` in place of a value.
    static func mismatch(
        _ type: any Any.Type, expected: String, found value: ScriptValue, at path: [any CodingKey]
    ) -> DecodingError {
        let context = Context(path, ValueMismatch(expected: expected, found: value.summary))
        switch value.kind {
        case .null, .undefined: return .valueNotFound(type, context)
        default: return .typeMismatch(type, context)
        }
    }

    static func missing(_ key: any CodingKey, expected: String, at path: [any CodingKey]) -> DecodingError {
        .keyNotFound(key, Context(path, ValueMismatch(expected: expected, found: "nothing")))
    }

    /// The place of the value that did not fit.
    var place: [any CodingKey] {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context),
            .keyNotFound(_, let context):
            context.codingPath
        @unknown default: []
        }
    }
}

extension DecodingError.Context {
    init(_ path: [any CodingKey], _ mismatch: ValueMismatch) {
        self.init(codingPath: path, debugDescription: mismatch.description, underlyingError: mismatch)
    }
}
