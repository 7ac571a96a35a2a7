import ArgumentParser
import BridgeProcesses
import BridgeProtocol
import BridgeTesting
import BridgeTraffic
import EmulatedApp
import Foundation

/// The time that `bridged test` has for all flows.
struct RunLimit: ExpressibleByArgument {
    static let usual = RunLimit(time: .seconds(600), text: "10m")

    let time: Duration
    /// The time as it was given.
    let text: String

    private init(time: Duration, text: String) { (self.time, self.text) = (time, text) }

    init?(argument: String) {
        guard let time = Duration(argument), time > .zero else { return nil }
        self.init(time: time, text: argument)
    }

    var defaultValueDescription: String { text }
}

/// A flow in one browser and with one framework.
@MainActor struct FlowRun {
    let flow: Flow
    private let engine: TestBrowser
    private let framework: Framework?
    private let app: String?
    private let binary: String?
    private let runner: FlowRunner?
    private var isLeftOut = false
    private let body: @MainActor () async -> FlowResult

    /// - Parameter app: the name of the app whose own Swift runs; nil for the emulated app.
    init(
        _ flow: Flow, in engine: TestBrowser, with framework: Framework?, app: String? = nil,
        body: @escaping @MainActor () async -> FlowResult
    ) {
        (self.flow, self.engine, self.framework, self.app, self.body) = (flow, engine, framework, app, body)
        (runner, binary) = (nil, nil)
    }

    /// Makes a run that is left out.
    init(
        _ flow: Flow, in engine: TestBrowser, with framework: Framework?, binary: String? = nil, leftOut reason: String
    ) {
        (self.flow, self.engine, self.framework, self.binary) = (flow, engine, framework, binary)
        (runner, app) = (nil, nil)
        var result = FlowResult(flow: flow, engine: engine, framework: framework, duration: .zero)
        (result.binary, result.skipped) = (binary, reason)
        body = { [result] in result }
        isLeftOut = true
    }

    /// - Parameter binary: the name of the app's build; nil if none was named.
    init(
        _ flow: Flow, in engine: TestBrowser, with framework: Framework?, binary: String?, runner: FlowRunner
    ) {
        (self.flow, self.engine, self.framework, self.runner) = (flow, engine, framework, runner)
        (app, self.binary) = (nil, binary)
        body = { await runner.run(flow, in: engine, with: framework, binary: binary) }
    }

    /// Runs the flow, and runs it again if it fails.
    /// - Parameter retries: how often at most.
    fileprivate func result(
        before deadline: ContinuousClock.Instant, of limit: RunLimit, retries: Int
    ) async -> FlowResult {
        if isLeftOut { return await body() }
        var earlier: [FlowResult] = []
        while true {
            var result = await result(within: deadline - .now, of: limit)
            guard result.failure != nil, earlier.count < retries, ContinuousClock.now < deadline else {
                result.duration += earlier.reduce(.zero) { $0 + $1.duration }
                result.earlier = earlier
                return result
            }
            await runner?.closeFailed()
            earlier.append(result)
        }
    }

    /// - Parameter left: how much of the whole time is left.
    private func result(within left: Duration, of limit: RunLimit) async -> FlowResult {
        let start = ContinuousClock.now
        if left > .zero, let result = try? await BridgeTesting.result(within: left, of: body) { return result }
        // What the runner knows is about this flow only if it began.
        let runner = left > .zero ? runner : nil
        let step = runner?.currentStep
        let waited = step.map { "it still waited for \(flow.place(ofStep: $0.number))" }
        let found = waited ?? "it still waited for the daemon, the browser or the app"
        var result = FlowResult(
            flow: flow, engine: engine, framework: framework, app: app,
            failure: FlowFailure(
                step: step, expected: "the run to end within \(limit.text) (--timeout)",
                found: left > .zero ? found : "it did not begin",
                records: runner?.latestRecords ?? []),
            duration: ContinuousClock.now - start)
        result.hasBegun = left > .zero
        result.binary = binary
        return result
    }
}

extension FlowReporter {
    /// Runs flows, and prints each result as soon as those before it are printed.
    /// - Parameters:
    ///   - jobs: how many flows run at once.
    ///   - retries: how often a flow that fails runs again; nil for what the flow says.
    ///   - stopsAtFailure: whether no flow begins after one that fails.
    /// - Returns: the results, in the order of the runs.
    @MainActor func report(
        _ runs: [FlowRun], _ limit: RunLimit, atOnce jobs: Int, retries: Int?, stopsAtFailure: Bool = false
    ) async -> [FlowResult] {
        let timer = RunLimit.endProcess(after: limit)
        defer { timer.cancel() }
        let deadline = ContinuousClock.now + limit.time
        Terminal.print(beginning(count: runs.count), terminator: "")
        var results: [FlowResult?] = []
        var printed: [FlowResult] = []
        await withTaskGroup(of: (index: Int, result: FlowResult).self) { group in
            func begin() {
                guard results.count < runs.count else { return }
                let (index, run) = (results.count, runs[results.count])
                results.append(nil)
                group.addTask {
                    (index, await run.result(before: deadline, of: limit, retries: retries ?? run.flow.retries))
                }
            }
            for _ in 0..<jobs { begin() }
            while let (index, result) = await group.next() {
                results[index] = result
                while printed.count < results.count, let next = results[printed.count] {
                    printed.append(next)
                    Terminal.print(text(next, number: printed.count), terminator: "")
                }
                if !stopsAtFailure || results.allSatisfy({ $0?.failure == nil }) { begin() }
            }
        }
        Terminal.print(end(printed), terminator: "")
        return printed
    }
}

extension RunLimit {
    /// Ends the process soon after the limit, even if the main thread does not go on.
    /// - Returns: what has to be cancelled after the runs.
    fileprivate static func endProcess(after limit: RunLimit) -> DispatchWorkItem {
        let item = DispatchWorkItem {
            Terminal.printError("error: bridged test hung, and ended after \(limit.text) (--timeout).")
            _exit(1)
        }
        DispatchQueue.global().asyncAfter(
            deadline: .now() + DispatchTimeInterval(limit.time) + .seconds(15), execute: item)
        return item
    }
}
