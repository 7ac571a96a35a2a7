import ArgumentParser
import BridgeTesting
import BridgeTraffic
import Foundation

/// `bridged trace`
struct TraceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trace", abstract: "Show the trace of a failed flow.", subcommands: [TraceShow.self])
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
