import BridgeProtocol

/// The device's push token, and whether the user allows notifications. It is a value type.
public struct PushTokens: Sendable, Equatable {
    public private(set) var token: String
    public var isDenied = false

    init(_ token: String?) { self.token = token ?? PushTokens.makeToken() }

    /// - Parameter token: nil for a random one.
    mutating func rotate(to token: String?) { self.token = token ?? PushTokens.makeToken() }

    /// Makes 32 random bytes in hexadecimal digits.
    private static func makeToken() -> String {
        (0..<32).map { _ in UInt8.random(in: 0...255).hexadecimal }.joined()
    }
}
