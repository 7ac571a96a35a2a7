import ArgumentParser

/// `bridged path`.
struct PathCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "path",
        abstract: "Explain, check and compare path configurations.",
        subcommands: [ExplainPath.self, LintPath.self, DiffPath.self])
}
