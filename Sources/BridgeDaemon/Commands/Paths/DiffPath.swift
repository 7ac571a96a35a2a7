import ArgumentParser
import BridgeProtocol
import BridgeTraffic
import EmulatedApp
import Foundation
import PathConfiguration

/// `bridged path diff`.
struct DiffPath: JSONCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Say what two path configurations make different of the same URLs.",
        discussion: """
            Example:
              bridged path diff old.json new.json --urls urls.txt

            Exit codes: 0 where no URL's properties differ, 1 where some do, 64 for a mistake in the arguments, 66 where a file \
            can't be read.
            """)

    @Argument(help: ArgumentHelp("The one path configuration.", valueName: "file|url"))
    var old: String

    @Argument(help: ArgumentHelp("The other one.", valueName: "file|url"))
    var new: String

    @Option(help: ArgumentHelp("URLs of the app, one a line.", valueName: "file"))
    var urls: String

    @Option(help: "Whose rules to read them by: ios or android.")
    var profile = Platform.ios

    @Flag(inversion: .prefixedNo, help: "Let queries take part, as Hotwire Native does unless told otherwise.")
    var matchQuery = true

    @Flag(help: "Print one JSON object a URL that differs.")
    var json = false

    func run() throws {
        try MainActor.assumeIsolated {
            let urls = try PathConfigurationFile.urls(self.urls)
            let options = PathConfigurationDocument.Options(profile: profile, matchQueryStrings: matchQuery)
            let (before, after) = (
                try PathConfigurationFile.document(old, options: options),
                try PathConfigurationFile.document(new, options: options)
            )
            let differing = urls.map { PathDifference($0, from: before, to: after) }.filter { !$0.changes.isEmpty }
            for difference in differing {
                if json { Terminal.print(difference) } else { Terminal.print(difference.readable) }
            }
            if !json { Terminal.print("\(differing.count) of \(urls.count) URLs differ") }
            if !differing.isEmpty { throw ExitCode(1) }
        }
    }
}

extension PathDifference {
    /// The URL, then each property with a sign, as in a diff.
    fileprivate var readable: String {
        let lines = changes.flatMap { change in
            [("-", change.old), ("+", change.new)].compactMap { sign, value in
                value.map { "  \(sign) \(TerminalText.escape("\(change.key) = \($0)"))" }
            }
        }
        return ([TerminalText.escape(url.absoluteString)] + lines).joined(separator: "\n")
    }
}
