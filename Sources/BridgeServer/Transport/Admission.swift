import BridgeProtocol

/// Counts connections, in total and per address, and refuses those beyond the limits. This type does no I/O.
struct Admission {
    private let limits: BridgeServer.Configuration.Limits
    private var total = 0
    private var counts: [PeerAddress: Int] = [:]

    init(limits: BridgeServer.Configuration.Limits) { self.limits = limits }

    /// Checks whether one more connection from this address is allowed. Returns the refusal, or nil to accept it.
    func refusal(of address: PeerAddress) -> Refusal? {
        if total >= limits.connections {
            return Refusal(
                code: .tooManyConnections,
                text: "A connection from \(address.text) was refused: all \(total) connections are in use.",
                hint:
                    "Close pages that you no longer need, or start the daemon with a higher \(setting("max-connections", "limits.connections"))."
            )
        }
        let limit = limits.connectionsPerAddress ?? limits.connections
        guard counts[address, default: 0] >= limit else { return nil }
        return Refusal(
            code: .tooManyConnections,
            text: "A connection from \(address.text) was refused: this address already has \(limit).",
            hint:
                "Close pages there, or start the daemon with a higher \(setting("max-connections-per-address", "limits.connectionsPerAddress"))."
        )
    }

    mutating func enter(_ address: PeerAddress) {
        total += 1
        counts[address, default: 0] += 1
    }

    mutating func leave(_ address: PeerAddress) {
        total -= 1
        let left = counts[address, default: 0] - 1
        counts[address] = left > 0 ? left : nil
    }
}
