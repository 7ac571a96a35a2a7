import BridgeTesting
import Foundation
import Testing

/// Runs every recorded case through the whole path: page, socket, daemon, native code.
@MainActor @Suite(.serialized, .timeLimit(.minutes(20))) struct ConformanceTests {
    @Test func endsAsRecordedOfWebKit_orAsKnown() async throws {
        let selection = Selection(environment: ProcessInfo.processInfo.environment)
        let cases = try selection.cases(of: Recordings.all())
        let engines = try selection.engines()
        let known = try KnownCases.read()
        var scores = Scores()
        for engine in engines {
            do {
                let verdicts = try await Conformance.run(cases, in: engine) {
                    known.cause(of: $0, in: engine) != nil && !known.isRace($0)
                }
                scores.add(engine, verdicts)
            } catch let missing as Browser.Missing {
                // CI installs every engine, so one that is missing there is a mistake.
                if ProcessInfo.processInfo.environment["CI"] != nil { throw missing }
                print("Skipped: \(missing)")
            }
        }
        print("\(scores.table)")
        try report(scores)
        #expect(!scores.verdicts.isEmpty, "no engine is installed, so no case ran")
        for (engine, verdicts) in scores.verdicts {
            #expect(verdicts.count == cases.count(where: \.isScored), "some cases did not run in \(engine)")
        }
        let failures = scores.unknownFailures(known)
        #expect(failures.isEmpty, "\(failures.count) cases fail and are not listed in \(KnownCases.file.path)")
        let passes = scores.knownPasses(known)
        #expect(passes.isEmpty, "listed as known to fail, and pass: take them out of \(KnownCases.file.path)")
    }

    /// Writes all failures, known ones too, with what was expected and what came, to the file that the environment's
    /// `BRIDGED_CONFORMANCE_REPORT` names.
    private func report(_ scores: Scores) throws {
        guard let path = ProcessInfo.processInfo.environment["BRIDGED_CONFORMANCE_REPORT"] else { return }
        try "\(scores.table)\n\nslowest: \(scores.slowest)\n\n\(scores.failures.joined(separator: "\n"))\n".write(
            toFile: path, atomically: true, encoding: .utf8)
    }
}
