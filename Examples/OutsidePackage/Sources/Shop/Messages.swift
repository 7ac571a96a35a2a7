public import BridgeServer
public import Foundation

/// What the page posts when the user orders something.
public struct PlaceOrder: ScriptMessage {
    public static let name = "PlaceOrder"

    public enum Size: String, Codable, CaseIterable, Sendable { case small, large }

    /// An address whose parts the user may leave out.
    public struct Address: Decodable, Sendable {
        public struct Person: Decodable, Sendable {
            public let name: String?
        }

        public let street: String
        public let recipient: Person?
    }

    public let item: String
    public let size: Size
    public let due: Date
    public let signature: Data
    public let address: Address?
    /// Whatever the page wants to remember.
    public let extra: ScriptValue?
}

/// The reply to ``PlaceOrder``.
public struct Receipt: Codable, Sendable, Equatable {
    public let number: Int
    public let due: Date
    public let total: Decimal
    public let signatureBytes: Int
    public let recipient: String?
    public let extra: ScriptValue?
}

/// What the page posts when the user looks at something. It needs no reply.
public struct Looked: ScriptMessage {
    public static let name = "Looked"
    public let item: String
}
