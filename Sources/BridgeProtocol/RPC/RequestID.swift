/// The id that connects a response with its request (JSON-RPC 2.0, section 4).
public enum RequestID: Hashable, Sendable, JSONWritable, CustomStringConvertible {
    case number(Double)
    case string(String)
    /// The id of an error about a message whose own id could not be read.
    case null

    public init(_ number: Int) { self = .number(Double(number)) }

    /// The number, or `nil` if the id is not a whole number.
    public var wholeNumber: Int? {
        if case .number(let value) = self { Int(exactly: value) } else { nil }
    }

    /// Returns `nil` if the value is not a number, null, or a string of at most ``PageText/requestID`` bytes.
    package init?(_ json: JSON) {
        switch json.kind {
        case .number: self = .number(json.number ?? 0)
        case .string:
            guard let text = json.string, text.utf8.count <= PageText.requestID else { return nil }
            self = .string(text)
        case .null: self = .null
        default: return nil
        }
    }

    public func write(to writer: inout JSONWriter) {
        switch self {
        case .number(let value): writer.number(value)
        case .string(let value): writer.string(value)
        case .null: writer.null()
        }
    }

    public var description: String { text }
}
