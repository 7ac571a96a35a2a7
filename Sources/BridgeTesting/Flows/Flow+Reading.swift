import BridgeProtocol
public import BridgeYAML
import EmulatedApp
import Foundation
import PathConfiguration

extension Flow {
    /// Reads a flow: a list of steps, or `{name: …, steps: […]}`.
    /// - Parameter row: the number of the row of `repeat`, from 1; nil for a flow without a table.
    /// - Throws: `YAMLError`, with the place of the mistake.
    public init(
        _ yaml: YAMLFile, _ inputs: FlowInputs = FlowInputs(), row: Int? = nil
    ) throws(YAMLError) {
        let header = try FlowHeader(yaml)
        guard let variant = try header.variants(inputs).first(where: { $0.row == row }) else {
            throw yaml.root.error("The flow has no row \(row.map(String.init) ?? "").")
        }
        try self.init(header, variant)
    }

    /// Reads the flows of a file: one for each row of its `repeat`, or the only one.
    /// - Parameter isWanted: tells by the name, the file and the tags whether to read a flow's steps.
    public static func all(
        in yaml: YAMLFile, _ inputs: FlowInputs = FlowInputs(),
        where isWanted: (_ name: String, _ file: String, _ tags: [String]) -> Bool = { _, _, _ in true }
    ) throws(YAMLError) -> [Flow] {
        let header = try FlowHeader(yaml)
        var flows: [Flow] = []
        for variant in try header.variants(inputs) where isWanted(variant.name, yaml.name, header.tags) {
            flows.append(try Flow(header, variant))
        }
        return flows
    }

    private init(_ header: FlowHeader, _ variant: FlowHeader.Variant) throws(YAMLError) {
        var reader = FlowStepReader()
        do { try reader.read(header, variant.variables.entering(header.env)) } catch {
            var error = error
            error.otherFiles = reader.otherFiles
            error.message = FlowSecrets(reader.secrets).removed(from: error.message)
            throw error
        }
        (name, file, steps, row) = (variant.name, header.file, reader.steps, variant.row)
        (frameworks, tags, retries) = (header.frameworks, header.tags, header.retries)
        (components, files) = (reader.components, reader.otherFiles.union([header.file]))
        secrets = FlowSecrets(reader.secrets)
        variablesOfRow = variant.names
        variables = reader.names.subtracting(variant.names).union(header.namesInTable)
    }
}

/// What a file has about its flow, before its steps are read.
private struct FlowHeader {
    /// The flow with the values of one row.
    struct Variant {
        let name: String
        /// Nil if there is no table.
        let row: Int?
        /// The names of the row's values.
        let names: Set<String>
        let variables: FlowVariables
    }

    let file: String
    var tags: [String] = []
    var frameworks: [Framework] = []
    var retries = 0
    var env: YAMLValue?
    var components: YAMLValue?
    /// The rows of `repeat`; nil if there is no table.
    var table: YAMLValue?
    var before: [YAMLValue] = []
    let steps: [YAMLValue]
    var after: [YAMLValue] = []
    private let name: String
    /// The members that have an effect only if the file is a flow of its own, and is not run by another one.
    private(set) var ownKeys: [YAMLValue.Member] = []

    private static let keys = [
        "name", "framework", "components", "tags", "retries", "env", "repeat", "before", "steps", "after",
    ]

    init(_ yaml: YAMLFile) throws(YAMLError) {
        file = yaml.name
        let usualName = yaml.name.split(separator: "/").last?.split(separator: ".").first ?? "flow"
        if case .sequence(let steps) = yaml.root.content {
            (name, self.steps) = (String(usualName), steps)
            return
        }
        let members = try yaml.root.members(FlowHeader.keys)
        ownKeys = try yaml.root.orderedMembers().filter {
            ["framework", "tags", "retries", "repeat"].contains($0.key)
        }
        try FlowHeader.checkVariables(in: members)
        guard let list = members["steps"] else { throw yaml.root.error(expected: "A flow needs steps: a list") }
        name = try members["name"]?.text() ?? String(usualName)
        steps = try list.elements()
        frameworks = try members["framework"]?.frameworks() ?? []
        tags = try members["tags"]?.words().map(\.word) ?? []
        retries = try members["retries"]?.count() ?? 0
        (env, table, components) = (members["env"], members["repeat"], members["components"])
        before = try members["before"]?.elements() ?? []
        after = try members["after"]?.elements() ?? []
    }

