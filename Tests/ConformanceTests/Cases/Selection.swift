import BridgeTesting
import TestSupport

/// What a run of the conformance test covers. A selection that selects nothing is a mistake, not a success.
struct Selection {
    /// The names of `BRIDGED_ENGINES`, and the patterns of `BRIDGED_CASES`. Nil selects all.
    let engineNames: [String]?
    let patterns: [String]?

    /// What `swift test` runs by itself, to see that the runner works.
    static let sample = Selection(engineNames: ["chromium"], patterns: ["post/primitive-*", "post/number-*"])

    /// Reads the environment: `BRIDGED_CONFORMANCE` runs every case in every engine, `BRIDGED_ENGINES` and
    /// `BRIDGED_CASES` (ids in which `*` stands for any text) name some, separated by commas.
    init(environment: [String: String]) {
        func list(_ name: String) -> [String]? {
            environment[name]?.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        let runsAll = environment["BRIDGED_CONFORMANCE"] != nil
        engineNames = list("BRIDGED_ENGINES") ?? (runsAll ? nil : Selection.sample.engineNames)
        patterns = list("BRIDGED_CASES") ?? (runsAll ? nil : Selection.sample.patterns)
    }

    private init(engineNames: [String], patterns: [String]) {
        self.engineNames = engineNames
        self.patterns = patterns
    }

    /// - Throws: `RecordingFolder.Mistake` for a name that no engine has.
    func engines() throws -> [Browser.Engine] {
        guard let engineNames else { return Browser.Engine.allCases }
        return try engineNames.map { name in
            guard let engine = Browser.Engine(rawValue: name) else {
                let known = Browser.Engine.allCases.map(\.rawValue).joined(separator: ", ")
                throw RecordingFolder.Mistake(
                    "BRIDGED_ENGINES names '\(name)', which is no engine. There are \(known).")
            }
            return engine
        }
    }

    /// - Throws: `RecordingFolder.Mistake` for a pattern that no case matches.
    func cases(of all: [RecordedCase]) throws -> [RecordedCase] {
        guard let patterns else { return all }
        for pattern in patterns where !all.contains(where: { KnownCases.matches($0.id, pattern) }) {
            throw RecordingFolder.Mistake(
                "BRIDGED_CASES names '\(pattern)', which matches none of \(all.count) cases. Ids look like "
                    + "'\(all.first?.id ?? "post/array-hole")'; * stands for any text.")
        }
        return all.filter { one in patterns.contains { KnownCases.matches(one.id, $0) } }
    }
}
