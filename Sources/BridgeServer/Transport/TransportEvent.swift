import BridgeProtocol

/// What the event loop tells the main actor, in the order in which it happened.
enum TransportEvent: Sendable {
    /// A WebSocket handshake was accepted. Nothing has been received on `channel` yet.
    case opened(Channel, Handshake)
    /// One whole text message of a page, parsed once, on the loop.
    case received(Channel, Result<PageFrame, JSONParseError>)
    /// One whole text message of a tool, parsed once, on the loop.
    case called(Channel, Result<JSON, JSONParseError>)
    /// The connection is gone; nothing more comes from `channel`, and what is sent on it goes nowhere.
    case closed(Channel, Closure)
    /// An HTTP request that passed the access. It must be answered through `responder`, now or later.
    case requested(HTTPRequest, HTTPResponder)
    /// The client of a request is gone, and the request was not answered yet.
    case abandoned(ConnectionID)
    /// The client of a streamed response is gone, or all of it was written.
    case streamEnded(HTTPStream)
    /// Somebody was turned away, or thrown out.
    case refused(Refusal)
    /// All that arrived together has been told. What it brought is written and acknowledged now, at once for all.
    case roundEnded
}

/// Who a WebSocket connection is for (protocol.md, "Encoding").
enum ConnectionRole: String, Sendable, CaseIterable {
    /// A document.
    case page
    /// A tool.
    case control

    var path: String { "/\(rawValue)" }
    var subprotocol: String { "bridge.\(rawValue).v1" }

    init?(path: String) {
        guard let role = Self.allCases.first(where: { $0.path == path }) else { return nil }
        self = role
    }
}

/// What is known of a WebSocket connection from its handshake.
struct Handshake: Sendable {
    var role = ConnectionRole.page
    let origin: String?
    let userAgent: String?
}

/// How a WebSocket connection ended.
struct Closure: Sendable {
    /// The status code of RFC 6455 section 7.4, or nil where the connection broke without one.
    let code: CloseCode?
    /// Who said it.
    let byPeer: Bool
}

/// A status code of RFC 6455 section 7.4.1, and 1013 of the IANA registry.
struct CloseCode: RawRepresentable, Sendable, Equatable {
    let rawValue: UInt16

    static let normal = CloseCode(rawValue: 1000)
    static let goingAway = CloseCode(rawValue: 1001)
    static let unsupportedData = CloseCode(rawValue: 1003)
    static let invalidPayload = CloseCode(rawValue: 1007)
    static let policyViolation = CloseCode(rawValue: 1008)
    static let messageTooBig = CloseCode(rawValue: 1009)
    static let tryAgainLater = CloseCode(rawValue: 1013)
}

/// Why a client was turned away or thrown out, for the log, the counters and the client itself.
struct Refusal: Error, Sendable, Equatable {
    /// One word for machines, the `code` of the `problem` record.
    enum Code: String, Sendable, CaseIterable {
        case hostNotAllowed, originNotAllowed, originMissing, tokenNeeded, unknownSubprotocol, unknownPath,
            wrongUpgrade, wrongVersion
        case lengthRequired, bodyTooLarge, wrongContentType, requestTimeout, malformedRequest
        case messageTooBig, binaryMessage, invalidUTF8, slowReader, tooManyConnections, tooManyCalls, tlsFailed
    }

    let code: Code
    /// What came, and what was expected.
    let text: String
    /// What to do about it.
    let hint: String

    /// The HTTP status that answers a request refused for this reason.
    var status: HTTPStatus {
        switch code {
        case .hostNotAllowed, .originNotAllowed, .originMissing: .forbidden
        case .tokenNeeded: .unauthorized
        case .unknownPath: .notFound
        case .wrongVersion: .upgradeRequired
        case .lengthRequired: .lengthRequired
        case .bodyTooLarge, .messageTooBig: .contentTooLarge
        case .requestTimeout: .requestTimeout
        case .wrongContentType: .unsupportedMediaType
        case .tooManyConnections: .serviceUnavailable
        default: .badRequest
        }
    }
}
