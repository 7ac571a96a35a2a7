import Testing

@testable import Simulation

@MainActor @Suite(.timeLimit(.minutes(5))) struct SimulationTests {
    /// Proves that the simulation notices what it looks for: each of these systems does one thing wrong.
    @Test(arguments: Mistake.allCases.filter { $0 != .forgetsPredecessor })
    func noticesMistake(_ mistake: Mistake) async {
        var found = false
        for seed in 1...100 where !found {
            await Task.yield()  // Other tests share this actor.
            let violation = History.run(seed: UInt64(seed), steps: 400, mistake: mistake).1?.violation
            found = violation.map { mistake.invariants.contains($0.invariant) } ?? false
        }
        #expect(found, "No invariant noticed \(mistake).")
    }

    /// A message is handled, its page leaves without a word, and the disk loses its record.
    @Test(arguments: [nil, Mistake.losesWrites]) func noticesWhatIsLostAtSIGTERM(_ mistake: Mistake?) {
        let violation = History.replay(
            Settings(),
            [
                .connect(page: 0), .deliver(connection: 0, bytes: 100_000), .endRound, .read(connection: 0, frames: 1),
                .post(page: 0, .plain, count: 1), .send(page: 0), .deliver(connection: 0, bytes: 100_000),
                .daemonNoticesCut(connection: 0), .stop, .finishStop,
            ], mistake: mistake)
        #expect(violation?.invariant == (mistake == nil ? nil : .stopped))
    }

    @Test func takesTheSameSteps_ifTheSeedIsTheSame() {
        let lines = (1...2).map { _ in
            var lines: [String] = []
            for seed in 1...5 { _ = History.run(seed: UInt64(seed), steps: 300, show: { lines.append($0) }) }
            return lines
        }
        #expect(lines[0].count > 100)
        #expect(lines[0] == lines[1])
    }

    /// A page has given up two connections, and the daemon reads their `page.attach` only after that of the third.
    @Test func losesNothing_ifConnectionsOfAPageArriveInAnotherOrder() {
        let violation = History.replay(
            Settings(),
            [
                .connect(page: 14), .connect(page: 8), .connect(page: 6), .deliver(connection: 9, bytes: 100_000),
                .pageNoticesCut(page: 7), .connect(page: 0), .pageNoticesCut(page: 7), .pageNoticesCut(page: 0),
                .connect(page: 4), .post(page: 7, .echo, count: 20), .connect(page: 6),
                .deliver(connection: 4, bytes: 2_000), .endRound, .read(connection: 2, frames: 2), .send(page: 13),
            ])
        #expect(violation == nil)
    }

    /// A document has a message handled before the beacon of the document before it comes.
    @Test(arguments: [nil, Mistake.forgetsPredecessor]) func noticesDocumentThatDoesNotWait(_ mistake: Mistake?) {
        let violation = History.replay(
            Settings(),
            [
                .post(page: 0, .plain, count: 1), .load(tab: 0, .closed), .connect(page: 2),
                .deliver(connection: 0, bytes: 100_000), .endRound, .read(connection: 0, frames: 1),
                .post(page: 2, .plain, count: 1), .send(page: 0), .deliver(connection: 0, bytes: 100_000), .endRound,
                .deliverBeacon(0, keepsCopy: false),
            ], mistake: mistake)
        #expect(violation?.invariant == (mistake == nil ? nil : .order))
    }

    @Test func shortensHistory() throws {
        let history = (1...200).lazy.compactMap { History.run(seed: $0, steps: 300, mistake: .losesWrites).1 }.first
        let short = try #require(history).shortened(mistake: .losesWrites)
        #expect(short.steps.count < 20, "\(short.steps)")
        #expect(short.violation.invariant == history?.violation.invariant)
    }
}

extension Mistake {
    /// The invariants of which one must notice the mistake.
    fileprivate var invariants: Set<Violation.Invariant> {
        switch self {
        case .losesWrites: [.logged, .stopped]
        case .losesArchivedRecords: [.logged]
        case .garblesLines: [.lines]
        case .hidesProblems: [.silence]
        case .renumbersMessages: [.once, .order, .ends, .logged]
        case .reversesFrames: [.order, .ends, .result]
        case .dropsEvaluations: [.ends]
        case .runsEvaluationsAgain: [.once]
        case .answersWrongly: [.result]
        case .forgetsReplies: [.ends]
        case .forgetsPredecessor: [.order]
        case .keepsDocuments: [.memory]
        }
    }
}
