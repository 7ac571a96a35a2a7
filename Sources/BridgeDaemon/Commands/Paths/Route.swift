import ArgumentParser
import BridgeProtocol
import EmulatedApp
import Foundation
import PathConfiguration

/// `bridged route`
struct Route: JSONCommand {
    static let configuration = CommandConfiguration(
        commandName: "route",
        abstract: "Walk through an app's screens without the app.",
        discussion: """
            Each STEP is an event:
              URL, /path      the page of the visible screen proposes a visit
              replace:URL     the same with the action replace
              restore:URL     the same with the action restore
              back            the user taps the back button
              dismiss         the user swipes a modal away
              clear           the app calls clearAll()

            After each step, the command prints what the app would do, and both stacks. A view_controller other than web \
            is a native screen.

            Examples:
              bridged route --config rules.json /posts /posts/new back
              bridged route --config rules.json --start https://app.example/ --json /posts
              bridged route --steps cases.json

            Exit codes: 0 success, 1 if a case of --steps is malformed, 64 for a mistake in the arguments, 66 if a file \
            cannot be read.
            """)

    @Option(
        help: ArgumentHelp(
            "The path configuration. (default: only the built-in rules)", valueName: "file|url"))
    var config: String?

    @Option(help: ArgumentHelp("The app's first location, against which paths are resolved.", valueName: "url"))
    var start = "http://localhost:3000/"

    @OptionGroup var reading: PathReadingOptions

    @Flag(help: "Print one JSON object for each step.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "Run recorded cases from this file, or - for standard input, and print one JSON object for each case.",
            valueName: "file"))
    var steps: String?

    @Argument(help: ArgumentHelp("The events, in order.", valueName: "step"))
    var step: [String] = []

    func validate() throws {
        guard steps != nil, config != nil || !step.isEmpty else { return }
        throw ValidationError("--steps has its own steps and configurations. Leave out --config and STEP.")
    }

    func run() throws {
        try MainActor.assumeIsolated {
            if let steps { try runRecordedCases(steps) } else { try walk() }
        }
    }

    // MARK: Steps of the command line

    @MainActor private func walk() throws {
        guard let start = URL(string: self.start), start.host != nil else {
            throw CommandFailure(
                "'\(self.start)' is not valid for --start. Give an address like http://localhost:3000/.", .usage)
        }
        let steps = try step.map { try RouteStep($0, startingAt: start) }
        let (framework, options) = (reading.framework, reading.options)
        let document =
            try config.map { try PathConfigurationFile.document($0, options: options) } ?? .init(options: options)
        var navigator = Navigator(
            startLocation: start, framework: framework, properties: { document.properties(for: $0) },
            handle: { proposal in
                framework.nativeScreen(of: proposal.properties).map { .acceptCustom($0) } ?? .accept
            })
        for step in [.start(at: start)] + steps {
            // The emulated app launches: it shows its start location whatever the rule of it says.
            let effects = step.step == .start ? navigator.launch() : navigator.perform(step.step)
            let report = RouteReport(
                step: step, properties: step.url.map { document.properties(for: $0) },
                outcome: NavigationOutcome(navigator.state, effects), reasons: navigator.reasons,
                framework: framework)
            if !json {
                Terminal.print(report.readable(from: start))
            } else if step.step != .start {
                Terminal.print(report)
            }
        }
    }

    // MARK: Recorded cases

    @MainActor private func runRecordedCases(_ file: String) throws {
        let json: JSON
        do {
            json = try JSON.parse(try PathConfigurationFile.text(file))
        } catch let error as JSONParseError {
            let name = file == "-" ? "Standard input" : file
            throw CommandFailure("\(name) has no cases: \(error). Give one case, or an array.", .noInput)
        }
        var hasMalformedCase = false
        func run(_ element: JSON) {
            do throws(RecordedCaseError) {
                Terminal.print(try RecordedCase(element, framework: reading.framework))
            } catch {
                hasMalformedCase = true
                Terminal.print(error)
            }
        }
        if json.kind == .array { json.forEachElement(run) } else { run(json) }
        if hasMalformedCase { throw ExitCode(1) }
    }
}
