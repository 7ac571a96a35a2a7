public import BridgeProtocol

/// A mistake in a filter, and where.
public struct TrafficFilterError: Error, Sendable, Equatable, CustomStringConvertible {
    /// One sentence that says what is wrong.
    public let message: String
    /// The whole filter.
    public let text: String
    /// Where the mistake begins, in characters from 0.
    public let offset: Int
    /// How many characters it has, one at least.
    public let length: Int
    /// What was probably meant, to stand in place of the mistake.
    public let suggestion: String?

    /// The message, and the filter with carets below the mistake.
    public var description: String {
        """
        \(message)\(suggestion.map { " Did you mean \($0)?" } ?? "")
          \(text)
          \(String(repeating: " ", count: offset))\(String(repeating: "^", count: length))
        """
    }

    /// As the answer to a request whose member `filter` it was.
    public var rpcError: RPCError {
        RPCError(
            .invalidParams, "Invalid params: /filter: \(description)",
            data: [
                "filter": .string(text), "offset": .number(Double(offset)), "length": .number(Double(length)),
                "suggestion": suggestion.map { .string($0) } ?? .null,
            ])
    }
}
