/// The id that connects a response with its request (JSON-RPC 2.0, section 4).
public enum RequestID: Hashable, Sendable, JSONWritable, CustomStringConvertible {
    case number(Int)
    case string(String)
    /// The id of an error about a message whose own id could not be read.
    case null

    public init(_ number: Int) { self = .number(number) }

    /// The number, or `nil` if the id is no number.
    public var wholeNumber: Int? {
        if case .number(let value) = self { value } else { nil }
    }

    /// Returns `nil` if the value is not null, a string of at most ``PageText/requestID`` bytes, or a number that can be
    /// returned exactly: a whole one of 64 bits. (JSON-RPC advises against fractions.)
    package init?(_ json: JSON) {
        switch json.kind {
        case .number:
            guard let number = json.exactInteger else { return nil }
            self = .number(number)
        case .string:
            guard let text = json.string, text.utf8.count <= PageText.requestID else { return nil }
            self = .string(text)
        case .null: self = .null
        default: return nil
        }
    }

    public func write(to writer: inout JSONWriter) {
        switch self {
        case .number(let value): writer.integer(value)
        case .string(let value): writer.string(value)
        case .null: writer.null()
        }
    }

    public var description: String { text }
}
