import ArgumentParser
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
    @Option(help: "The platform whose rules apply: ios or android.")
    var profile = Platform.ios

    @OptionGroup var query: QueryOptions

    var options: PathConfigurationDocument.Options {
        .init(platform: profile, matchQueryStrings: query.matchQuery)
    }
}

struct QueryOptions: ParsableArguments {
    @Flag(
        inversion: .prefixedNo,
        help: "Match patterns against queries too, as Hotwire Native does by default. Android always does.")
    var matchQuery = true
}
