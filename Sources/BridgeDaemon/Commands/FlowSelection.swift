import ArgumentParser
import BridgeProtocol
import BridgeTesting
import BridgeTraffic
import BridgeYAML

/// The options of `bridged test` that choose flows, and say how they run.
struct FlowSelection: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Run only the flows with this tag; may be repeated, for those with one of them.", valueName: "name")
    )
    var tag: [String] = []

    @Option(
        help: ArgumentHelp(
            "Run only the flows whose name, file or tag this regular expression matches somewhere.",
            valueName: "pattern"))
    var grep: String?

    @Option(
        help: ArgumentHelp(
            "The value of ${NAME} in flows; may be repeated. It replaces the value in a flow's env.",
            valueName: "NAME=value"))
    var env: [String] = []

    @Option(
        help: ArgumentHelp("How often a flow that fails runs again. (default: the flow's retries)", valueName: "number")
    )
    var retries: Int?

    @Option(
        help: ArgumentHelp(
            "Run so many flows at once. They share nothing but the servers of their pages.", valueName: "number"))
    var jobs = 1

    @Flag(help: "Run again what a changed file concerns, until Ctrl-C.")
    var watch = false

    func validate() throws {
        if let retries, !(0...100).contains(retries) {
            throw ValidationError("--retries is a whole number from 0 to 100, not \(retries).")
        }
        guard (1...64).contains(jobs) else {
            throw ValidationError("--jobs is a whole number from 1 to 64, not \(jobs).")
        }
        for text in env where !FlowInputs.isName(text.prefix { $0 != "=" }) || !text.contains("=") {
            throw ValidationError("--env needs a name and a value, as in --env EMAIL=zoe@example.com.")
        }
        if let grep, (try? Regex(grep)) == nil {
            throw ValidationError("--grep needs a regular expression, not \(TerminalText.escape(grep)).")
        }
    }

    /// The values of `--env`. The last one of a name counts.
    var variables: [String: String] {
        Dictionary(
            env.map { text in
                let name = text.prefix { $0 != "=" }
                return (String(name), String(text.dropFirst(name.count + 1)))
            }, uniquingKeysWith: { $1 })
    }

    /// Rejects a variable of `--env` that has no effect.
    private func checkVariables(of flows: [Flow]) throws {
        let names = flows.reduce(into: Set<String>()) { $0.formUnion($1.variables) }
        guard let unused = variables.keys.sorted().first(where: { !names.contains($0) }) else { return }
        if let flow = flows.first(where: { $0.variablesOfRow.contains(unused) }) {
            throw CommandFailure(
                TerminalText.escape("--env \(unused) has no effect: each row of \(flow.file) has its own \(unused)."),
                .usage)
        }
        let nearest = EditDistance.nearest(to: unused, in: names.sorted()).map { "Did you mean \($0)? " } ?? ""
        let found = names.sorted().map { name in
            let files = Set(flows.filter { $0.variables.contains(name) }.map(\.file)).sorted()
            return "\(name) (\(files.prefix(3).joined(separator: ", ")))"
        }
        throw CommandFailure(
            TerminalText.escape(
                "--env \(unused) has no effect: no flow reads ${\(unused)}. \(nearest)"
                    + (found.isEmpty ? "The flows have no variables." : "There are \(found.joined(separator: ", ")).")),
            .usage)
    }

    /// An option with a value, for commands that choose no flows.
    var given: String? {
        let options = [
            ("--tag", !tag.isEmpty), ("--grep", grep != nil), ("--env", !env.isEmpty), ("--retries", retries != nil),
            ("--jobs", jobs != 1), ("--watch", watch),
        ]
        return options.first { $0.1 }?.0
    }

    /// Reads the flows that are wanted.
    /// - Parameters:
    ///   - paths: files and folders.
    ///   - redaction: says which variables are secrets.
    /// - Throws: a `CommandFailure` if there is none.
    func flows(_ paths: [String], _ redaction: Redaction) throws -> [Flow] {
        let pattern = try grep.map { try Regex($0) }
        let inputs = FlowInputs(commandLine: variables, redaction: redaction)
        var flows: [Flow] = []
        var names: [String] = []
        var tags: Set<String> = []
        for path in try paths.flatMap(FlowFiles.paths) {
            flows += try Flow.all(in: YAMLFile(path: path), inputs) { name, file, found in
                names.append(name)
                tags.formUnion(found)
                let isNamed = pattern.map { pattern in ([name, file] + found).contains { $0.contains(pattern) } }
                return (tag.isEmpty || tag.contains(where: found.contains)) && isNamed ?? true
            }
        }
        guard flows.isEmpty else {
            try checkVariables(of: flows)
            return flows
        }
        let wanted = tag.map { "--tag \($0)" } + [grep.map { "--grep \($0)" }].compactMap(\.self)
        let nearest = tag.lazy.compactMap { EditDistance.nearest(to: $0, in: tags.sorted()) }.first
        let hint =
            nearest.map { "Did you mean \($0)?" }
            ?? "There are \(names.prefix(10).joined(separator: ", "))"
            + (tags.isEmpty ? ", without tags." : ", with the tags \(tags.sorted().joined(separator: ", ")).")
        throw CommandFailure(TerminalText.escape("No flow matches \(wanted.joined(separator: " ")). \(hint)"), .usage)
    }
}
