import BridgeProtocol
import Foundation

/// The trace of a test in Swift that fails. Its steps are the calls that the test makes, and its end.
@MainActor final class TraceOfTest {
    /// `BRIDGED_TRACES` names a folder, or is `off`.
    static let folder: TraceFolder? = {
        let path = ProcessInfo.processInfo.environment["BRIDGED_TRACES"] ?? TraceFolder.usualPath
        return path == "off" ? nil : TraceFolder(.failures, path: path)
    }()

    private let recorder: TraceRecorder
    /// The test's function.
    private let test: String
    /// What each call expected.
    private var calls: [String] = []
    /// Whether a call is in progress. The calls within it, and those at the same time, are no steps.
    private var isInCall = false

    /// - Returns: nil if the user wants no traces.
    init?(_ app: BridgedApp, test: String, limits: TraceLimits = TraceLimits()) async {
        guard TraceOfTest.folder != nil else { return nil }
        recorder = TraceRecorder(app, limits: limits)
        self.test = test
        await recorder.start()
    }

    // MARK: Calls

    /// A call of the test.
    struct Call {
        fileprivate let trace: TraceOfTest
        fileprivate let expected: String
        fileprivate let start = Timestamp.now
        fileprivate let begin = ContinuousClock.now

        @MainActor func end() { trace.ended(self) }
    }

    /// - Parameter expected: what the call expects.
    /// - Returns: the call; nil if it is no step.
    func callBegins(_ expected: String) -> Call? {
        guard !isInCall else { return nil }
        isInCall = true
        return Call(trace: self, expected: expected)
    }

    private func ended(_ call: Call) {
        isInCall = false
        let isRepeated = call.expected == calls.last
        if !isRepeated { calls.append(call.expected) }
        let duration = ContinuousClock.now - call.begin
        if recorder.called(call.start, duration, isRepeated: isRepeated) { calls.removeFirst() }
    }

    // MARK: Writing

    /// Writes the trace of a test that failed, and says on standard error how to see it.
    func write(_ error: any Error) async {
        let failure = error as? BridgedAppFailure
        await write(expected: failure?.expected ?? "the test to pass", found: failure?.found ?? "\(error)")
    }

    /// Writes the trace if an expectation of the test failed, which `.bridgedTraffic` has noted.
    func writeIfAnExpectationFailed() async {
        guard let issue = recorder.app.latestIssue.withLock({ $0 }) else { return }
        await write(expected: "the test to pass", found: issue)
    }

    private func write(expected: String, found: String) async {
        await recorder.ended(.now, .zero)
        let steps = calls.map { "expect \($0)" } + ["end of \(test)"]
        let trace = recorder.trace(
            name: test, file: nil, framework: nil, steps: steps.map { (nil, nil, $0) },
            failure: Trace.Failure(step: steps.count, expected: expected, found: found))
        let name = "\(test.prefix { $0 != "(" })-\(recorder.app.engine)"
        let file = TraceOfTest.folder?.write(trace, as: name, recorder.app.server.traffic.withoutTokens)
        guard let text = file?.text else { return }
        FileHandle.standardError.write(Data("bridged: The trace of \(test): \(text)\n".utf8))
    }
}
