import Foundation
import Testing

/// Runs every recorded case through the whole path: page, socket, daemon and native code.
@MainActor @Suite(.serialized) struct ConformanceTests {
    private static let enginesAtOnce = 3

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
        let installed = engines.filter { engine in
            // CI installs every engine, so a missing engine is an error there.
            let runs = engine.isInstalled || ProcessInfo.processInfo.environment["CI"] != nil
            if !runs { print("Skipped: \(engine) is not installed.") }
            return runs
        }
        var scores = Scores()
        for (engine, verdicts) in try await verdicts(of: cases, in: installed, known) { scores.add(engine, verdicts) }
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

    /// Runs the cases in several engines at a time, because many cases wait for a time to pass.
    private func verdicts(
        of cases: [RecordedCase], in engines: [CaseEngine], _ known: KnownCases
    ) async throws -> [(CaseEngine, [CaseVerdict])] {
        let turns = Turns(engines)
        try await withThrowingTaskGroup { group in
            for _ in 0..<ConformanceTests.enginesAtOnce {
                group.addTask { try await turns.run(cases, known) }
            }
            try await group.waitForAll()
        }
        return engines.enumerated().compactMap { number, engine in turns.verdicts[number].map { (engine, $0) } }
    }

    /// Writes every failure, including known ones, to the file that `BRIDGED_CONFORMANCE_REPORT` names.
    private func report(_ scores: Scores) throws {
        guard let path = ProcessInfo.processInfo.environment["BRIDGED_CONFORMANCE_REPORT"] else { return }
        try "\(scores.table)\n\nslowest: \(scores.slowest)\n\n\(scores.failures.joined(separator: "\n"))\n".write(
            toFile: path, atomically: true, encoding: .utf8)
    }
}

/// Gives each engine its turn.
@MainActor private final class Turns {
    private var waiting: ArraySlice<(offset: Int, element: CaseEngine)>
    /// The verdicts of the engines that had their turns, by the engines' numbers.
    private(set) var verdicts: [Int: [CaseVerdict]] = [:]

    init(_ engines: [CaseEngine]) { waiting = Array(engines.enumerated())[...] }

    /// Runs the cases in one engine after the other, until none waits.
    func run(_ cases: [RecordedCase], _ known: KnownCases) async throws {
        while let (number, engine) = waiting.popFirst() {
            guard !Task.isCancelled else {
                print("Skipped: the run reached its time limit before \(engine).")
                continue
            }
            verdicts[number] = try await Conformance.run(cases, in: engine) {
                known.cause(of: $0, in: engine) != nil && !known.isRace($0)
            }
        }
    }
}
