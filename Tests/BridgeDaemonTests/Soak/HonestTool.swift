import BridgeProtocol
import Synchronization
import TestSupport

/// A tool that evaluates one script after the other in an `HonestPage`.
final class HonestTool: Sendable {
    private let client: ControlClient
    private let page: String
    private let outcome = Mutex((delays: [Delay](), mistakes: [String](), isDone: false))

    var isDone: Bool { outcome.withLock { $0.isDone } }
    var delays: [Delay] { outcome.withLock { $0.delays } }
    var mistakes: [String] { outcome.withLock { $0.mistakes } }

    init(_ daemon: Listening, page: String) throws {
        client = try ControlClient(port: daemon.port, discoveryFile: daemon.discoveryFile)
        self.page = page
    }

    /// Evaluates scripts, each of them once, until a time has come.
    func evaluate(until end: ContinuousClock.Instant) async {
        var number = 0
        while ContinuousClock.now < end {
            number += 1
            let start = ContinuousClock.now
            let outcome: String
            do {
                let result = try await client.call("script.evaluate", #"{"page":"\#(page)","source":"\#(number)"}"#)
                outcome = result["value"]?.wholeNumber == 1 ? "" : "script \(number) ran more than once: \(result)"
            } catch {
                outcome = "script \(number): \(error)"
            }
            let delay = Delay(since: start)
            self.outcome.withLock {
                $0.delays.append(delay)
                if !outcome.isEmpty { $0.mistakes.append(outcome) }
            }
        }
        outcome.withLock { $0.isDone = true }
    }
}
