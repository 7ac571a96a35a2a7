import ArgumentParser
import BridgeBrowsers
import BridgeProtocol
import BridgeServer
import BridgeTesting
import BridgeTraffic
import BridgeYAML
import EmulatedApp
import Foundation
import Logging

/// `bridged test`
struct TestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Run flows: tests of a page's bridge, written in YAML.",
        usage: "bridged test <flow> ... [<options>]",
        discussion: """
            Each flow gets its own daemon on a free port and its own browser without a window. docs/test.md describes the \
            steps.

            Examples:
              bridged test flows/*.yml
              bridged test flows/push.yml --browser chromium --browser firefox --reporter junit > report.xml
              bridged test flows/push.yml --framework ios,android
              bridged test flows/ --binary app-1.0.yml,app-2.0.yml
              bridged test flows/push.yml --in webkit,chromium
              bridged test flows/ --app MyApp.xcodeproj --url http://localhost:3000 --in webkit
              bridged test --record flows/push.yml

            Exit codes: 0 every flow passed, 1 a flow failed, 64 a mistake in the arguments or in a flow.
            """)

    @Argument(help: ArgumentHelp("Files with flows, or folders with such files.", valueName: "flow"))
    var flows: [String] = []

    @Option(
        help: ArgumentHelp(
            "chromium, firefox or webKitGTK, for pages with the script tag; may be repeated. (default: chromium)"))
    var browser: [Browser.Engine] = []

    @Option(
        name: .customLong("in"),
        help: ArgumentHelp(
            "webkit, chromium or firefox, or several with commas: bridged drives the browser, and pages need no tag.",
            valueName: "engines"))
    var driven: String?

    @Option(help: "pretty, tap or junit.")
    var reporter = FlowReporter.pretty

    @Option(
        help: ArgumentHelp(
            "Keep each flow's traffic in this folder, as FLOW-BROWSER.ndjson, or FLOW-BROWSER-FRAMEWORK.ndjson.",
            valueName: "folder"))
    var keepLog: String?

    @Option(
        help: ArgumentHelp(
            "End the whole run after this time, and say what it waited for. The exit code is 1 then.",
            valueName: "time"))
    var timeout = RunLimit.usual

    @Option(help: "Write a trace for each flow: on, off or failures. bridged trace show opens it.")
    var trace = TraceMode.failures

    @Option(help: ArgumentHelp("The folder for traces, as FLOW-BROWSER.html.", valueName: "folder"))
    var traceFolder = TraceFolder.usualPath

    @Option(
        help: ArgumentHelp(
            "Serve until Ctrl-C, and then write what you did as a flow to this file.", valueName: "flow"))
    var record: String?

    @Option(
        help: ArgumentHelp(
            "Run an iOS app's own Swift: see bridged run --help. With --framework, compare it with the emulated app.",
            valueName: "project"))
    var app: String?

    @OptionGroup(title: "Options of the app of --app") var appOptions: AppOptions

    @OptionGroup(title: "Options of the daemons") var options: ServeOptions

    private func drivenEngines() throws -> [BrowserEngine] {
        try (driven ?? "").split(separator: ",").map { name in
            guard let engine = BrowserEngine(rawValue: name.lowercased()) else {
                throw ValidationError(
                    "\(TerminalText.escape(String(name))) is no engine: use webkit, chromium or firefox.")
            }
            return engine
        }
    }

    /// Says that an option would have no effect, and what has the one that was meant.
    private var uselessOption: String? {
        if record == nil, options.log.isGiven {
            return "Each flow has a traffic of its own, and --log names one file: give a folder with --keep-log."
        }
        if options.json { return "--json is an option of bridged serve: choose the results' format with --reporter." }
        if options.verbose, app == nil { return "--verbose belongs to --app, whose build and output it shows." }
        if trace == .off, traceFolder != TraceFolder.usualPath {
            return "--trace-folder has no effect with --trace off: leave one of them out."
        }
        guard record != nil else { return nil }
        let useless: [(String, Bool, String)] = [
            ("--browser", !browser.isEmpty, "open the page in any browser, or name one with --in"),
            ("--reporter", reporter != .pretty, "a recording has no results"),
            ("--keep-log", keepLog != nil, "write the traffic to a file with --log"),
            ("--trace", trace != .failures, "a recording has no trace"),
            ("--trace-folder", traceFolder != TraceFolder.usualPath, "a recording has no trace"),
            ("--timeout", timeout.text != RunLimit.usual.text, "a recording ends with Ctrl-C"),
        ]
        return useless.first { $0.1 }.map { "\($0.0) has no effect with --record: \($0.2)." }
    }

    func validate() throws {
        _ = try drivenEngines()
        guard flows.isEmpty == (record != nil) else {
            throw ValidationError(
                record == nil ? "Name a flow: bridged test flows/push.yml" : "Give flows to run, or --record, not both."
            )
        }
        if let mistake = uselessOption { throw ValidationError(mistake) }
        let configuration = try MainActor.assumeIsolated { try ServeConfiguration.checked(options) }
        let binaries = configuration?.binaryCount ?? 0
        guard binaries <= 1 || record == nil else {
            throw ValidationError("--record writes what you do with one app: give one binary.")
        }
        guard binaries == 0 || app == nil else {
            throw ValidationError("--binary is for the emulated app: leave it out, or --app.")
        }
        guard let app else {
            guard !appOptions.isGiven else {
                throw ValidationError("--url, --origin, --target and --package belong to --app, which names the app.")
            }
            return
        }
        guard browser.isEmpty, record == nil else {
            throw ValidationError(
                "\(TerminalText.escape(app)) opens its own web views: leave out --browser and --record.")
        }
        let ofEmulatedApp = configuration?.flags.first { !["port", "verbose", "framework"].contains($0) }
        if let ofEmulatedApp, !options.framework.contains(where: \.isGiven) {
            throw ValidationError(
                "--\(ofEmulatedApp) is for the emulated app, and \(TerminalText.escape(app)) is an app's own Swift: add "
                    + "--framework to compare them, or leave it out.")
        }
    }

    func run() throws {
        LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }
        try MainActor.assumeIsolated {
            let configurations = try ServeConfiguration.all(options)
            let engines = try drivenEngines()
            if let record {
                return try FlowRecording(
                    path: record, configuration: configurations[0], engines: engines,
                    arguments: RecordedOptions(CommandLine.arguments).shared
                ).run()
            }
            for configuration in configurations { try configuration.checkPathConfiguration() }
            let flows = try flows.flatMap(FlowFiles.paths).map { try Flow(YAMLFile(path: $0)) }
            for flow in flows { try check(flow, configurations) }
            if let app {
                let tests = try AppFlows(
                    flows: flows, engines: engines, project: app, command: self, configuration: configurations[0])
                Task { Foundation.exit(await tests.run() ? 0 : 1) }
            } else {
                let browsers = browser.map(TestBrowser.attached) + engines.map(TestBrowser.driven)
                Task {
                    let passed = await test(
                        flows, configurations, in: browsers.isEmpty ? [.attached(.chromium)] : browsers)
                    Foundation.exit(passed ? 0 : 1)
                }
            }
            dispatchMain()
        }
    }

    /// - Returns: whether every flow passed.
    @MainActor private func test(
        _ flows: [Flow], _ configurations: [ServeConfiguration], in engines: [TestBrowser]
    ) async -> Bool {
        let apps = configurations.map { ($0, runner($0)) }
        var runs: [FlowRun] = []
        var androidInWebKit: [FlowRun] = []
        for flow in flows {
            for engine in engines {
                for (configuration, runner) in apps {
                    for framework in frameworks(of: flow, configuration) {
                        let run = FlowRun(
                            flow, in: engine, with: framework, binary: configuration.binary?.name, runner: runner)
                        let platform = (framework ?? configuration.frameworks[0]).platform
                        if engine == .driven(.webkit), platform == .android {
                            androidInWebKit.append(run)
                        } else {
                            runs.append(run)
                        }
                    }
                }
            }
        }
        // Alone, such a run says why it fails.
        guard !runs.isEmpty else { return await reporter.report(androidInWebKit, timeout) }
        noteLeftOut(androidInWebKit.count)
        return await reporter.report(runs, timeout)
    }

    /// Says that runs with Android in driven WebKit, which has no interface objects, are left out.
    @MainActor private func noteLeftOut(_ count: Int) {
        guard count > 0 else { return }
        let (runs, are) = count == 1 ? ("1 run", "is") : ("\(count) runs", "are")
        Terminal.printError(
            "note: \(runs) with Android in driven WebKit \(are) left out: it has no interface objects "
                + "(addJavascriptInterface). Chromium and Firefox have them.")
    }

    /// Rejects a flow for which there is no build.
    @MainActor private func check(_ flow: Flow, _ configurations: [ServeConfiguration]) throws {
        guard configurations.allSatisfy({ frameworks(of: flow, $0).isEmpty }) else { return }
        let builds = configurations.compactMap { configuration in
            configuration.binary.map { "\($0.name) has \(configuration.frameworks[0].name)" }
        }
        throw CommandFailure(
            "\(flow.file) is for \(flow.frameworks.map(\.name).joined(separator: ", ")), and of the builds "
                + "\(builds.joined(separator: ", ")). Leave out the flow's framework, or add a build.", .usage)
    }

    /// Runs flows with the emulated app.
    @MainActor func runner(_ configuration: ServeConfiguration) -> FlowRunner {
        FlowRunner(traces: TraceFolder(trace, path: traceFolder)) { flow, engine, framework in
            var configuration = configuration
            if !options.port.isGiven { configuration.server.port = 0 }
            configuration.server.logPath = try logPath(flow, engine, framework, configuration.binary?.name)
            let server = try configuration.makeServer()
            let app = try await BridgedApp(
                engine, server: server, emulatedApp: try configuration.makeApp(server, with: framework))
            app.baseURL = appOptions.url.map(Origin.of)
            return app
        }
    }

    /// The releases that a flow runs in: those that it names, or else those of the settings. Nil for the only one of the
    /// settings, which results need not name. A build has its own release; a flow that names others does not run with it.
    @MainActor private func frameworks(of flow: Flow, _ configuration: ServeConfiguration) -> [Framework?] {
        if configuration.binary?.members["framework"] != nil {
            return flow.frameworks.isEmpty || flow.frameworks.contains(configuration.frameworks[0]) ? [nil] : []
        }
        guard flow.frameworks.isEmpty else { return flow.frameworks }
        return configuration.frameworks.count == 1 ? [nil] : configuration.frameworks
    }

    func logPath(
        _ flow: Flow, _ engine: TestBrowser, _ framework: Framework? = nil, _ binary: String? = nil
    ) throws -> String? {
        guard let keepLog else { return nil }
        try FileManager.default.createDirectory(atPath: keepLog, withIntermediateDirectories: true)
        return "\(keepLog)/\(flow.fileName(in: engine, with: framework, binary)).ndjson"
    }
}
