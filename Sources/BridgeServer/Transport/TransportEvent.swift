import BridgeProtocol

/// An event that the loop delivers to the main actor, in the order in which it happened.
enum TransportEvent: Sendable {
    /// A WebSocket handshake was accepted. Nothing has been received on the channel yet.
    case opened(Channel)
    /// A page sent a complete text message.
    case received(Channel, Result<PageFrame, JSONParseError>)
    /// A tool sent a complete text message.
    case called(Channel, Result<JSON, JSONParseError>)
    /// A connection has closed. Its channel delivers no further events and drops the messages that are sent on it.
    case closed(Channel, Closure)
    /// An HTTP request passed the access policy. It must be answered through the responder, now or later.
    case requested(HTTPRequest, HTTPResponder)
    /// The client of a request left before the request was answered.
    case abandoned(ConnectionID)
    /// The client of a streamed response left, or the whole response was written.
    case streamEnded(HTTPStream)
    /// A client was refused or disconnected.
    case refused(Refusal)
    /// Every event of one round has been delivered. `PageChannel` now writes the records and the acknowledgements of the
    /// round.
    case roundEnded
}

/// The purpose of a WebSocket connection (docs/protocol.md, "Encoding").
package enum ConnectionRole: String, Sendable, CaseIterable {
    /// The connection of a document.
    case page
    /// The connection of a tool.
    case control

    var path: String { "/\(rawValue)" }
    var subprotocol: String { "bridge.\(rawValue).v1" }

    init?(path: String) {
        guard let role = Self.allCases.first(where: { $0.path == path }) else { return nil }
        self = role
    }
}

/// The end of a WebSocket connection.
package struct Closure: Sendable {
    /// The status code of RFC 6455, section 7.4; nil if the connection broke without one.
    package let code: CloseCode?
    /// Whether the peer sent the code.
    package let byPeer: Bool

    package init(code: CloseCode?, byPeer: Bool) {
        self.code = code
        self.byPeer = byPeer
    }
}

/// A status code of RFC 6455, section 7.4.1, or 1013 of the IANA registry.
package struct CloseCode: RawRepresentable, Sendable, Equatable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let normal = CloseCode(rawValue: 1000)
    package static let goingAway = CloseCode(rawValue: 1001)
    package static let unsupportedData = CloseCode(rawValue: 1003)
    package static let invalidPayload = CloseCode(rawValue: 1007)
    package static let policyViolation = CloseCode(rawValue: 1008)
    package static let messageTooBig = CloseCode(rawValue: 1009)
    package static let tryAgainLater = CloseCode(rawValue: 1013)
}
