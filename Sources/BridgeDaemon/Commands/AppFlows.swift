import BridgeBrowsers
import BridgeProcesses
import BridgeProtocol
import BridgeTesting
import BridgeTraffic
import EmulatedApp
import Foundation

/// The flows of `bridged test --app`: each runs in a process of its own, which is the app.
@MainActor struct AppFlows {
    let flows: [Flow]
    let engines: [BrowserEngine]
    let command: TestCommand
    /// The app's executable.
    private let executable: URL
    /// What the app finds in its environment, beside what belongs to each flow.
    private let environment: [String: String]
    /// The emulated apps to compare with.
    private let frameworks: [Framework]
    private let emulated: FlowRunner
    /// It chooses the names of the traces, which the app's processes write.
    private let traces: TraceFolder
    private let logs = LogFolder()

    /// Builds the app.
    init(
        flows: [Flow], project: String, command: TestCommand, configuration: ServeConfiguration
    ) throws {
        let (built, origins) = try command.appOptions.build(project, isVerbose: command.options.verbose)
        (self.flows, self.command) = (flows, command)
        frameworks = command.options.framework.contains(where: \.isGiven) ? configuration.frameworks : []
        engines = (command.browsers ?? .usual).driven
        emulated = command.runner(configuration)
        traces = TraceFolder(command.trace, path: command.traceFolder)
        executable = built.executable
        environment = command.appOptions.environment(of: built, origins, on: configuration.phone)
    }

    /// Runs each flow in each engine, and prints the results.
    /// - Returns: whether every flow passed.
    func run() async -> Bool {
        var runs: [FlowRun] = []
        for flow in flows {
            for engine in engines {
                for framework in [nil] + frameworks {
                    runs.append(
                        FlowRun(flow, in: .driven(engine), with: framework, app: framework == nil ? name : nil) {
                            await run(flow, in: engine, with: framework)
                        })
                }
            }
        }
        return await command.report(runs).allSatisfy { $0.failure == nil }
    }

    /// - Parameter framework: nil for the real app.
    private func run(_ flow: Flow, in engine: BrowserEngine, with framework: Framework?) async -> FlowResult {
        guard let framework else { return await run(flow, in: engine) }
        return await emulated.run(flow, in: .driven(engine), with: framework)
    }

    private var name: String { executable.deletingPathExtension().lastPathComponent }

    private func run(_ flow: Flow, in engine: BrowserEngine) async -> FlowResult {
        let started = ContinuousClock.now
        do {
            let folder = try FileManager.default.makeTemporaryFolder("bridged-flow")
            defer { try? FileManager.default.removeItem(at: folder) }
            let output = folder.appendingPathComponent("output")
            let file = folder.appendingPathComponent("result.json")
            let home = AppHome(folder: folder.appendingPathComponent("home", isDirectory: true))
            let process = try start(flow, engine, in: home, result: file, output: output)
            let status = await process.end(within: AppFlows.limit(of: flow))
            guard FileManager.default.fileExists(atPath: file.path) else {
                return failed(flow, engine, started, explain(status, output))
            }
            return try HostedFlowResult(contentsOf: file).result(of: flow, in: .driven(engine), app: name)
        } catch {
            return failed(flow, engine, started, "\(error)")
        }
    }

    private func start(
        _ flow: Flow, _ engine: BrowserEngine, in home: AppHome, result: URL, output: URL
    ) throws -> ChildProcess {
        try home.make()
        let hosted = HostedFlow(
            flow, in: engine, variables: command.selection.variables, result: result, traces: command.trace,
            traceFolder: command.traceFolder, traceName: traces.unused(flow.fileName(in: .driven(engine), with: nil)))
        var environment = environment
        environment[HostedFlow.variable] = try hosted.environmentValue()
        environment["BRIDGED_PORT"] = command.options.port.texts.first ?? "0"
        environment["BRIDGED_SHOWS_TRAFFIC"] = "1"
        // The app starts the browser.
        environment["PATH"] = Executables.pathWithOwnFolder
        environment["BRIDGED_LOG"] = try command.logPath(flow, .driven(engine)).map { try logs.clear($0, for: flow) }
        _ = FileManager.default.createFile(atPath: output.path, contents: nil)
        environment.merge(home.environment) { $1 }
        environment.merge(CrashReason.environment(environment)) { $1 }
        let stream: ChildProcess.Stream =
            try command.options.verbose ? .standardError : .file(FileHandle(forWritingTo: output))
        return try ChildProcess(executable, environment: environment, output: stream, errors: stream)
    }

    // MARK: An app that does not answer

    /// How long a flow may take, with a minute for the browser. The app itself ends steps that take too long.
    private static func limit(of flow: Flow) -> Duration {
        flow.steps.reduce(.seconds(60)) { $0 + ($1.timeout ?? .seconds(30)) }
    }

    /// Says how the app ended, and prints the last lines that it wrote.
    private func explain(_ status: Int32?, _ output: URL) -> String {
        let end = status.map { "the app ended with \($0) before the flow did" } ?? "the app hung and was ended"
        guard !command.options.verbose else { return end }
        let text = (try? String(contentsOf: output, encoding: .utf8)) ?? ""
        if let reason = CrashReason(text) { return "the app crashed: \(reason.text)" }
        let lines = text.split(whereSeparator: \.isNewline).suffix(15)
        for line in lines { Terminal.printError("  " + TerminalText.escape(String(line))) }
        return "\(end); it wrote \(lines.isEmpty ? "nothing" : "the lines above")"
    }

    private func failed(
        _ flow: Flow, _ engine: BrowserEngine, _ started: ContinuousClock.Instant, _ found: String
    ) -> FlowResult {
        FlowResult(
            flow: flow, engine: .driven(engine), app: name,
            failure: FlowFailure(expected: "the app to run the flow", found: found),
            duration: ContinuousClock.now - started)
    }
}

extension ChildProcess {
    /// Waits until the process has ended, and ends it after a limit.
    /// - Returns: its status; nil if it had to be ended.
    fileprivate func end(within limit: Duration) async -> Int32? {
        let (ends, end) = AsyncStream.makeStream(of: Bool.self)
        whenEnded { _ in end.yield(true) }
        let timer = Task {
            guard (try? await Task.sleep(for: limit)) != nil else { return }
            end.yield(false)
        }
        defer { timer.cancel() }
        for await hasEnded in ends {
            if hasEnded { return waitForEnd().status }
            break
        }
        self.end()
        return nil
    }
}
