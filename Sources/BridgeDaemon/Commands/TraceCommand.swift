import ArgumentParser
import BridgeClient
import BridgeInput
import BridgeProcesses
import BridgeProtocol
import BridgeTesting
import BridgeTraffic
import Foundation

/// `bridged trace`
struct TraceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trace", abstract: "Show the trace of a failed flow, or write one.",
        subcommands: [TraceShow.self, TraceSave.self])
}

/// `bridged trace show`
struct TraceShow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Open a trace in your browser.",
        discussion: """
            bridged test writes a trace for each flow that fails. It is one HTML file, which any browser shows without a \
            network.

            Examples:
              bridged trace show bridged-traces/push-chromium.html

            Exit codes: 0 success, 1 no browser could be started, 64 a mistake in the arguments, 66 the file is no trace.
            """)

    @Argument(help: ArgumentHelp("The trace.", valueName: "file"))
    var file: String

    func run() throws {
        let name = TerminalText.escape(file)
        if let problem = TraceFolder.problem(ofFile: file) {
            throw CommandFailure("Can't show \(name): \(problem)", .noInput)
        }
        let url = URL(fileURLWithPath: file)
        // xdg-open would start a browser for text, if there is one.
        guard UserBrowser.hasScreen() else { throw failure("This machine has no screen.", url) }
        // Without a desktop, xdg-open runs the browser itself, and ends with it.
        guard try UserBrowser.show(url.absoluteString).waitForEnd(within: .seconds(5))?.isSuccess ?? true else {
            throw failure("\(UserBrowser.program) could not start a browser.", url)
        }
        Terminal.print("Your browser shows \(url.absoluteString)")
    }

    private func failure(_ problem: String, _ file: URL) -> CommandFailure {
        CommandFailure(
            "\(problem) Open the file in any browser, on another machine if you copy it there: "
                + TerminalText.escape(file.path), .failed)
    }
}

/// `bridged trace save`
struct TraceSave: ClientCommand {
    static let configuration = clientConfiguration(
        "save", "Write what a running daemon's app shows, and its traffic, as a trace.",
        """
        The clients for Ruby, Python and Node do so when a test has failed. bridged trace show opens the file.

        Examples:
          bridged trace save tmp/push.html --name "registers for push" --failure "Expected a message"
        """)

    @Argument(help: ArgumentHelp("The file to write.", valueName: "file"))
    var file: String

    @Option(help: ArgumentHelp("The name of the test.", valueName: "text")) var name = "A test"
    @Option(help: ArgumentHelp("Why it failed.", valueName: "text")) var failure = "It failed."
    @Option(help: ArgumentHelp("Leave out the records up to this number.", valueName: "record")) var after: Int?
    @Option(help: ArgumentHelp("Which records, as in the inspector.", valueName: "expression")) var filter: String?

    @Option(
        help: ArgumentHelp(
            "A JSON file with what the test did: a list of {text, time, milliseconds}.", valueName: "file"))
    var steps: String?

    @OptionGroup var options: ClientOptions

    func run(_ daemon: DaemonClient) throws {
        let records = try LogReader.records(of: daemon, ["after": after.map(String.init), "filter": filter])
        let visible = try daemon.call("pages.list", expecting: ["pages"])
        let page = visible["pages"]?.elements.first { $0["page"]?.string == visible["visible"]?.string }
        let trace = TraceOfDaemon(
            name: name, failure: failure, browser: page?["engine"]?.string ?? "a browser with the tag",
            state: (try? daemon.call("app.state")) ?? .null, picture: picture(page, daemon),
            visits: visits(daemon), records: records, steps: try readSteps())
        let html = try trace.html()
        do {
            try FileManager.default.writePrivately(html, to: file)
        } catch {
            throw CommandFailure("\(file) cannot be written: \(error.localizedDescription)", .usage)
        }
        Terminal.print(TerminalText.escape(file))
    }

    private func readSteps() throws -> [TraceOfDaemon.Step] {
        guard let steps else { return [] }
        let text: [UInt8]
        do throws(InputFileError) { text = try InputFile.contents(ofPath: steps) } catch {
            throw CommandFailure("\(TerminalText.escape(steps)) cannot be read: \(error)", .noInput)
        }
        guard let json = try? JSON.parse(text), json.kind == .array else {
            throw CommandFailure("\(TerminalText.escape(steps)) has no JSON array.", .noInput)
        }
        return json.elements.compactMap(TraceOfDaemon.Step.init)
    }

    private func visits(_ daemon: DaemonClient) -> [JSON] {
        let all = (try? daemon.call("visits.explain", [.init("last", 30)]))?["visits"]?.elements ?? []
        return all.filter { $0["record"]?.wholeNumber ?? 0 > after ?? 0 }
    }

    private func picture(_ page: JSON?, _ daemon: DaemonClient) -> Result<String, TraceOfDaemon.NoPicture> {
        guard let id = page?["page"]?.string else { return .failure(.init("No page was attached.")) }
        do throws(ClientError) {
            let answer = try daemon.call("page.snapshot", [.init("page", .string(id)), .init("timeoutMs", 5_000)])
            return .success(answer["data"]?.string ?? "")
        } catch {
            return .failure(.init("The browser took none: \(error)"))
        }
    }
}
