public import BridgeProtocol

/// A mistake in a filter, and its position.
public struct TrafficFilterError: Error, Sendable, Equatable, CustomStringConvertible {
    /// One sentence that says what is wrong.
    public let message: String
    /// The whole filter.
    public let text: String
    /// The position at which the mistake begins, in characters from 0.
    public let offset: Int
    /// The length of the mistake in characters, at least 1.
    public let length: Int
    /// The text that was probably meant in place of the mistake.
    public let suggestion: String?

    /// The message, and the filter with carets below the mistake.
    public var description: String {
        """
        \(message)\(suggestion.map { " Did you mean \($0)?" } ?? "")
          \(text)
          \(String(repeating: " ", count: offset))\(String(repeating: "^", count: length))
        """
    }

    /// The error of a control method whose param `filter` has the mistake.
    public var rpcError: RPCError {
        RPCError(
            .invalidParams, "Invalid params: /filter: \(description)",
            data: [
                "filter": .string(text), "offset": .number(Double(offset)), "length": .number(Double(length)),
                "suggestion": suggestion.map { .string($0) } ?? .null,
            ])
    }
}
