/// What has come of a connection's TLS handshake, by what OpenSSL tells of it. A value without I/O.
struct TLSHandshake: Sendable {
    /// One thing that OpenSSL tells (`SSL_CTX_set_info_callback(3)`).
    enum Event: Sendable, Equatable {
        case done
        /// It waits for more bytes, or has failed: OpenSSL does not say which.
        case paused
        /// An error (RFC 8446, 6.2), after which nothing more comes.
        case alert(UInt8, byPeer: Bool)
        /// One side sends nothing more (`close_notify`).
        case goodbye(byPeer: Bool)
    }

    /// How much had been read when the handshake was done; nil before.
    private(set) var bytesWhenDone: UInt64?
    /// Whether it was the peer who first said good-bye; nil where nobody has.
    private(set) var isEndedByPeer: Bool?
    private var hasBegun = false
    private var alert: (number: UInt8, byPeer: Bool)?

    /// Takes what is told after bytes have come. Before, there is nobody to speak of.
    ///
    /// - Parameter bytes: how many of them were read.
    mutating func take(_ event: Event, bytes: UInt64) {
        hasBegun = true
        switch event {
        case .done: bytesWhenDone = bytes
        case .paused: break
        case .alert(let number, let byPeer): alert = alert ?? (number, byPeer)
        case .goodbye(let byPeer): isEndedByPeer = isEndedByPeer ?? byPeer
        }
    }

    /// Why a connection that is over now was none; nil where its handshake was done, or never began.
    func failure(of address: PeerAddress) -> Refusal? {
        guard hasBegun, bytesWhenDone == nil else { return nil }
        let client = "A client of \(address.text)"
        switch alert {
        case (let number, true)? where TLSHandshake.distrust.contains(number):
            return Refusal(
                code: .tlsFailed, text: "\(client) does not trust the daemon's certificate (TLS alert \(number)).",
                hint: "Have it trust the certificate, or open the daemon's address in that browser once and accept it: "
                    + "docs/security.md, \"TLS\", says how.")
        case (let number, true)?:
            return Refusal(
                code: .tlsFailed, text: "\(client) broke off the TLS handshake with alert \(number).",
                hint: "RFC 8446, 6.2, has what the number means; the client's own message says more.")
        case (let number, false)?:
            return Refusal(
                code: .tlsFailed,
                text: "The daemon broke off the TLS handshake with a client of \(address.text), with alert \(number).",
                hint:
                    "TLS 1.2 or later is spoken. If no client gets in, look whether the key is of its certificate's kind."
            )
        case nil:
            return Refusal(
                code: .tlsFailed,
                text: "\(client) came without TLS, such as by plain http, or broke off the handshake.",
                hint: "The daemon has a certificate: open it with https, connect with wss.")
        }
    }

    /// Alerts about a certificate: bad, unsupported, revoked, expired, unknown, of an unknown authority (RFC 8446, 6.2).
    private static let distrust: Set<UInt8> = [42, 43, 44, 45, 46, 48]
}

extension TLSHandshake.Event {
    // Bits of OpenSSL's SSL_CB_ names.
    private static let exit: Int32 = 0x02
    private static let read: Int32 = 0x04
    private static let finished: Int32 = 0x20
    private static let alert: Int32 = 0x4000
    /// The bits that matter.
    static let places = exit | finished | alert

    /// - Parameters: as the callback has them. Nil for what makes no difference.
    init?(place: Int32, value: Int32) {
        if place & Self.alert != 0 {
            let byPeer = place & Self.read != 0
            let number = UInt8(truncatingIfNeeded: value)
            self = number == 0 ? .goodbye(byPeer: byPeer) : .alert(number, byPeer: byPeer)
        } else if place & Self.finished != 0 {
            self = .done
        } else if value <= 0 {
            self = .paused
        } else {
            return nil
        }
    }
}
