import ArgumentParser
import BridgeInput
import BridgeProtocol
import BridgeTraffic
import EmulatedApp
import Foundation
import PathConfiguration

/// `bridged path diff`
struct DiffPath: JSONCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Compare two path configurations, or what two releases of the framework do with one.",
        discussion: """
            Examples:
              bridged path diff old.json new.json --urls urls.txt
              bridged path diff rules.json --framework ios@1.2,ios@1.3 --urls urls.txt

            Exit codes: 0 if everything is equal, 1 if something differs, 64 for a mistake in the arguments, 66 if a file \
            cannot be read.
            """)

    @Argument(help: ArgumentHelp("A path configuration.", valueName: "file|url"))
    var old: String

    @Argument(help: ArgumentHelp("The path configuration to compare it with.", valueName: "file|url"))
    var new: String?

    @Option(help: ArgumentHelp("A file with URLs of the app, one on each line.", valueName: "file"))
    var urls: String

    @Option(help: "The framework's release, or two of them with a comma to compare them.")
    var framework = FrameworkList(frameworks: [.default])

    @OptionGroup var query: QueryOptions

    @Flag(help: "Print one JSON object for each URL that differs.")
    var json = false

    func validate() throws {
        try query.check(framework.frameworks)
        guard (framework.frameworks.count > 1) != (new != nil) else {
            throw ValidationError(
                "Give two path configurations, or one and two releases, such as --framework ios@1.2,ios@1.3.")
        }
    }

    func run() throws {
        try MainActor.assumeIsolated {
            let urls = try PathConfigurationFile.urls(self.urls)
            guard let new else { return try compareReleases(urls) }
            let options = (framework.frameworks.first ?? .default).pathOptions(matchQueryStrings: query.matchQuery)
            let before = try PathConfigurationFile.document(old, options: options)
            let after = try PathConfigurationFile.document(new, options: options)
            let differing = urls.map { PathDifference($0, from: before, to: after) }.filter { !$0.changes.isEmpty }
            for difference in differing {
                if json { Terminal.print(difference) } else { Terminal.print(difference.readable) }
            }
            if !json { Terminal.print("\(differing.count) of \(urls.count) URLs differ") }
            if !differing.isEmpty { throw ExitCode(1) }
        }
    }
}

extension DiffPath {
    /// Prints in which situations the releases show a URL differently.
    @MainActor private func compareReleases(_ urls: [URL]) throws {
        guard let start = URL(string: "http://localhost/") else { return }
        let documents = try framework.frameworks.map { framework in
            (
                framework,
                try PathConfigurationFile.document(
                    old, options: framework.pathOptions(matchQueryStrings: query.matchQuery))
            )
        }
        var differing = 0
        for url in urls {
            let resolved = URL(string: url.absoluteString, relativeTo: start)?.absoluteURL ?? url
            let origin = URL(string: "/", relativeTo: resolved)?.absoluteURL ?? start
            let differences = FrameworkDifference.all(of: resolved, start: origin, documents)
            differing += differences.isEmpty ? 0 : 1
            for difference in differences {
                if json { Terminal.print(difference) } else { Terminal.print(difference.readable(from: origin)) }
            }
        }
        if !json { Terminal.print("\(differing) of \(urls.count) URLs differ") }
        if differing > 0 { throw ExitCode(1) }
    }
}

extension FrameworkDifference {
    /// The situation, and below it the stacks of each release. URLs of the app are shown as paths.
    fileprivate func readable(from origin: URL) -> String {
        func short(_ url: String) -> String {
            url.hasPrefix(origin.absoluteString) ? "/" + url.dropFirst(origin.absoluteString.count) : url
        }
        let width = outcomes.map(\.framework.count).max() ?? 0
        let lines = outcomes.map { outcome in
            let name = outcome.framework.padding(toLength: width, withPad: " ", startingAt: 0)
            let stacks = StackLine(main: outcome.main, modal: outcome.modal, origin: origin.originText)
            let visits = outcome.visits.map { order in
                let kind = order.kind == .refresh ? "refresh" : order.action.rawValue
                return "\(kind) \(short(order.url.absoluteString))"
            }
            return "  \(name)  \(stacks)   loads: \(visits.isEmpty ? "nothing" : visits.joined(separator: ", "))"
        }
        return TerminalText.escape("\(short(url.absoluteString)), \(situation)") + "\n"
            + lines.map { TerminalText.escape($0) }.joined(separator: "\n")
    }
}

extension PathDifference {
    /// The difference for people: the URL, and below it the old and new properties, marked with - and +.
    fileprivate var readable: String {
        let lines = changes.flatMap { change in
            [("-", change.old), ("+", change.new)].compactMap { sign, value in
                value.map { "  \(sign) \(TerminalText.escape("\(change.key) = \($0)"))" }
            }
        }
        return ([TerminalText.escape(url.absoluteString)] + lines).joined(separator: "\n")
    }
}
