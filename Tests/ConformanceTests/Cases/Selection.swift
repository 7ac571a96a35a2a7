import Foundation
import TestSupport

/// The engines and cases that a run covers. A selection that matches nothing is an error.
struct Selection {
    /// The names in `BRIDGED_ENGINES` and the patterns in `BRIDGED_CASES`. Nil selects everything.
    let engineNames: [String]?
    let patterns: [String]?

    /// What CI runs in browsers that bridged drives: all cases would take three minutes more for each of them.
    static let drivenSample = Selection(
        engineNames: ["drivenChromium", "drivenFirefox", "drivenWebKit"],
        patterns: ["world/*", "post/primitive-*", "callAsync/unreachable-*"])

    /// The selection of a plain `swift test`: enough cases to check that the runner works.
    static let sample = Selection(engineNames: ["chromium"], patterns: ["post/primitive-*", "post/number-*"])

    /// The time limit of a run: a driven Firefox takes more than 20 minutes for all cases if the machine is busy.
    static var minutes: Int {
        let selection = Selection(environment: ProcessInfo.processInfo.environment)
        return 30 * max(1, (try? selection.engines().count) ?? 1)
    }

    /// Reads the environment.
    ///
    /// `BRIDGED_CONFORMANCE` selects every case in every browser whose pages load bridge.js by its tag. `BRIDGED_ENGINES` and `BRIDGED_CASES` list engines and
    /// case ids, separated by commas; `*` in an id matches any text.
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

    /// - Throws: `RecordingFolder.Mistake` if a name is not that of an engine.
    func engines() throws -> [CaseEngine] {
        guard let engineNames else { return CaseEngine.allCases.filter { $0.driven == nil } }
        return try engineNames.map { name in
            guard let engine = CaseEngine(rawValue: name) else {
                let known = CaseEngine.allCases.map(\.rawValue).joined(separator: ", ")
                throw RecordingFolder.Mistake(
                    "BRIDGED_ENGINES names '\(name)', which is not an engine. The engines are \(known).")
            }
            return engine
        }
    }

    /// - Throws: `RecordingFolder.Mistake` if a pattern matches no case.
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
