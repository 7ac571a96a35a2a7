import BridgeCluster
import BridgeServer
import Foundation
import UnixSignals

/// Handles the signals that `serve` receives.
@MainActor struct Signals {
    private let server: BridgeServer
    private let cluster: Cluster?
    /// The standard streams that were a terminal when the process started.
    private let terminals = [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO].filter { isatty($0) == 1 }

    init(_ server: BridgeServer, _ cluster: Cluster?) {
        self.server = server
        self.cluster = cluster
    }

    /// Returns the signals from now on. They no longer end the process by themselves.
    static func trap() async -> UnixSignalsSequence {
        await UnixSignalsSequence(trapping: .sigterm, .sigint, .sighup)
    }

    /// Handles signals until the process ends. The first SIGTERM or SIGINT stops the server cleanly; the second one
    /// ends the process at once. SIGHUP reopens the log file, for tools that rotate logs. A SIGHUP because the terminal
    /// was closed stops the server.
    func follow(_ signals: UnixSignalsSequence) async {
        var isStopping = false
        for await signal in signals {
            if signal == .sighup, !hasLostTerminal {
                server.traffic.reopenFiles()
                continue
            }
            if isStopping { Foundation.exit(1) }
            isStopping = true
            cluster?.leave()
            Task { await server.stop() }
        }
    }

    private var hasLostTerminal: Bool { terminals.contains { isatty($0) != 1 } }
}
