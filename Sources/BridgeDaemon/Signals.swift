import BridgeServer
import Foundation
import UnixSignals

/// Handles the signals that `serve` receives. On the main actor.
@MainActor struct Signals {
    private let server: BridgeServer
    /// The standard streams that are a terminal.
    private let terminals = [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO].filter { isatty($0) == 1 }

    init(_ server: BridgeServer) {
        self.server = server
        // A log that reaches the limit for files (setrlimit, RLIMIT_FSIZE) then fails like one on a full disk.
        signal(SIGXFSZ, SIG_IGN)
    }

    /// The first SIGTERM or SIGINT stops the server cleanly, the second one at once. SIGHUP reopens the log file, for
    /// tools that rotate logs; if it comes from a terminal that was closed, it stops the server.
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
