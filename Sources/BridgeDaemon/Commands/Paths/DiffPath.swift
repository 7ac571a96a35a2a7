import ArgumentParser
import BridgeProtocol
import BridgeTraffic
import Foundation
import PathConfiguration

/// `bridged path diff`
struct DiffPath: JSONCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Compare the properties that two path configurations give to the same URLs.",
        discussion: """
            Example:
              bridged path diff old.json new.json --urls urls.txt

            Exit codes: 0 if all properties are equal, 1 if some differ, 64 for a mistake in the arguments, 66 if a file \
            cannot be read.
            """)

    @Argument(help: ArgumentHelp("A path configuration.", valueName: "file|url"))
    var old: String

    @Argument(help: ArgumentHelp("The path configuration to compare it with.", valueName: "file|url"))
    var new: String

    @Option(help: ArgumentHelp("A file with URLs of the app, one on each line.", valueName: "file"))
    var urls: String

    @OptionGroup var reading: PathReadingOptions

    @Flag(help: "Print one JSON object for each URL that differs.")
    var json = false

    func run() throws {
        try MainActor.assumeIsolated {
            let urls = try PathConfigurationFile.urls(self.urls)
            let before = try PathConfigurationFile.document(old, options: reading.options)
            let after = try PathConfigurationFile.document(new, options: reading.options)
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