    /// Rejects variables in what is read before they have values.
    private static func checkVariables(in members: [String: YAMLValue]) throws(YAMLError) {
        for key in ["name", "framework", "tags", "retries"] {
            guard let value = members[key], let name = FlowVariables.names(in: value).min() else { continue }
            let hint = key == "name" ? "; the rows of a repeat add theirs to the name." : "."
            throw value.error("\(key) has no variables; found ${\(name)}. Write the value itself\(hint)")
        }
    }

    /// The names of the variables in the rows.
    var namesInTable: Set<String> { table.map(FlowVariables.names) ?? [] }

    func variants(_ inputs: FlowInputs) throws(YAMLError) -> [Variant] {
        let variables = FlowVariables(inputs)
        guard let table else { return [Variant(name: name, row: nil, names: [], variables: variables)] }
        let rows = try table.elements()
        guard !rows.isEmpty else { throw table.error("repeat needs rows: [{NAME: value}, …].") }
        var variants: [Variant] = []
        for (number, row) in zip(1..., rows) {
            let values = try variables.read(row)
            // In the order of the file.
            let texts = try row.orderedMembers().map { "\($0.key): \(values[$0.key]?.shown ?? "")" }
            variants.append(
                Variant(
                    name: "\(name) (\(texts.joined(separator: ", ")))", row: number, names: Set(values.keys),
                    variables: variables.with(row: values)))
        }
        return variants
    }
}

/// Reads the steps of a file, and those of the files that it runs.
private struct FlowStepReader {
    private(set) var steps: [Flow.Step] = []
    /// Those of all files.
    private(set) var components: [DeclaredComponent] = []
    /// The values of secret variables in all of them.
    private(set) var secrets: Set<FlowSecret> = []
    /// Those that steps run, with those that cannot be read.
    private(set) var otherFiles: Set<String> = []
    /// The names of the variables of all files.
    private(set) var names: Set<String> = []
    private var cleanups = 0
    /// How many files were read because of a `run`. Files that each run the next one twice would be read without end.
    private var runs = 0
    private static let mostRuns = 1_000
    /// The files that are being read, the outermost first.
    private var files: [String] = []
    private var callers: [String] = []

    mutating func read(_ header: FlowHeader, _ variables: FlowVariables) throws(YAMLError) {
        files.append(header.file)
        for member in try header.env?.orderedMembers() ?? [] {
            names.formUnion([member.key] + FlowVariables.names(in: member.value))
        }
        if let declared = header.components {
            components += try DeclaredComponent.all(in: filled(declared, variables))
        }
        let first = steps.count
        try read(header.before + header.steps, variables)
        let cleaned = steps.count
        try read(header.after, variables)
        // Those of a file that `after` runs belong to this list, unless they clean up within that file.
        let cleanup = Flow.Cleanup(id: cleanups, first: first)
        cleanups += 1
        for index in cleaned..<steps.count where steps[index].origin.cleanup == nil {
            steps[index].origin.cleanup = cleanup
        }
        files.removeLast()
    }

    private mutating func read(_ values: [YAMLValue], _ variables: FlowVariables) throws(YAMLError) {
        for value in values {
            if case .mapping(let members) = value.content, members.contains(where: { $0.key == "run" }) {
                try run(value, variables)
                continue
            }
            var step = try Flow.Step(try filled(value, variables))
            step.origin.file = value.file
            step.origin.callers = callers
            if !(try variables.secrets(in: value)).isEmpty {
                // A step whose meaning depends on the secret is shown as it is in the file.
                let hidden = try? Flow.Step(try variables.filled(value, hidesSecrets: true))
                step.origin.text = hidden.map { "\($0.action)" } ?? value.json.text
            }
            steps.append(step)
        }
    }

    /// Returns a value with those of its variables, and notes their names and the secrets among them.
    private mutating func filled(_ value: YAMLValue, _ variables: FlowVariables) throws(YAMLError) -> YAMLValue {
        names.formUnion(FlowVariables.names(in: value))
        secrets.formUnion(try variables.secrets(in: value))
        return try variables.filled(value)
    }

