import Foundation

/// The verdicts of a run: totals for each group and browser, and differences from the known cases.
struct Scores: Sendable {
    private static let groups = [
        "post", "reply", "surface", "lifecycle", "evaluate", "callAsync", "userscript", "world",
    ]

    private(set) var verdicts: [(engine: CaseEngine, verdicts: [CaseVerdict])] = []

    mutating func add(_ engine: CaseEngine, _ verdicts: [CaseVerdict]) {
        self.verdicts.append((engine, verdicts.filter(\.isScored)))
    }

    /// A table with a line for each group and a column for each browser.
    var table: String {
        let names = verdicts.map { "\($0.engine)".padded(to: 22) }.joined()
        let lines = Scores.groups.map { group in
            group.padded(to: 12) + verdicts.map { cell($0.verdicts.filter { $0.group == group }) }.joined()
        }
        let total = "total".padded(to: 12) + verdicts.map { cell($0.verdicts) }.joined()
        return (["".padded(to: 12) + names] + lines + [total]).joined(separator: "\n")
    }

    private func cell(_ verdicts: [CaseVerdict]) -> String {
        let passed = verdicts.count(where: \.passed)
        let share = verdicts.isEmpty ? 100 : Double(passed) * 100 / Double(verdicts.count)
        return "\(passed)/\(verdicts.count) (\(share.rounded(toTenths: ())) %)".padded(to: 22)
    }

    var failures: [String] { all.filter { !$0.verdict.passed }.map(Scores.text) }

    /// Returns the failures that are not among the known cases.
    func unknownFailures(_ known: KnownCases) -> [String] {
        all.filter { !$0.verdict.passed && known.cause(of: $0.verdict.id, in: $0.engine) == nil }.map(Scores.text)
    }

    private static func text(_ engine: CaseEngine, _ verdict: CaseVerdict) -> String {
        "\(engine) \(verdict.id)\n     \(verdict.failure ?? "")"
    }

    /// Returns the cases that pass although they are listed as known failures.
    func knownPasses(_ known: KnownCases) -> [String] {
        all.filter { engine, verdict in
            verdict.passed && known.cause(of: verdict.id, in: engine) != nil && !known.isRace(verdict.id)
        }
        .map { "\($0.engine) \($0.verdict.id)" }
    }

    /// The cases that took the most time.
    var slowest: String {
        all.sorted { $0.verdict.duration > $1.verdict.duration }.prefix(25)
            .map { "\($0.engine) \($0.verdict.id) \($0.verdict.duration.formatted(.units(width: .narrow)))" }
            .joined(separator: ", ")
    }

    private var all: [(engine: CaseEngine, verdict: CaseVerdict)] {
        verdicts.flatMap { engine, verdicts in verdicts.map { (engine, $0) } }
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(1, width - count)) }
}

extension Double {
    fileprivate func rounded(toTenths: Void) -> Double { (self * 10).rounded() / 10 }
}
