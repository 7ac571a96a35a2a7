import BridgeServer
import Foundation
import UnixSignals

/// What `serve` does when the system, or somebody, sends it a signal. On the main actor.
@MainActor struct Signals {
    private static let streams = [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]

    private let server: BridgeServer
    /// The standard streams that are a terminal's.
    private let terminals = Signals.streams.filter { isatty($0) == 1 }

    init(_ server: BridgeServer) {
        self.server = server
        // A log that reaches the limit for files (setrlimit, RLIMIT_FSIZE) fails as one on a full disk does.
        signal(SIGXFSZ, SIG_IGN)
    }

    /// The first SIGTERM or SIGINT stops in good order, another one at once. SIGHUP opens the log file again, for tools
    /// that rotate logs; from a terminal that was closed, it stops.
    func follow() async {
        var isStopping = false
        for await signal in await UnixSignalsSequence(trapping: .sigterm, .sigint, .sighup) {
            if signal == .sighup, !hasLostTerminal {
                server.traffic.reopenFiles()
                continue
            }
            if isStopping { Foundation.exit(1) }
            isStopping = true
            Task { await server.stop() }
        }
    }

    private var hasLostTerminal: Bool { terminals.contains { isatty($0) != 1 } }
}