    /// Reads the file of a `run` step.
    private mutating func run(_ value: YAMLValue, _ variables: FlowVariables) throws(YAMLError) {
        guard let argument = try value.members(["run"])["run"] else { return }
        var (name, env): (YAMLValue, YAMLValue?) = (argument, nil)
        if case .mapping = argument.content {
            let members = try argument.members(["file", "env"])
            guard let file = members["file"] else {
                throw argument.error(
                    expected: "A run needs a file: run: sign-in.yml, or run: {file: sign-in.yml, env: {NAME: Zoe}}")
            }
            (name, env) = (file, members["env"])
        }
        let path = try path(of: try filled(name, variables))
        runs += 1
        guard runs <= Self.mostRuns else {
            throw name.error("The flow runs more than \(Self.mostRuns) files, the last one \(path).")
        }
        otherFiles.insert(path)
        let yaml: YAMLFile
        do { yaml = try YAMLFile(path: path) } catch  where error.line == nil {
            throw name.error("\(path): \(error.message)")
        }
        let header = try FlowHeader(yaml)
        if let key = header.ownKeys.first {
            throw name.error(
                "\(path) has \(key.key) in line \(key.keyLine), which only a flow of its own can have: leave it out there, "
                    + "or run a file with only the steps that both need.")
        }
        callers.append("\(value.file):\(value.line)")
        let outer = names
        names = []
        try read(header, try variables.entering(header.env, given: try variables.read(env)))
        try check(env, givenTo: path)
        names.formUnion(outer.union(env.map(FlowVariables.names) ?? []))
        callers.removeLast()
    }

    /// Rejects a variable that a `run` step gives to a file that does not read it.
    private func check(_ env: YAMLValue?, givenTo path: String) throws(YAMLError) {
        for member in try env?.orderedMembers() ?? [] where !names.contains(member.key) {
            let nearest = EditDistance.nearest(to: member.key, in: names.sorted()).map { "Did you mean \($0)? " } ?? ""
            let found = names.isEmpty ? "It has no variables." : "It has \(names.sorted().joined(separator: ", "))."
            throw member.error("\(path) reads no ${\(member.key)}. \(nearest)\(found)")
        }
    }

    /// The path of a file, which is relative to the one that names it.
    /// - Throws: an error if the file is being read, because it would run itself.
    private func path(of name: YAMLValue) throws(YAMLError) -> String {
        let text = try name.text()
        let folder = name.file.lastIndex(of: "/").map { String(name.file[...$0]) } ?? ""
        let path = text.hasPrefix("/") ? text : folder + text.trimmingPrefix("./")
        func real(_ path: String) -> String { URL(fileURLWithPath: path).resolvingSymlinksInPath().path }
        if let start = files.firstIndex(where: { real($0) == real(path) }) {
            let circle = (files[start...] + [path]).joined(separator: " → ")
            throw name.error("\(path) would run itself without end: \(circle).")
        }
        return path
    }
}

extension YAMLValue {
    /// Reads a release, several with commas, or a list.
    fileprivate func frameworks() throws(YAMLError) -> [Framework] {
        var found: [Framework] = []
        for (name, value) in try words() {
            guard let framework = Framework(named: name) else {
                throw value.error("framework is one of \(Framework.names), not \"\(name)\".")
            }
            found.append(framework)
        }
        return found
    }

    /// Reads one word, several with commas, or a list.
    fileprivate func words() throws(YAMLError) -> [(word: String, place: YAMLValue)] {
        var found: [(String, YAMLValue)] = []
        let values: [YAMLValue] = if case .sequence(let values) = content { values } else { [self] }
        for value in values {
            for word in try value.text().split(separator: ",", omittingEmptySubsequences: false) {
                found.append((String(word.trimmingPrefix(" ")), value))
            }
        }
        return found
    }

    fileprivate func count() throws(YAMLError) -> Int {
        guard let number = Int(try text()), (0...100).contains(number) else {
            throw error("Expected a whole number from 0 to 100, found \(summary).")
        }
        return number
    }
}
