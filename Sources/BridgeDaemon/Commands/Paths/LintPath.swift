import ArgumentParser
import BridgeProtocol
import BridgeTraffic
import EmulatedApp
import Foundation
import PathConfiguration

/// `bridged path lint`
struct LintPath: JSONCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Find mistakes in a path configuration.",
        discussion: """
            Examples:
              bridged path lint path-configuration.json
              bridged path lint path-configuration.json --urls urls.txt
              bridged path lint ios_v1.json --framework ios@1.3
              bridged path lint android_v1.json --framework android --destination hotwire://fragment/map

            Exit codes: 0 without errors and warnings (notes do not count), 1 with some, 64 for a mistake in the arguments, 66 \
            if a file cannot be read.
            """)

    @Argument(help: "The path configuration, or - for standard input.")
    var file: String

    @Option(
        help: ArgumentHelp(
            "A file with URLs of the app, one on each line. Each pattern should match some.", valueName: "file"))
    var urls: String?

    @Option(help: "The framework's release that reads the file. (default: those of both platforms)")
    var framework: Framework?

    @Option(
        help: ArgumentHelp(
            "The uri of a fragment or an activity that the Android app registers. Repeat it for each.", valueName: "uri"
        ))
    var destination: [String] = []

    @OptionGroup var query: QueryOptions

    @Flag(help: "Print one JSON object a finding.")
    var json = false

    func validate() throws {
        try query.check(framework.map { [$0] } ?? [])
        if let framework, framework.platform == .ios, !destination.isEmpty {
            throw ValidationError(
                "--destination is about Android, and \(framework.name) is for iOS: leave out one of them.")
        }
    }

    func run() throws {
        try MainActor.assumeIsolated {
            let urls = try self.urls.map(PathConfigurationFile.urls) ?? []
            let findings = PathLinter(
                try PathConfigurationFile.data(file), urls: urls, matchQueryStrings: query.matchQuery,
                destinations: Set(destination), for: framework?.pathOptions()
            ).findings
            for finding in findings {
                if json { Terminal.print(finding) } else { Terminal.print(finding.readable(in: file)) }
            }
            if !json { Terminal.print(summary(findings)) }
            if findings.contains(where: { $0.severity != .note }) { throw ExitCode(1) }
        }
    }

    private func summary(_ findings: [LintFinding]) -> String {
        func count(_ severity: LintFinding.Severity) -> String {
            let number = findings.count { $0.severity == severity }
            return "\(number) \(severity.rawValue)\(number == 1 ? "" : "s")"
        }
        return "\(count(.error)), \(count(.warning)), \(count(.note))"
    }
}

extension LintFinding {
    /// The finding for people: its place, severity, message and fix. If it is about a pattern, a caret below the
    /// pattern marks the place.
    fileprivate func readable(in file: String) -> String {
        let place = "\(TerminalText.escape(file)):\(line):\(column): \(severity.rawValue)"
        var lines = [
            "\(place): \(TerminalText.escape(path.map { "\($0): " } ?? ""))\(TerminalText.escape(message)). \(TerminalText.escape(fix))"
        ]
        if let pattern, !pattern.pattern.isEmpty {
            let before = pattern.pattern.prefix(pattern.offset)
            lines.append("    \(TerminalText.escape(pattern.pattern))")
            lines.append("    \(String(repeating: " ", count: TerminalText.escape(String(before)).count))^")
        }
        return lines.joined(separator: "\n")
    }
}
