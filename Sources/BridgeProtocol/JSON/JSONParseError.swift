/// The reason why a text cannot be read as JSON, and the place.
public struct JSONParseError: Error, Equatable, CustomStringConvertible {
    public enum Cause: String, Sendable {
        case syntax
        case invalidUTF8
        /// The text nests deeper than the limit: 2,048 levels, or the daemon's `max-nesting`.
        case tooDeep
        /// The text has more values than the daemon's `max-values`.
        case tooManyValues
        /// An object's key contains NUL. `JSON.parse(_:)` throws this only if jansson is older than 2.14.
        case nulInKey
        /// The text ends before its value does.
        case prematureEnd
        /// A number is too large for a double. `JSON.parse(_:)` clamps such numbers and never throws this.
        case numberTooLarge
        /// Another reason, such as a lack of memory.
        case other
    }

    /// jansson's message, such as `string or '}' expected near ','`.
    public let message: String
    /// The line, from 1. It is always 1 if ``JSON/check(_:_:)`` threw the error.
    public let line: Int
    /// The column in characters, from 1; 0 for an empty text. It is equal to ``offset`` if
    /// ``JSON/check(_:_:)`` threw the error.
    public let column: Int
    /// The number of bytes that were read.
    public let offset: Int
    public let cause: Cause

    static let emptyText = JSONParseError(
        message: "'[' or '{' expected near end of file", line: 1, column: 0, offset: 0, cause: .prematureEnd)

    public var description: String {
        "Not valid JSON: \(message) (line \(line), column \(column), byte \(offset))\(advice)"
    }

    private var advice: String {
        switch cause {
        case .tooDeep where !message.hasPrefix("more than"): ". At most 2,048 levels of nesting are read."
        case .tooManyValues:
            ". Commas and opening brackets count. Send less at a time, or start the daemon with a higher \(setting("max-values", "limits.values"))."
        case .syntax where message.contains("Unicode"):
            ". A lone surrogate has no JSON form: send the string as UTF-16 units of type \"utf16\"."
        default: ""
        }
    }
}
