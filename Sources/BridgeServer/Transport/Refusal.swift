import BridgeProtocol
import BridgeTraffic

/// The reason why a client was refused or disconnected, for the traffic log, the metrics and the client itself.
struct Refusal: Error, Sendable, Equatable {
    let code: ProblemCode
    /// A sentence that says what happened and why it is not accepted.
    let text: String
    /// A sentence that says how to fix it, and another that names the page of the documentation with the rule.
    let hint: String
    /// The address of the client; nil if it is not known.
    var address: PeerAddress?

    init(code: ProblemCode, text: String, hint: String, address: PeerAddress? = nil) {
        self.code = code
        self.text = text
        self.hint = code.linked(hint)
        self.address = address
    }

    func from(_ address: PeerAddress) -> Refusal {
        var refusal = self
        refusal.address = address
        return refusal
    }

    /// The HTTP status of a response with this refusal.
    var status: HTTPStatus {
        switch code {
        case .hostNotAllowed, .originNotAllowed, .navigationNotAllowed, .originMissing: .forbidden
        case .tokenNeeded: .unauthorized
        case .unknownPath: .notFound
        case .wrongVersion: .upgradeRequired
        case .lengthRequired: .lengthRequired
        case .bodyTooLarge, .messageTooBig: .contentTooLarge
        case .requestTimeout: .requestTimeout
        case .wrongContentType: .unsupportedMediaType
        case .tooManyConnections, .memoryUsedUp, .badBeacon, .badCall: .serviceUnavailable
        default: .badRequest
        }
    }
}

extension TrafficLog {
    /// Records a refusal as a `problem`.
    /// - Parameter document: the document that is refused, if its messages are lost: each such document gets a record
    ///   of its own.
    func report(_ refusal: Refusal, of document: String? = nil) {
        problem(refusal.code, refusal.text, hint: refusal.hint, client: document ?? refusal.address?.text)
        flush()
    }

    /// Records a refusal.
    /// - Returns: the response with it.
    func refuse(_ refusal: Refusal) -> HTTPResponse {
        report(refusal)
        return .refusal(refusal)
    }
}
