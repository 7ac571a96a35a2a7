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
            Each flow gets its own daemon on a free port, and a browser without a window that has forgotten all other flows. \
            docs/test.md describes the steps.

            Examples:
              bridged test flows/*.yml
              bridged test flows/push.yml --in chromium,firefox+tag --reporter junit > report.xml
              bridged test flows/push.yml --framework ios,android
              bridged test flows/ --binary app-1.0.yml,app-2.0.yml
              bridged test flows/ --app MyApp.xcodeproj --url http://localhost:3000 --in webkit
              bridged test flows/ --tag smoke --env EMAIL=zoe@example.com
              bridged test flows/push.yml --watch
              bridged test flows/push.yml --on phone
              bridged test --record flows/push.yml

            Exit codes: 0 every flow passed, 1 a flow failed, 64 a mistake in the arguments or in a flow, \
            66 a file cannot be read.
            """)

    @Argument(help: ArgumentHelp("Files with flows, or folders with such files.", valueName: "flow"))
    var flows: [String] = []

    @Option(
        name: .customLong("in"),
        help: ArgumentHelp(
            "Browsers, with commas: webkit, chromium or firefox, which bridged drives; with +tag, as in chromium+tag, for "
                + "pages with the script tag. (default: \(BrowserList.usual); with --record no browser)",
            valueName: "browsers"))
    var browsers: BrowserList?

    @Option(help: .hidden)
    var browser: [String] = []

    @OptionGroup var device: DeviceOptions

    @Option(help: "pretty, tap, junit or json.")
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

    @Option(
        help: ArgumentHelp("Wait this long for a server that is starting, such as 60s.", valueName: "time"))
    var wait: RunLimit?

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

    @Option(
        help: ArgumentHelp(
            "Run on a real app whose pages bridged serve observes: phone, or what bridged devices shows of one of several. "
                + "--url is the daemon's address then.",
            valueName: "device"))
    var on: String?

    @Flag(help: "With --on: wait until you have done what only you can do on the phone, such as to go back.")
    var ask = false

    @OptionGroup(title: "Options that choose flows, and say how they run") var selection: FlowSelection

    @OptionGroup(title: "Options of the app of --app") var appOptions: AppOptions

    @OptionGroup(title: "Options of the daemons") var options: ServeOptions

    /// Whether a browser was named whose pages have the script tag.
    private var usesTag: Bool { browsers.map { $0.driven.count < $0.browsers.count } ?? false }

    /// Says that an option would have no effect, and what has the one that was meant.
    private var uselessOption: String? {
        if record == nil, options.log.isGiven {
            return "Each flow has a traffic of its own, and --log names one file: give a folder with --keep-log."
        }
        if options.json { return "--json is an option of bridged serve: choose the results' format with --reporter." }
        if options.verbose, app == nil { return "--verbose belongs to --app, whose build and output it shows." }
        if let name = browser.first {
            let text = name.lowercased() == "webkitgtk" ? "webkit" : TerminalText.escape(name)
            return "--browser is --in now: write --in \(text)+tag, or --in \(text), whose pages need no tag."
        }
        if usesTag, device.device != nil {
            return "--device is for browsers that bridged drives: leave out +tag, or --device."
        }
        if trace == .off, traceFolder != TraceFolder.usualPath {
            return "--trace-folder has no effect with --trace off: leave one of them out."
        }
        if selection.watch, let mistake = uselessWithWatch { return mistake }
        if selection.jobs > 1, let mistake = uselessWithJobs { return mistake }
        guard record != nil else { return nil }
        if let given = selection.given {
            return "\(given) has no effect with --record, which runs no flow: leave it out."
        }
        let useless: [(String, Bool, String)] = [
            ("+tag", usesTag, "open the page in any browser, or name one without +tag"),
            ("--reporter", reporter != .pretty, "a recording has no results"),
            ("--keep-log", keepLog != nil, "write the traffic to a file with --log"),
            ("--trace", trace != .failures, "a recording has no trace"),
            ("--trace-folder", traceFolder != TraceFolder.usualPath, "a recording has no trace"),
            ("--wait", wait != nil, "start the server first"),
            ("--timeout", timeout.text != RunLimit.usual.text, "a recording ends with Ctrl-C"),
        ]
        return useless.first { $0.1 }.map { "\($0.0) has no effect with --record: \($0.2)." }
    }

    /// Says that nothing can be recorded: each flow has a daemon and a browser of its own, and no phone.
    @MainActor private func uselessCassette(_ configuration: ServeConfiguration) -> String? {
        guard let path = configuration.cassettePath.map(TerminalText.escape) else { return nil }
        let advice = "Flows have no real app to record. Record one with: bridged cassette record \(path)"
        switch configuration.cassetteMode {
        case .newEpisodes: return "--cassette-mode new_episodes is for bridged serve. \(advice) --append"
        case .once where configuration.cassette == nil: return "There is no \(path). \(advice)"
        case .none, .once: return nil
        }
    }

    private var uselessWithJobs: String? {
        if app != nil { return "--jobs is for the emulated app: an app's own Swift runs once. Leave out --app." }
        if selection.watch { return "--watch runs one flow after the other: leave out --jobs." }
        return options.port.isGiven ? "--port is for one daemon, and each flow has its own: leave out --port." : nil
    }

    private var uselessWithWatch: String? {
        if app != nil { return "--watch runs flows in the emulated app: leave out --app." }
        return reporter == .pretty ? nil : "--watch prints results for people: leave out --reporter."
    }

    func validate() throws {
        guard flows.isEmpty == (record != nil) else {
            throw ValidationError(
                record == nil ? "Name a flow: bridged test flows/push.yml" : "Give flows to run, or --record, not both."
            )
        }
        if let mistake = uselessOption ?? uselessOnDevice { throw ValidationError(mistake) }
        let configuration = try MainActor.assumeIsolated { try ServeConfiguration.checked(options) }
        let uselessCassette = MainActor.assumeIsolated { configuration.flatMap(self.uselessCassette) }
        if let uselessCassette { throw ValidationError(uselessCassette) }
        // Secrets are removed from what a flow on a phone prints, too.
        if on != nil, let flag = configuration?.flags.first(where: { !["config", "redact", "no-redact"].contains($0) })
        {
            throw ValidationError("--\(flag) is for the emulated app, and --on runs flows in a real one: leave it out.")
        }
        let binaries = configuration?.binaryCount ?? 0
        guard binaries <= 1 || record == nil else {
            throw ValidationError("--record writes what you do with one app: give one binary.")
        }
        guard binaries == 0 || app == nil else {
            throw ValidationError("--binary is for the emulated app: leave it out, or --app.")
        }
        guard device.device == nil || app == nil else {
            throw ValidationError(
                "--app has the screen of an iPhone 16, in UIKit and in its web views: leave out --device.")
        }
        guard wait == nil || app == nil else {
            throw ValidationError("--wait is for the emulated app: start the server first, or leave out --app.")
        }
        guard let app else {
            guard !appOptions.isGiven || on != nil else {
                throw ValidationError(
                    "--url, --origin, --target, --package and --strict belong to --app, which names the app.")
            }
            return
        }
        guard !usesTag, record == nil else {
            throw ValidationError(
                "\(TerminalText.escape(app)) opens its own web views: leave out +tag and --record.")
        }
        let ofEmulatedApp = configuration?.flags.first { !["port", "verbose", "framework"].contains($0) }
        if let ofEmulatedApp, !options.framework.contains(where: \.isGiven) {
            throw ValidationError(
                "--\(ofEmulatedApp) is for the emulated app, and \(TerminalText.escape(app)) is an app's own Swift: add "
                    + "--framework to compare them, or leave it out.")
        }
    }

    /// Says which option has no effect on a phone.
    private var uselessOnDevice: String? {
        guard on != nil else { return ask ? "--ask belongs to --on: only a real app has a user." : nil }
        let useless: [(String, Bool)] = [
            ("--in", browsers != nil), ("--device", device.device != nil), ("--record", record != nil),
            ("--app", app != nil), ("--jobs", selection.jobs > 1), ("--watch", selection.watch),
            ("--wait", wait != nil),
            ("--trace", trace == .on), ("--trace-folder", traceFolder != TraceFolder.usualPath),
            ("--target", appOptions.target != nil), ("--origin", !appOptions.origin.isEmpty),
            ("--package", !appOptions.package.isEmpty), ("--strict", appOptions.isStrict),
        ]
        return useless.first { $0.1 }.map {
            "\($0.0) has no effect with --on, whose flows run in a real app: leave it out."
        }
    }

    func run() throws {
        LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }
        try MainActor.assumeIsolated {
            if selection.watch {
                let showsWindow = !usesTag && BrowserEngine.hasDisplay()
                Task { await FlowWatch(command: self, showsWindow: showsWindow).run() }
                dispatchMain()
            }
            let configurations = try ServeConfiguration.all(options)
            if let on { return try runOnDevice(on, configurations[0]) }
            configurations[0].warnOfOldCassette()
            if let record {
                return try FlowRecording(
                    path: record, configuration: configurations[0], engines: browsers?.driven ?? [],
                    device: device.choice, arguments: RecordedOptions(CommandLine.arguments).shared
                ).run()
            }
            let plan = try plan(configurations)
            if let app {
                let tests = try AppFlows(
                    flows: plan.flows, project: app, command: self, configuration: configurations[0])
                Task { Foundation.exit(await tests.run() ? 0 : 1) }
            } else {
                Task {
                    let results = await report(plan.runs(of: plan.flows))
                    plan.browsers.close()
                    Foundation.exit(results.allSatisfy { $0.failure == nil } ? 0 : 1)
                }
            }
            dispatchMain()
        }
    }

    /// Reads the flows.
    @MainActor func plan(_ configurations: [ServeConfiguration], showsWindow: Bool = false) throws -> TestPlan {
        for configuration in configurations { try configuration.checkPathConfiguration() }
        let flows = try selection.flows(flows, configurations[0].server.redaction)
        let missing = flows.map { missingBuild(for: $0, configurations) }
        // A flow of a folder is left out if others have a build. One that the command line names is not.
        let named = zip(flows, missing).first { flow, text in text != nil && self.flows.contains(flow.file) }
        if let text = named?.1 ?? (missing.contains(nil) ? nil : missing.first ?? nil) {
            throw CommandFailure("\(text) Leave out the flow's framework, or add a build.", .usage)
        }
        // A flow with a table of inputs is several.
        var told: Set<String> = []
        for text in missing.compactMap(\.self) where told.insert(text).inserted {
            Terminal.printError("note: \(text) The flow is left out.")
        }
        let possible = zip(flows, missing).filter { $0.1 == nil }.map(\.0)
        let leftOut = zip(flows, missing).compactMap { flow, text in text.map { (flow: flow, reason: $0) } }
        return TestPlan(
            flows: possible, leftOut: leftOut, configurations: configurations, command: self, showsWindow: showsWindow)
    }

    /// Runs flows, and prints the results.
    @MainActor func report(_ runs: [FlowRun], stopsAtFailure: Bool = false) async -> [FlowResult] {
        await reporter.report(
            runs, timeout, atOnce: selection.jobs, retries: selection.retries, stopsAtFailure: stopsAtFailure)
    }

    /// A sentence about a flow for which there is no build; nil if there is one.
    @MainActor private func missingBuild(for flow: Flow, _ configurations: [ServeConfiguration]) -> String? {
        guard configurations.allSatisfy({ frameworks(of: flow, $0).isEmpty }) else { return nil }
        let builds = configurations.compactMap { configuration in
            configuration.binary.map { "\($0.name) has \(configuration.frameworks[0].name)" }
        }
        return TerminalText.escape(
            "\(flow.file) is for \(flow.frameworks.map(\.name).joined(separator: ", ")), and of the builds "
                + "\(builds.joined(separator: ", ")).")
    }

    /// Runs flows with the emulated app.
    /// - Parameters:
    ///   - browsers: those without a window on the screen.
    ///   - showsWindow: whether a browser shows its window, which stays open after a failure.
    @MainActor func runner(
        _ configuration: ServeConfiguration, _ browsers: BrowserPool? = nil, showsWindow: Bool = false
    ) -> FlowRunner {
        let traces = TraceFolder(trace, path: traceFolder)
        let logs = LogFolder()
        return FlowRunner(traces: traces, keepsFailed: showsWindow) { flow, engine, framework in
            var configuration = configuration
            if !options.port.isGiven { configuration.server.port = 0 }
            configuration.server.logPath = try logPath(flow, engine, framework, configuration.binary?.name)
                .map { try logs.clear($0, for: flow) }
            let server = try configuration.makeServer()
            let app = try await BridgedApp(
                engine, server: server, emulatedApp: try configuration.makeApp(server, with: framework),
                device: device.choice)
            app.baseURL = appOptions.url.map(Origin.of)
            (app.showsWindow, app.browsers) = (showsWindow, browsers)
            app.serverTimeout = wait?.time ?? .zero
            return app
        }
    }

    /// The releases that a flow runs in: those that it names, or else those of the settings. Nil for the only one of the
    /// settings, which results need not name. A build has its own release; a flow that names others does not run with it.
    @MainActor func frameworks(of flow: Flow, _ configuration: ServeConfiguration) -> [Framework?] {
        if configuration.binary?.members["framework"] != nil {
            return flow.frameworks.isEmpty || flow.frameworks.contains(configuration.frameworks[0]) ? [nil] : []
        }
        guard flow.frameworks.isEmpty else { return flow.frameworks }
        return configuration.frameworks.count == 1 ? [nil] : configuration.frameworks
    }

    /// The file of a flow in the folder of `--keep-log`; nil without that option.
    func logPath(
        _ flow: Flow, _ engine: TestBrowser, _ framework: Framework? = nil, _ binary: String? = nil
    ) throws -> String? {
        guard let keepLog else { return nil }
        try FileManager.default.createDirectory(atPath: keepLog, withIntermediateDirectories: true)
        return "\(keepLog)/\(flow.fileName(in: engine, with: framework, binary)).ndjson"
    }
}
