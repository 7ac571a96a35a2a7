import BridgeProtocol
import Synchronization
import TestSupport

/// A tool that evaluates one script after the other in a page that answers with the number of its evaluations.
final class HonestTool: Sendable {
    private let client: ControlClient
    private let page: String
    private let outcome = Mutex((delays: [Double](), mistakes: [String]()))

    var delays: [Double] { outcome.withLock { $0.delays } }
    var mistakes: [String] { outcome.withLock { $0.mistakes } }

    init(_ daemon: Listening, page: String) throws {
        client = try ControlClient(port: daemon.port, discoveryFile: daemon.discoveryFile)
        self.page = page
    }

    func evaluate(until end: ContinuousClock.Instant) async throws {
        var expected = 0
        while ContinuousClock.now < end {
            expected += 1
            let start = ContinuousClock.now
            let result = try await client.call("script.evaluate", #"{"page":"\#(page)","source":"\#(expected)"}"#)
            let delay = (ContinuousClock.now - start) / .milliseconds(1)
            outcome.withLock {
                $0.delays.append(delay)
                if result["value"]?.wholeNumber != expected { $0.mistakes.append("\(result) instead of \(expected)") }
            }
        }
    }
}
