import BridgeProtocol
import TestSupport
import Testing

@testable import BridgeTraffic

/// Which problems get a record of their own, and how the others are counted.
@MainActor @Suite struct RepeatedProblemsTests {
    private let begin = ContinuousClock.now

    private func problem(_ text: String, _ code: String = "c", from source: String = "a") -> Problem {
        Problem(code: code, text: text, hint: "h", source: source)
    }

    private func texts(_ ended: [(problem: Problem, count: Int)]) -> [String] {
        ended.map { "\($0.problem.text) ×\($0.count)" }
    }

    @Test func admitsFiveEqualProblems_andCountsTheOthers() {
        var repeated = RepeatedProblems()
        let admitted = (1...12).map { _ in repeated.admit(problem("x"), at: begin) }
        #expect(admitted == Array(repeating: true, count: 5) + Array(repeating: false, count: 7))
        // Another problem, another client and another code are not affected.
        for other in [problem("y"), problem("x", from: "b"), problem("x", "d")] {
            let isAdmitted = repeated.admit(other, at: begin)
            #expect(isAdmitted, "\(other)")
        }
        let ended = repeated.end()
        #expect(texts(ended) == ["x ×7"])
        let isAdmitted = repeated.admit(problem("x"), at: begin)
        #expect(isAdmitted && !repeated.isHoldingBack)
    }

    @Test func admitsTenTextsOfAClient_andAHundredOfAll() {
        var repeated = RepeatedProblems()
        let ofOne = (1...15).map { repeated.admit(problem("\($0)"), at: begin) }
        #expect(ofOne.count { $0 } == 10)
        var ofAll = 10
        for source in 1...200 where repeated.admit(problem("x", from: "\(source)"), at: begin) { ofAll += 1 }
        #expect(ofAll == 100)
        let more = "There were more problems with the code c. The first of them:"
        let ended = repeated.end()
        #expect(texts(ended) == ["\(more) 11 ×5", "\(more) x ×110"])
    }

    @Test func countsNothing_ifTheWindowEndedBefore() {
        var repeated = RepeatedProblems()
        for seconds in 0..<100 {
            let isAdmitted = repeated.admit(problem("x"), at: begin + .seconds(7 * seconds))
            #expect(isAdmitted)
        }
        #expect(!repeated.isHoldingBack)
    }

    @Test func recordsTheCount_withTheProblem() throws {
        let log = try TrafficLog(
            path: nil, kept: RecordRing.Limits(records: 100, bytes: 1 << 20), logger: .init(label: "test"))
        for number in 1...20 {
            log.problem(ProblemCode("c"), "x", hint: "h")
            log.problem(ProblemCode("about"), "x", hint: "h", about: number)
        }
        #expect(log.lastRecord == 25, "a problem about a message has a record each time")
        log.countRepeatedProblems()
        log.countRepeatedProblems()
        let last = try #require(log.query(after: 25, limit: 10).records.first)
        #expect(log.lastRecord == 26)
        #expect(
            last.json["code"]?.string == "c" && last.json["text"]?.string == "x" && last.json["count"]?.number == 15)
        let record = try #require(TrafficRecord(line: last.line))
        #expect(ReadableTraffic().text(record).contains("! c: x (15 more times)\n"))
    }
}
