import ArgumentParser
import BridgeClient
import BridgeProtocol
import BridgeTraffic
import Foundation

struct Doctor: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Say what is wrong with a page, worst first.",
        discussion: """
            Where no page is attached it says what kept one from it. In a page it looks where bridge.js stands, at the Content-Security-Policy, mixed content, the user agent and Turbo, at \
            handlers that the page's scripts use and nobody registered, and at what went wrong so far.

            Examples:
              bridged doctor
              bridged doctor --page p3 --json | jq 'select(.severity == "error")'

            It exits with 1 where it found an error. \(ExitCodes.text)
            """)

    @OptionGroup var page: PageOptions
    @OptionGroup var options: ClientOptions

    func run(_ daemon: DaemonClient) throws {
        let diagnosis = try Diagnosis(daemon, address: page.params, scriptTag: daemon.scriptTag)
        if options.json {
            for finding in diagnosis.findings { Terminal.print(finding) }
        } else {
            if let page = diagnosis.page { Terminal.print(PageLine(page).text) }
            for finding in diagnosis.findings { Terminal.print(Doctor.text(finding)) }
        }
        if diagnosis.findings.contains(where: { $0.severity == .error }) {
            throw ExitCode(CommandFailure.Code.failed.rawValue)
        }
    }

    /// The severity, what was found, and below it what to do.
    private static func text(_ finding: Finding) -> String {
        let severity = finding.severity.rawValue.padding(toLength: 9, withPad: " ", startingAt: 0)
        let fix = finding.fix.isEmpty ? "" : "\n         \(TerminalText.escape(finding.fix))"
        return severity + TerminalText.escape(finding.text) + fix
    }
}
