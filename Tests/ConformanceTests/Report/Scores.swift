import BridgeTesting
import Foundation

/// Passed and total per group and browser, and what differs from what is known.
struct Scores: Sendable {
    private static let groups = [
        "post", "reply", "surface", "lifecycle", "evaluate", "callAsync", "userscript", "world",
    ]

    private(set) var verdicts: [(engine: Browser.Engine, verdicts: [CaseVerdict])] = []

    mutating func add(_ engine: Browser.Engine, _ verdicts: [CaseVerdict]) {
        self.verdicts.append((engine, verdicts.filter(\.isScored)))
    }

    /// A line for each group, a column for each browser.
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

    /// Failures that nobody has explained.
    func unknownFailures(_ known: KnownCases) -> [String] {
        all.filter { !$0.verdict.passed && known.cause(of: $0.verdict.id, in: $0.engine) == nil }.map(Scores.text)
    }

    private static func text(_ engine: Browser.Engine, _ verdict: CaseVerdict) -> String {
        "\(engine) \(verdict.id)\n     \(verdict.failure ?? "")"
    }

    /// Cases that are listed as failing and pass.
    func knownPasses(_ known: KnownCases) -> [String] {
        all.filter { engine, verdict in
            verdict.passed && known.cause(of: verdict.id, in: engine) != nil && !known.isRace(verdict.id)
        }
        .map { "\($0.engine) \($0.verdict.id)" }
    }

    /// What takes the time.
    var slowest: String {
        all.sorted { $0.verdict.duration > $1.verdict.duration }.prefix(25)
            .map { "\($0.engine) \($0.verdict.id) \($0.verdict.duration.formatted(.units(width: .narrow)))" }
            .joined(separator: ", ")
    }

    private var all: [(engine: Browser.Engine, verdict: CaseVerdict)] {
        verdicts.flatMap { engine, verdicts in verdicts.map { (engine, $0) } }
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(1, width - count)) }
}

extension Double {
    fileprivate func rounded(toTenths: Void) -> Double { (self * 10).rounded() / 10 }
}
