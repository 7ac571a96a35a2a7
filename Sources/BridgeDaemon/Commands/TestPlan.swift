import BridgeProtocol
import BridgeTesting
import EmulatedApp
import Foundation

/// The flows of `bridged test`, and in which browsers and apps they run.
@MainActor struct TestPlan {
    let flows: [Flow]
    /// Those that no build of the app can run.
    private let skipped: [FlowRun]
    private let engines: [TestBrowser]
    private let command: TestCommand
    /// The browsers that the flows use one after the other.
    let browsers: BrowserPool
    private let apps: [(configuration: ServeConfiguration, runner: FlowRunner)]

    private static let whyNotInWebKit =
        "Driven WebKit has no interface objects (addJavascriptInterface). Chromium and Firefox have them."

    /// - Parameters:
    ///   - leftOut: the flows that do not run, each with the reason.
    ///   - showsWindow: whether a browser shows its window, which stays open after a failure.
    init(
        flows: [Flow], leftOut: [(flow: Flow, reason: String)], configurations: [ServeConfiguration],
        command: TestCommand, showsWindow: Bool
    ) {
        (self.flows, self.command) = (flows, command)
        engines = (command.browsers ?? .usual).browsers
        browsers = BrowserPool(hasSpares: flows.count > 2)
        browsers.onProblem = { Terminal.printError("note: \($0)") }
        skipped = leftOut.flatMap { [engines] flow, reason in
            engines.flatMap { engine in
                flow.frameworks.map { FlowRun(flow, in: engine, with: $0, leftOut: reason) }
            }
        }
        apps = configurations.map { [browsers] configuration in
            (configuration, command.runner(configuration, browsers, showsWindow: showsWindow))
        }
    }

    /// The runs of some flows.
    func runs(of flows: [Flow]) -> [FlowRun] {
        var runs: [FlowRun] = []
        var androidInWebKit: [(possible: FlowRun, leftOut: FlowRun)] = []
        for flow in flows {
            for engine in engines {
                for (configuration, runner) in apps {
                    for framework in command.frameworks(of: flow, configuration) {
                        let run = FlowRun(
                            flow, in: engine, with: framework, binary: configuration.binary?.name,
                            runner: command.selection.jobs > 1 ? runner.separate : runner)
                        let platform = (framework ?? configuration.frameworks[0]).platform
                        if engine == .driven(.webkit), platform == .android {
                            let leftOut = FlowRun(
                                flow, in: engine, with: framework, binary: configuration.binary?.name,
                                leftOut: TestPlan.whyNotInWebKit)
                            androidInWebKit.append((run, leftOut))
                        } else {
                            runs.append(run)
                        }
                    }
                }
            }
        }
        // If nothing else runs, these do, and fail with the reason.
        guard !runs.isEmpty else { return androidInWebKit.map(\.possible) + skipped }
        noteLeftOut(androidInWebKit.count)
        return runs + androidInWebKit.map(\.leftOut) + skipped
    }

    /// Says that runs with Android in driven WebKit, which has no interface objects, are left out.
    private func noteLeftOut(_ count: Int) {
        guard count > 0 else { return }
        let (runs, are) = count == 1 ? ("1 run", "is") : ("\(count) runs", "are")
        Terminal.printError(
            "note: \(runs) with Android in driven WebKit \(are) left out. \(TestPlan.whyNotInWebKit)")
    }

    /// Records what a person does in the app that a failed run has left open.
    /// - Parameter noted: is called with each step, as YAML.
    func recordFailed(noted: @escaping @MainActor (String) -> Void) -> FlowRecorder? {
        apps.lazy.compactMap { $0.runner.recordFailed(noted: noted) }.first
    }

    /// Closes what a failed run has left open.
    func closeFailed() async {
        for (_, runner) in apps { await runner.closeFailed() }
    }

    /// The files of the flows and of the settings.
    var files: Set<String> { flows.reduce(settingsFiles) { $0.union($1.files) } }

    /// Those that concern all flows.
    var settingsFiles: Set<String> { TestPlan.settingsFiles(of: command, apps.map(\.configuration)) }

    /// `bridged.yml`, path configurations and builds.
    static func settingsFiles(of command: TestCommand, _ configurations: [ServeConfiguration]) -> Set<String> {
        let settings = command.options.config ?? ProcessInfo.processInfo.environment["BRIDGED_CONFIG"]
        return configurations.reduce([settings ?? ConfigurationFile.usualName]) { files, configuration in
            let rules = configuration.pathConfigurations.compactMap { source in
                if case .file(let file) = source { file.path } else { nil }
            }
            return files.union(rules + [configuration.binary?.file, configuration.cassettePath].compactMap(\.self))
        }
    }
}
