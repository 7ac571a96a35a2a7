import ArgumentParser
import BridgeProtocol
import BridgeTraffic
import EmulatedApp
import Foundation
import PathConfiguration

/// `bridged path explain`
struct ExplainPath: JSONCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Show which rules match a URL, and what the app does with it.",
        discussion: """
            Examples:
              bridged path explain /posts/new --config path-configuration.json
              bridged path explain /posts/new --config https://app.example/configurations/ios_v1.json
              bridged path explain '/posts?page=2' --config rules.json --framework android --json

            Exit codes: 0 success, 64 for a mistake in the arguments, 66 if the configuration cannot be read.
            """)

    @Argument(help: "A URL, or a path of the app.")
    var url: String

    @Option(help: ArgumentHelp("The path configuration.", valueName: "file|url"))
    var config: String

    @OptionGroup var reading: PathReadingOptions

    @Flag(help: "Print one JSON object.")
    var json = false

    func run() throws {
        try MainActor.assumeIsolated {
            guard let url = URL(string: url), !self.url.isEmpty else {
                throw CommandFailure(
                    "'\(self.url)' is not a URL. Give one like https://app.example/posts/1, or a path like /posts/1.",
                    .usage)
            }
            let document = try PathConfigurationFile.document(config, options: reading.options)
            let explanation = PathExplanation(
                url, in: document, meanings: { NavigationMeaning.all(of: $0, framework: reading.framework) })
            if json { Terminal.print(explanation) } else { Terminal.print(explanation.readable) }
        }
    }
}

extension PathExplanation {
    /// The explanation for people. It shows what each matching rule sets, and the patterns of the other rules.
    fileprivate var readable: String {
        var lines = ["\(TerminalText.escape(url.absoluteString)), as \(interpreted.platform.name) reads it"]
        lines += ["matched against: \(TerminalText.escape(subject))", ""]
        for step in steps { lines += step.readable }
        lines += ["", "Properties"]
        lines += properties.values.sorted { $0.key < $1.key }.map { key, value in
            "  \(TerminalText.escape(key)) = \(TerminalText.escape(value.description))"
                + (setter(of: key).map { "   (rule \($0))" } ?? "")
        }
        if properties.values.isEmpty { lines.append("  none") }
        lines += [
            "", "Read as",
            "  " + interpreted.members.map { TerminalText.escape("\($0) = \($1)") }.joined(separator: "\n  "),
        ]
        guard !meanings.isEmpty else { return lines.joined(separator: "\n") }
        lines += ["", "What the app does"] + meanings.map { TerminalText.escape("  \($0.state): \($0.text)") }
        if meanings.contains(where: { $0.text.contains("place on") }) {
            lines += [
                "  place: if the top screen has the same place, it is replaced; if the one below has it, the app goes back;"
            ]
            lines += ["         otherwise advance pushes, and replace or restore replaces the top screen"]
        }
        return lines.joined(separator: "\n")
    }
}

extension PathExplanation.Step {
    fileprivate var readable: [String] {
        let name = rule.isBuiltIn ? "rule \(number), built in" : "rule \(number)"
        var lines = rule.skipped.map { "! \(name)  skips \(TerminalText.escape($0.error.description))" }
        if let slowPattern {
            lines.append("! \(name)  gives up on \"\(TerminalText.escape(slowPattern))\", which takes too long")
        }
        guard let match else {
            let patterns = rule.patterns.map { "\"\($0.text)\"" }.joined(separator: ", ")
            let text = patterns.isEmpty ? "has no valid pattern" : TerminalText.escape(patterns)
            return lines + ["· \(name)  \(text)"]
        }
        lines.append("✓ \(name)  \(TerminalText.escape("\"\(match.pattern)\" matches \"\(match.part)\""))")
        return lines
            + settings.map { setting in
                "    \(TerminalText.escape("\(setting.key) = \(setting.value)"))"
                    + (setting.overriddenBy.map { "   overridden by rule \($0)" } ?? "")
            }
    }
}
