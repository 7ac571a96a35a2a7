import BridgeProcesses
import Synchronization
import TestSupport

/// Servers that do not answer as bridged does, and commands that ask them, one after the other.
final class FalseDaemons: Sendable {
    private let daemons: [(behaviour: String, daemon: FalseDaemon)]
    private let found = Mutex([String]())

    /// Commands that did not end with exit code 69, "no daemon can be reached".
    var mistakes: [String] { found.withLock { $0 } }

    init(_ behaviours: String...) async throws {
        var daemons: [(String, FalseDaemon)] = []
        for behaviour in behaviours { daemons.append((behaviour, try await FalseDaemon(behaviour))) }
        self.daemons = daemons
    }

    /// Blocks the thread.
    /// - Parameter asked: is called after each command.
    func ask(until stop: @Sendable () -> Bool, _ asked: @Sendable () -> Void) {
        while true {
            for (behaviour, daemon) in daemons {
                if stop() { return }
                let command = ["wait", "--timeout", "0.1", "--url", daemon.url]
                let process = try? Executable.start(command, environment: ["BRIDGED_TOKEN": "t"], output: .null)
                guard let process else { continue }
                let status = process.waitForEnd().shellStatus
                if status != 69 { found.withLock { $0.append("\(behaviour): exit code \(status)") } }
                asked()
            }
        }
    }
}
