/// The progress of a TLS handshake, as OpenSSL reports it. This type does no I/O.
struct TLSHandshake: Sendable {
    /// A step that OpenSSL reports to an info callback (`SSL_CTX_set_info_callback(3)`).
    enum Event: Sendable, Equatable {
        /// The handshake is complete.
        case done
        /// The handshake needs more bytes or has failed; OpenSSL does not say which.
        case paused
        /// One side ended the connection with an error alert (RFC 8446, section 6.2).
        case alert(UInt8, byPeer: Bool)
    }

    /// How many bytes had been read when the handshake was complete; nil before that.
    private(set) var bytesWhenDone: UInt64?
    private var hasBegun = false
    private var firstAlert: (number: UInt8, byPeer: Bool)?

    /// Handles an event of a connection whose client has sent something.
    /// - Parameter bytesRead: how many bytes of the connection have been read.
    mutating func handle(_ event: Event, bytesRead: UInt64) {
        hasBegun = true
        switch event {
        case .done: bytesWhenDone = bytesRead
        case .paused: break
        case .alert(let number, let byPeer): firstAlert = firstAlert ?? (number, byPeer)
        }
    }

    /// The reason why the handshake of a closed connection failed; nil if it was completed or never began.
    func failure(of address: PeerAddress) -> Refusal? {
        guard hasBegun, bytesWhenDone == nil else { return nil }
        let client = "A client at \(address.text)"
        switch firstAlert {
        case (let number, true)? where TLSHandshake.distrust.contains(number):
            return Refusal(
                code: .tlsFailed, text: "\(client) does not trust the daemon's certificate (TLS alert \(number)).",
                hint: "Make the client trust the certificate, or open the daemon's address in that browser once and "
                    + "accept it.")
        case (let number, true)?:
            return Refusal(
                code: .tlsFailed, text: "\(client) broke off the TLS handshake with alert \(number).",
                hint: "RFC 8446, section 6.2, explains the number; the client's own error message says more.")
        case (let number, false)?:
            return Refusal(
                code: .tlsFailed,
                text: "The daemon broke off the TLS handshake with a client at \(address.text), with alert \(number).",
                hint: "The client must use TLS 1.2 or later. If every client fails, check that the key belongs to the "
                    + "certificate.")
        case nil:
            return Refusal(
                code: .tlsFailed, text: "\(client) did not use TLS, or broke off the TLS handshake.",
                hint: "The daemon has a certificate: use https:// and wss:// addresses.")
        }
    }

    /// The alerts about a certificate: bad, unsupported, revoked, expired, unknown, or issued by an unknown authority
    /// (RFC 8446, section 6.2).
    private static let distrust: Set<UInt8> = [42, 43, 44, 45, 46, 48]
}

extension TLSHandshake.Event {
    // The values of OpenSSL's SSL_CB_EXIT, SSL_CB_READ, SSL_CB_HANDSHAKE_DONE and SSL_CB_ALERT.
    private static let exit: Int32 = 0x02
    private static let read: Int32 = 0x04
    private static let finished: Int32 = 0x20
    private static let alert: Int32 = 0x4000
    /// The events that OpenSSL is asked to report.
    static let places = exit | finished | alert

    /// Reads the arguments `where` (as `place`) and `ret` (as `value`) of the info callback. Fails for an event that
    /// changes nothing, such as a `close_notify` alert, whose number is 0.
    init?(place: Int32, value: Int32) {
        if place & Self.alert != 0 {
            let number = UInt8(truncatingIfNeeded: value)
            guard number != 0 else { return nil }
            self = .alert(number, byPeer: place & Self.read != 0)
        } else if place & Self.finished != 0 {
            self = .done
        } else if value <= 0 {
            self = .paused
        } else {
            return nil
        }
    }
}
