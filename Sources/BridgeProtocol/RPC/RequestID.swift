/// What ties a response to its request (JSON-RPC 2.0, section 4).
public enum RequestID: Hashable, Sendable, JSONWritable, CustomStringConvertible {
    case number(Double)
    case string(String)
    /// Where the request could not be told: the id of an error about a malformed message.
    case null

    public init(_ number: Int) { self = .number(Double(number)) }

    /// The number, where it is a whole one.
    public var wholeNumber: Int? {
        if case .number(let value) = self { Int(exactly: value) } else { nil }
    }

    /// `nil` where the node is not a string, a number or null.
    package init?(_ json: JSON) {
        switch json.kind {
        case .number: self = .number(json.number ?? 0)
        case .string: self = .string(json.string ?? "")
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

    public var description: String {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.text
    }
}
