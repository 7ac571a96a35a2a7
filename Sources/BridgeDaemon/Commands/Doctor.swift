import ArgumentParser
import BridgeClient
import BridgeProtocol
import BridgeTraffic
import EmulatedApp
import Foundation

/// `bridged doctor`
struct Doctor: ClientCommand {
    static let configuration = clientConfiguration(
        "doctor", "Say what is wrong with a page, worst first.",
        """
        It checks a page: the place of bridge.js if bridged does not drive the browser, the Content-Security-Policy, mixed \
        content, the user agent, Turbo, handlers that the page's scripts use although none is registered, and recorded problems. If no page is \
        attached, it says what kept one from attaching. It exits with 1 if it finds an error.

        Examples:
          bridged doctor
          bridged doctor --install      # without a daemon: what this machine has, and what to install
          bridged doctor --page p3 --json | jq 'select(.severity == "error")'
        """)

    @Flag(help: "Show which libraries and browsers this machine has, and what installs the others.") var install = false

    @OptionGroup var page: PageOptions
    @OptionGroup var options: ClientOptions

    func validate() throws {
        let useless = [("--page", page.page), ("--web-view", page.webView), ("--url", options.url)].first {
            $0.1 != nil
        }
        if install, let (name, _) = useless {
            throw ValidationError("--install is about this machine: leave out \(name), or --install.")
        }
    }

    /// `--install` needs no daemon. It fails if there is no browser at all.
    func run() throws {
        guard install else { return try runWithDaemon() }
        let parts = Installation.parts
        for part in parts {
            if options.json { Terminal.print(part) } else { Terminal.print(TerminalText.escape(part.text)) }
        }
        if !parts.contains(where: { $0.isBrowser && $0.place != nil }) {
            throw ExitCode(CommandFailure.Code.failed.rawValue)
        }
    }

    func run(_ daemon: DaemonClient) throws {
        let diagnosis = try Doctor.diagnosis(daemon, address: page.params)
        if !options.json, let page = diagnosis.page { Terminal.print(PageLine(page).text) }
        for finding in diagnosis.findings {
            if options.json { Terminal.print(finding) } else { Terminal.print(Doctor.text(finding)) }
        }
        if diagnosis.findings.contains(where: { $0.severity == .error }) {
            throw ExitCode(CommandFailure.Code.failed.rawValue)
        }
    }

    static func diagnosis(_ daemon: DaemonClient, address: [JSONValue.Member]) throws(ClientError) -> Diagnosis {
        let builtIn = MainActor.assumeIsolated { BridgeComponent.builtIn.map { $0.name } }
        return try Diagnosis(daemon, address: address, builtIn: builtIn, scriptTag: daemon.scriptTag)
    }

    /// Formats a finding for people: its severity and text, and the fix on a second line.
    private static func text(_ finding: Finding) -> String {
        let severity = finding.severity.rawValue.padding(toLength: 9, withPad: " ", startingAt: 0)
        let fix = finding.fix.isEmpty ? "" : "\n         \(TerminalText.escape(finding.fix))"
        return severity + TerminalText.escape(finding.text) + fix
    }
}
