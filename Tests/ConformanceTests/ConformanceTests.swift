import Foundation
import Testing

/// Runs every recorded case through the whole path: page, socket, daemon and native code.
@MainActor @Suite(.serialized) struct ConformanceTests {
    @Test(.timeLimit(.minutes(Selection.minutes))) func casesEndAsRecordedWithWebKit_orAreKnownToDiffer() async throws {
        try await run(Selection(environment: ProcessInfo.processInfo.environment))
    }

    @Test(.timeLimit(.minutes(20))) func sampleEndsAsRecorded_inDrivenBrowsers() async throws {
        try await run(.drivenSample)
    }

    private func run(_ selection: Selection) async throws {
        let cases = try selection.cases(of: Recordings.all())
        let engines = try selection.engines()
        let known = try KnownCases.read()
        var scores = Scores()
        for engine in engines {
            // CI installs every engine, so a missing engine is an error there.
            guard engine.isInstalled || ProcessInfo.processInfo.environment["CI"] != nil else {
                print("Skipped: \(engine) is not installed.")
                continue
            }
            guard !Task.isCancelled else {
                print("Skipped: the run reached its time limit before \(engine).")
                continue
            }
            let verdicts = try await Conformance.run(cases, in: engine) {
                known.cause(of: $0, in: engine) != nil && !known.isRace($0)
            }
            scores.add(engine, verdicts)
        }
        print("\(scores.table)")
        try report(scores)
        #expect(!scores.verdicts.isEmpty, "No engine is installed, so no case ran.")
        for (engine, verdicts) in scores.verdicts {
            #expect(verdicts.count == cases.count(where: \.isScored), "Some cases did not run in \(engine).")
        }
        let failures = scores.unknownFailures(known)
        #expect(failures.isEmpty, "\(failures.count) cases fail and are not listed in \(KnownCases.file.path).")
        let passes = scores.knownPasses(known)
        #expect(passes.isEmpty, "These cases are known to fail, but pass. Remove them from \(KnownCases.file.path).")
    }

    /// Writes every failure, including known ones, to the file that `BRIDGED_CONFORMANCE_REPORT` names.
    private func report(_ scores: Scores) throws {
        guard let path = ProcessInfo.processInfo.environment["BRIDGED_CONFORMANCE_REPORT"] else { return }
        try "\(scores.table)\n\nslowest: \(scores.slowest)\n\n\(scores.failures.joined(separator: "\n"))\n".write(
            toFile: path, atomically: true, encoding: .utf8)
    }
}
