import BridgeProtocol
import BridgeTesting
import EmulatedApp
import Foundation

/// The flows of `bridged test`, and in which browsers and apps they run.
@MainActor struct TestPlan {
    let flows: [Flow]
    private let engines: [TestBrowser]
    private let command: TestCommand
    private let apps: [(configuration: ServeConfiguration, runner: FlowRunner)]

    /// - Parameter showsWindow: whether a browser shows its window, which stays open after a failure.
    init(flows: [Flow], configurations: [ServeConfiguration], command: TestCommand, showsWindow: Bool) {
        (self.flows, self.command) = (flows, command)
        engines = (command.browsers ?? .usual).browsers
        apps = configurations.map { configuration in
            (configuration, command.runner(configuration, showsWindow: showsWindow))
        }
    }

    /// The runs of some flows.
    func runs(of flows: [Flow]) -> [FlowRun] {
        var runs: [FlowRun] = []
        var androidInWebKit: [FlowRun] = []
        for flow in flows {
            for engine in engines {
                for (configuration, runner) in apps {
                    for framework in command.frameworks(of: flow, configuration) {
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
        guard !runs.isEmpty else { return androidInWebKit }
        noteLeftOut(androidInWebKit.count)
        return runs
    }

    /// Says that runs with Android in driven WebKit, which has no interface objects, are left out.
    private func noteLeftOut(_ count: Int) {
        guard count > 0 else { return }
        let (runs, are) = count == 1 ? ("1 run", "is") : ("\(count) runs", "are")
        Terminal.printError(
            "note: \(runs) with Android in driven WebKit \(are) left out: it has no interface objects "
                + "(addJavascriptInterface). Chromium and Firefox have them.")
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

    /// Those that concern all flows: `bridged.yml`, path configurations and builds.
    var settingsFiles: Set<String> {
        let settings = command.options.config ?? ProcessInfo.processInfo.environment["BRIDGED_CONFIG"]
        return apps.reduce([settings ?? ConfigurationFile.usualName]) { files, app in
            let rules = app.configuration.pathConfigurations.compactMap { source in
                if case .file(let file) = source { file.path } else { nil }
            }
            return files.union(rules + [app.configuration.binary?.file].compactMap(\.self))
        }
    }
}
