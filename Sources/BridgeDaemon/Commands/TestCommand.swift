import ArgumentParser
import BridgeServer
import BridgeTesting
import BridgeYAML
import EmulatedApp
import Foundation
import Logging
import PathConfiguration

/// `bridged test`
struct TestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Run flows: tests of a page's bridge, written in YAML.",
        usage: "bridged test <flow> ... [<options>]",
        discussion: """
            Each flow gets a daemon on a free port and a browser without a window of its own. docs/test.md has the steps.

            Examples:
              bridged test flows/*.yml
              bridged test flows/push.yml --browser chromium --browser firefox --reporter junit > report.xml
              bridged test flows/push.yml --platform ios,android
              bridged test --record flows/push.yml

            Exit codes: 0 all passed, 1 one failed, 64 a mistake in the arguments or in a flow.
            """)

    @Argument(help: ArgumentHelp("Files with flows.", valueName: "flow"))
    var flows: [String] = []

    @Option(help: ArgumentHelp("chromium, firefox or webKitGTK; may be repeated. (default: chromium)"))
    var browser: [Browser.Engine] = []

    @Option(help: "pretty, tap or junit.")
    var reporter = FlowReporter.pretty

    @Option(
        help: ArgumentHelp(
            "Keep each flow's traffic in this folder, as FLOW-BROWSER.ndjson, or FLOW-BROWSER-PLATFORM.ndjson.",
            valueName: "folder"))
    var keepLog: String?

    @Option(
        help: ArgumentHelp(
            "Write a flow from what you do by hand: serves until Ctrl-C, and writes it then.", valueName: "flow"))
    var record: String?

    @OptionGroup(title: "Options of the daemons") var options: ServeOptions

    func validate() throws {
        guard flows.isEmpty == (record != nil) else {
            throw ValidationError(
                record == nil ? "Name a flow: bridged test flows/push.yml" : "Give flows to run, or --record, not both."
            )
        }
        do { _ = (try Serving(options), try readFlows()) } catch { throw ValidationError("\(error)") }
    }

    func run() throws {
        LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }
        if let record { return try MainActor.assumeIsolated { try FlowRecording(path: record, options).run() } }
        let (serving, flows) = (try Serving(options), try readFlows())
        Task { @MainActor in Foundation.exit(await test(flows, serving) ? 0 : 1) }
        dispatchMain()
    }

    private func readFlows() throws -> [Flow] { try flows.map { try Flow(YAMLFile(path: $0)) } }

    /// - Returns: whether all passed.
    @MainActor private func test(_ flows: [Flow], _ serving: Serving) async -> Bool {
        let engines = browser.isEmpty ? [.chromium] : browser
        let platforms: [Platform?] = serving.platforms.count == 1 ? [nil] : serving.platforms
        let runner = FlowRunner { flow, engine, platform in
            var serving = serving
            if options.port == nil { serving.configuration.port = 0 }
            serving.configuration.logPath = try logPath(flow, engine, platform)
            let server = try serving.makeServer()
            return (server, try serving.makeApp(server, on: platform))
        }
        let runs = flows.flatMap { flow in
            engines.flatMap { engine in platforms.map { (flow: flow, engine: engine, platform: $0) } }
        }
        write(reporter.beginning(count: runs.count))
        var results: [FlowResult] = []
        for run in runs {
            let result = await runner.run(run.flow, in: run.engine, on: run.platform)
            results.append(result)
            write(reporter.text(result, number: results.count))
        }
        write(reporter.end(results))
        return results.allSatisfy { $0.failure == nil }
    }

    private func logPath(_ flow: Flow, _ engine: Browser.Engine, _ platform: Platform?) throws -> String? {
        guard let keepLog else { return nil }
        try FileManager.default.createDirectory(atPath: keepLog, withIntermediateDirectories: true)
        let name = URL(fileURLWithPath: flow.file).deletingPathExtension().lastPathComponent
        let place = [engine.rawValue, platform?.rawValue].compactMap(\.self).joined(separator: "-")
        return "\(keepLog)/\(name)-\(place).ndjson"
    }

    private func write(_ text: String) {
        print(text, terminator: "")
        fflush(nil)
    }
}
