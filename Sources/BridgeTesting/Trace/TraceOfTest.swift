import BridgeProtocol
import Foundation
import Synchronization

/// The trace of a test in Swift that fails. Its only step is the whole test.
@MainActor struct TraceOfTest {
    /// `BRIDGED_TRACES` names a folder, or is `off`.
    static let folder: TraceFolder? = {
        let path = ProcessInfo.processInfo.environment["BRIDGED_TRACES"] ?? TraceFolder.usualPath
        return path == "off" ? nil : TraceFolder(.failures, path: path)
    }()

    private let recorder: TraceRecorder
    /// The test's function.
    private let test: String
    private let start = Timestamp.now
    private let begin = ContinuousClock.now

    /// - Returns: nil if the user wants no traces.
    init?(_ app: BridgedApp, test: String) async {
        guard TraceOfTest.folder != nil else { return nil }
        recorder = TraceRecorder(app)
        self.test = test
        await recorder.start()
    }

    /// Writes the trace of a test that failed, and says on standard error how to see it.
    func write(_ error: any Error) async {
        let failure = error as? BridgedAppFailure
        await write(expected: failure?.expected ?? "the test to pass", found: failure?.found ?? "\(error)")
    }

    private func write(expected: String, found: String) async {
        await recorder.ended(start, ContinuousClock.now - begin)
        let trace = recorder.trace(
            name: test, file: nil, framework: nil, steps: [(nil, "test \(test)")],
            failure: Trace.Failure(step: 1, expected: expected, found: found))
        let name = "\(test.prefix { $0 != "(" })-\(recorder.app.engine)"
        let file = TraceOfTest.folder?.write(trace, as: name, recorder.app.server.traffic.withoutTokens)
        guard let text = file?.text else { return }
        FileHandle.standardError.write(Data("bridged: The trace of \(test): \(text)\n".utf8))
    }

    /// Writes the trace if an expectation of the test failed, which `.bridgedTraffic` has noted.
    func writeIfAnExpectationFailed() async {
        guard let issue = recorder.app.latestIssue.withLock({ $0 }) else { return }
        await write(expected: "the test to pass", found: issue)
    }
}
