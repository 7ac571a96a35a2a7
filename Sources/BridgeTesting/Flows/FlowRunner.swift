import BridgeProtocol
import BridgeServer
public import BridgeTraffic
public import EmulatedApp
import Foundation

/// Runs flows, each with its own daemon, and with a browser that knows nothing of other flows.
@MainActor public struct FlowRunner {
    /// Starts the app for one flow in one browser. The framework is nil if there is only one.
    public typealias MakeApp = @MainActor (Flow, TestBrowser, Framework?) async throws -> BridgedApp

    private let makeApp: MakeApp
    private let traces: TraceFolder?
    private let keepsFailed: Bool
    private let progress = FlowProgress()

    /// The step that runs, for a run that has to end before its flow does.
    public var currentStep: FlowFailure.Place? { progress.step }
    /// The latest records of the flow that runs.
    public var latestRecords: [TrafficRecord] {
        (progress.app?.latestRecords.all ?? []).compactMap { progress.secrets.removed(from: $0) }
    }

    /// - Parameters:
    ///   - traces: the folder for traces of flows; nil for none.
    ///   - keepsFailed: whether the app and its browser stay open after a failure, until ``closeFailed()``.
    public init(traces: TraceFolder? = nil, keepsFailed: Bool = false, makeApp: @escaping MakeApp) {
        (self.makeApp, self.keepsFailed) = (makeApp, keepsFailed)
        self.traces = traces?.mode == .off ? nil : traces
    }

    /// A runner with the same apps and traces for a flow that runs at the same time as others.
    public var separate: FlowRunner { FlowRunner(traces: traces, keepsFailed: keepsFailed, makeApp: makeApp) }

    /// Runs a flow's steps until one fails.
    /// - Parameter binary: the name of the app's build. If it is not nil, the result has what the build lacks.
    public func run(
        _ flow: Flow, in engine: TestBrowser, with framework: Framework? = nil, binary: String? = nil
    ) async -> FlowResult {
        let started = ContinuousClock.now
        var result = FlowResult(flow: flow, engine: engine, framework: framework, failure: nil, duration: .zero)
        result.binary = binary
        do {
            progress.secrets = flow.secrets
            defer { progress.end() }
            let app = try await makeApp(flow, engine, framework)
            progress.app = app
            app.form = .flow
            app.emulatedApp?.declare(flow.components)
            let history = FlowHistory(app.server)
            app.onNote = { history.notes.append("step \(history.step): \($0)") }
            let recorder = traces.map { _ in TraceRecorder(app) }
            let failures = await runSteps(of: flow, app, history, recorder)
            (result.failure, result.laterFailures) = (failures.first, Array(failures.dropFirst()))
            if binary != nil { result.findings = await FlowRunner.findings(of: app) }
            (result.navigations, result.events) = (history.navigations, history.events)
            result.notes = history.notes
            result.removeSecrets()
            result.trace = recorder.flatMap { traces?.write($0, of: result) }
            if result.failure != nil, keepsFailed {
                progress.failed = app
            } else {
                // A failure may be the browser's.
                await app.close(keepsBrowser: result.failure == nil)
            }
        } catch {
            result.failure = FlowFailure(step: nil, expected: "a daemon and a browser", found: "\(error)", records: [])
            result.removeSecrets()
        }
        result.duration = ContinuousClock.now - started
        return result
    }

    /// Closes the app of the latest run that failed.
    public func closeFailed() async {
        await progress.failed?.close()
        progress.failed = nil
    }

    /// Records what a person does in the app of the latest run that failed, while that stays open.
    /// - Parameter noted: is called with each step, as YAML.
    /// - Returns: nil if no app stays open. The recorder records as long as it lives.
    public func recordFailed(noted: @escaping @MainActor (String) -> Void) -> FlowRecorder? {
        progress.failed.map { FlowRecorder($0.server, $0.emulatedApp, noted: noted) }
    }

    /// What the server offered so far and the app's build lacks, in the order in which it was found.
    private static func findings(of app: BridgedApp) async -> [String] {
        await app.receivePosts()
        let problems = app.server.traffic.query(TrafficFilter([.init(.kind, "problem")]), limit: .max).records
        return problems.reduce(into: []) { findings, record in
            guard EmulatedApp.codesOfBinaryFindings.contains(record.json["code"]?.string ?? ""),
                let text = record.json["text"]?.string, !findings.contains(text)
            else { return }
            findings.append(text)
        }
    }

    private func runSteps(
        of flow: Flow, _ app: BridgedApp, _ history: FlowHistory, _ recorder: TraceRecorder?
    ) async -> [FlowFailure] {
        await recorder?.start()
        var failures: [FlowFailure] = []
        var positions: [Int] = []
        for (position, step) in flow.steps.enumerated() {
            guard failures.isEmpty || flow.cleansUp(step, after: failures, positions) else { continue }
            positions.append(position)
            history.step = position + 1
            let place = FlowFailure.Place(number: position + 1, line: step.line, text: step.text)
            progress.step = place
            let (start, begin) = (Timestamp.now, ContinuousClock.now)
            let failure = await run(step, at: place, isLast: position == flow.steps.count - 1, app)
            recorder?.skip(to: position)
            await recorder?.ended(start, ContinuousClock.now - begin)
            if let failure { failures.append(failure) }
        }
        return failures
    }

    private func run(
        _ step: Flow.Step, at place: FlowFailure.Place, isLast: Bool, _ app: BridgedApp
    ) async -> FlowFailure? {
        do {
            try await StepRunner(app: app, timeout: step.timeout).run(step.action)
            // Some steps do not look for dialogs, and after the last step nothing else would.
            try app.failOnDialog("no dialog that nobody answers")
            if isLast, app.server.cassette != nil { await app.receivePosts() }
            try app.failOnMissingInCassette()
            return nil
        } catch let failure as BridgedAppFailure {
            // A step often fails because the cassette did not answer.
            let failure = app.takeMissingInCassette() ?? failure
            let form = step.action.mayFollowFromForm ? await RefusedForm.explanation(in: app) : nil
            return FlowFailure(
                step: place, expected: failure.expected, found: failure.found + (form.map { "; \($0)" } ?? ""),
                records: failure.records)
        } catch {
            return FlowFailure(
                step: place, expected: "the step to succeed", found: "\(error)", records: app.latestRecords.all)
        }
    }
}

extension Flow {
    /// Whether a step runs in spite of failures: it cleans up after a step that ran, and no step of the same list failed.
    /// - Parameter positions: those of the steps that ran.
    func cleansUp(_ step: Step, after failures: [FlowFailure], _ positions: [Int]) -> Bool {
        guard let cleanup = step.origin.cleanup, positions.contains(cleanup.first) else { return false }
        return !failures.contains { failure in
            failure.step.map { steps[$0.number - 1].origin.cleanup == cleanup } ?? false
        }
    }
}

/// What a runner does now.
@MainActor private final class FlowProgress {
    var app: BridgedApp?
    var failed: BridgedApp?
    var step: FlowFailure.Place?
    var secrets = FlowSecrets()

    func end() { (app, step) = (nil, nil) }
}
