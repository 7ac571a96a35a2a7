/// Why a text is not JSON that we can take, and where.
public struct JSONParseError: Error, Equatable, CustomStringConvertible {
    public enum Cause: String, Sendable {
        case syntax
        case invalidUTF8
        /// More arrays and objects within each other than are read: 2,048, or the daemon's `max-nesting`.
        case tooDeep
        /// A NUL in an object's key. (In a string it is allowed.)
        case nulInKey
        /// The text ends before its value does.
        case prematureEnd
        /// Never leaves ``JSON``: such numbers are clamped.
        case numberTooLarge
        /// Out of memory, for one.
        case other
    }

    /// jansson's words, such as `string or '}' expected near ','`.
    public let message: String
    /// From 1.
    public let line: Int
    /// From 1, in characters.
    public let column: Int
    /// In bytes, behind the last one read.
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
        case .nulInKey: ". \\u0000 is allowed in strings, not in keys."
        case .syntax where message.contains("Unicode"):
            ". A lone surrogate has no JSON form: send the string as UTF-16 units of type \"utf16\"."
        default: ""
        }
    }
}
