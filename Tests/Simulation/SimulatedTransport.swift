import BridgeServer

/// The transport that the channels of a simulated daemon write to.
@MainActor final class SimulatedTransport: ChannelTransport {
    weak var daemon: SimulatedDaemon?
    private var writers: [SimulatedConnection] = []
    /// How many bytes wait on all channels.
    private(set) var waitingBytes = 0

    func takeWriters() -> [SimulatedConnection] {
        defer { writers = [] }
        return writers
    }

    nonisolated func writeAfterRound(_ id: ConnectionID) {
        MainActor.assumeIsolated {
            if let connection = daemon?.connection(id) { writers.append(connection) }
        }
    }

    nonisolated func count(_ bytes: Int) { MainActor.assumeIsolated { waitingBytes += bytes } }

    nonisolated func close(_ id: ConnectionID, _ code: CloseCode, _ reason: String) {
        MainActor.assumeIsolated {
            guard let connection = daemon?.connection(id), connection.pendingClose == nil else { return }
            connection.pendingClose = code
            writers.append(connection)
        }
    }
}
