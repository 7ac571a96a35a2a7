import BridgeTesting
import Foundation
import Testing

/// Every case of the oracle, through the whole path: page, socket, daemon, native code.
@MainActor @Suite(.serialized, .timeLimit(.minutes(20))) struct ConformanceTests {
    @Test func endsAsRecordedOfWebKit_orAsKnown() async throws {
        let cases = try selectedCases()
        let known = try KnownCases.read()
        var scores = Scores()
        for engine in selectedEngines {
            do {
                let verdicts = try await Conformance.run(cases, in: engine) {
                    known.cause(of: $0, in: engine) != nil && !known.isRace($0)
                }
                scores.add(engine, verdicts)
            } catch let missing as Browser.Missing {
                if ProcessInfo.processInfo.environment["CI"] != nil { throw missing }
                print("Skipped: \(missing)")
            }
        }
        print("\(scores.table)")
        let failures = scores.unknownFailures(known)
        try report(scores)
        #expect(failures.isEmpty, "\(failures.count) cases fail and are not listed in \(KnownCases.file.path)")
        let passes = scores.knownPasses(known)
        #expect(passes.isEmpty, "listed as known to fail, and pass: take them out of \(KnownCases.file.path)")
    }

    /// What `swift test` runs by itself, to see that the runner works. `make conformance` runs all.
    private static let sample = ["post/primitive-*", "post/number-*"]

    private var runsAll: Bool { environment("BRIDGED_CONFORMANCE") != nil }

    /// All, the sample, or those that the environment's `BRIDGED_CASES` names: ids with `*`, separated by commas.
    private func selectedCases() throws -> [OracleCase] {
        guard FileManager.default.fileExists(atPath: OracleCase.folder.path) else {
            try Test.cancel(
                "No oracle at \(OracleCase.folder.path); the environment's BRIDGED_ORACLE can name another folder.")
        }
        let cases = try OracleCase.all()
        guard let wanted = environment("BRIDGED_CASES") ?? (runsAll ? nil : Self.sample) else { return cases }
        return cases.filter { one in wanted.contains { KnownCases.matches(one.id, $0) } }
    }

    private var selectedEngines: [Browser.Engine] {
        guard let wanted = environment("BRIDGED_ENGINES") ?? (runsAll ? nil : ["chromium"]) else {
            return Browser.Engine.allCases
        }
        return Browser.Engine.allCases.filter { wanted.contains($0.rawValue) }
    }

    private func environment(_ name: String) -> [String]? {
        ProcessInfo.processInfo.environment[name]?.split(separator: ",").map(String.init)
    }

    /// Failures, known ones too, with what was expected and what came, where the environment's
    /// `BRIDGED_CONFORMANCE_REPORT` names a file.
    private func report(_ scores: Scores) throws {
        guard let path = environment("BRIDGED_CONFORMANCE_REPORT")?.first else { return }
        try "\(scores.table)\n\nslowest: \(scores.slowest)\n\n\(scores.failures.joined(separator: "\n"))\n".write(
            toFile: path, atomically: true, encoding: .utf8)
    }
}
