import ArgumentParser
import EmulatedApp
import PathConfiguration

/// `bridged path`
struct PathCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "path",
        abstract: "Explain, check and compare path configurations.",
        subcommands: [ExplainPath.self, LintPath.self, DiffPath.self])
}

/// The options for reading a path configuration.
struct PathReadingOptions: ParsableArguments {
    @Option(help: "The framework's release.")
    var framework = Framework.default

    @OptionGroup var query: QueryOptions

    func validate() throws { try query.check([framework]) }

    var options: PathConfigurationDocument.Options {
        framework.pathOptions(matchQueryStrings: query.matchQuery)
    }
}

struct QueryOptions: ParsableArguments {
    @Flag(
        inversion: .prefixedNo,
        help: "Match patterns against queries too, as Hotwire Native does by default. Android always does.")
    var matchQuery = true

    /// Refuses the flag for releases that do not know the setting.
    func check(_ frameworks: [Framework]) throws {
        guard !matchQuery, !frameworks.isEmpty, frameworks.allSatisfy({ $0.platform == .android }) else { return }
        throw ValidationError("--no-match-query is for iOS: Android always matches the query. Leave it out.")
    }
}
