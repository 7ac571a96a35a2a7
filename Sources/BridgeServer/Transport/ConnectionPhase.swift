import BridgeTraffic

/// What a connection does now: it serves HTTP requests, one at a time, and then perhaps is a WebSocket until it closes.
/// This type does no I/O.
enum ConnectionPhase {
    /// Waits for a request.
    case idle
    /// The header of a request has arrived, and its body is arriving.
    indirect case receiving(HTTPRequest, since: ContinuousClock.Instant)
    /// A request was delivered or refused, and has no response yet.
    case answering
    case responding(OutgoingResponse)
    /// The response is written. The daemon still reads the body that it has refused.
    case lingering
    case open(Channel)
    /// The daemon closes the WebSocket. The channel is nil if its end was delivered already.
    indirect case closing(Channel?, Close)
    /// The WebSocket has ended, and its end was delivered.
    case closed

    /// The close frame that follows the messages that wait.
    struct Close {
        let code: CloseCode
        let reason: String
        /// How often `checkClose` may still run; 0 if the close frame is sent.
        var checksLeft: Int
    }

    /// The channel of the WebSocket; nil before the handshake, and after its end was delivered.
    var channel: Channel? {
        switch self {
        case .open(let channel): channel
        case .closing(let channel, _): channel
        default: nil
        }
    }

    /// The response that is being written.
    var response: OutgoingResponse? { if case .responding(let response) = self { response } else { nil } }

    mutating func setChecksLeft(_ count: Int) {
        guard case .closing(let channel, var close) = self else { return }
        close.checksLeft = count
        self = .closing(channel, close)
    }

    /// Ends the WebSocket.
    /// - Returns: its channel; nil if its end was delivered already.
    mutating func end() -> Channel? {
        let channel = channel
        switch self {
        case .open: self = .closed
        case .closing(_, let close): self = .closing(nil, close)
        default: break
        }
        return channel
    }
}
