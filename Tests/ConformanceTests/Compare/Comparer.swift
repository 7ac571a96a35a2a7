import TestSupport

/// Runs random cases in real WebKit and in other engines, and looks for the smallest that end differently.
@MainActor final class Comparer {
    private static let batch = 16
    /// How many cases of a batch are made smaller. Most of the others differ for the same reason.
    private static let shrunk = 2
    /// How many smaller cases run at a time.
    private static let few = 8

    private let webKit: Conformance
    private let others: [(engine: CaseEngine, browser: Conformance)]
    private let deadline: ContinuousClock.Instant
    private var number = 0
    private(set) var caseCount = 0
    private(set) var differences: [Difference] = []

    /// Runs cases until a deadline.
    /// - Returns: the number of cases, and the differences, each of them once.
    static func run(
        in engines: [CaseEngine], from seed: UInt64, until deadline: ContinuousClock.Instant
    ) async throws -> (Int, [Difference]) {
        try await Conformance.withBrowser(.drivenWebKit) { webKit in
            try await start(engines[...], []) { others in
                let comparer = Comparer(webKit, others, until: deadline)
                await comparer.run(from: seed)
                return (comparer.caseCount, comparer.differences)
            }
        }
    }

    /// Starts the browsers one after the other, and then runs `body`.
    private static func start<Value: Sendable>(
        _ engines: ArraySlice<CaseEngine>, _ started: [(CaseEngine, Conformance)],
        _ body: @MainActor ([(CaseEngine, Conformance)]) async throws -> Value
    ) async throws -> Value {
        guard let engine = engines.first else { return try await body(started) }
        return try await Conformance.withBrowser(engine) { browser in
            try await start(engines.dropFirst(), started + [(engine, browser)], body)
        }
    }

    private init(
        _ webKit: Conformance, _ others: [(CaseEngine, Conformance)], until deadline: ContinuousClock.Instant
    ) {
        self.webKit = webKit
        self.others = others
        self.deadline = deadline
    }

    private var hasTime: Bool { ContinuousClock.now < deadline }

    private func run(from first: UInt64) async {
        var seed = first
        while hasTime {
            let seeds = seed..<seed + UInt64(Comparer.batch)
            seed = seeds.upperBound
            let cases = seeds.map { seed in
                var generator = CaseGenerator(seed: seed)
                return generator.next()
            }
            let expected = await outcomes(of: cases, in: webKit)
            caseCount += cases.count
            for (engine, browser) in others where hasTime {
                let found = await differing(cases, expected, in: browser)
                for index in found.prefix(Comparer.shrunk) where hasTime {
                    await report(cases[index], seeds[seeds.startIndex + UInt64(index)], engine, browser)
                }
            }
        }
    }

    private func report(_ one: GeneratedCase, _ seed: UInt64, _ engine: CaseEngine, _ browser: Conformance) async {
        // A case that depends on a race ends differently in WebKit itself.
        guard let confirmed = await first([one], differingIn: browser) else { return }
        var smallest = confirmed
        while hasTime, let smaller = await first(Array(smallest.one.reductions.prefix(40)), differingIn: browser) {
            smallest = smaller
        }
        let isKnown = differences.contains { $0.engine == engine && $0.smallest == smallest.one }
        guard !isKnown else { return }
        let difference = Difference(
            engine: engine, smallest: smallest.one, webKit: smallest.webKit, other: smallest.other, seed: seed)
        differences.append(difference)
        print("\(difference)\n")
    }

    /// Returns the first case that differs twice from WebKit.
    private func first(
        _ cases: [GeneratedCase], differingIn browser: Conformance
    ) async -> (one: GeneratedCase, webKit: String, other: String)? {
        for start in stride(from: 0, to: cases.count, by: Comparer.few) {
            let few = Array(cases[start..<min(start + Comparer.few, cases.count)])
            let expected = await outcomes(of: few, in: webKit)
            for index in await differing(few, expected, in: browser) {
                let again = await outcomes(of: [few[index]], in: webKit)[0]
                let other = await outcomes(of: [few[index]], in: browser)[0]
                guard !differs(expected[index], again), differs(again, other) else { continue }
                return (few[index], text(again), text(other))
            }
        }
        return nil
    }

    /// Returns the indices of the cases that end differently.
    private func differing(
        _ cases: [GeneratedCase], _ expected: [CaseResult], in browser: Conformance
    ) async -> [Int] {
        let actual = await outcomes(of: cases, in: browser)
        return cases.indices.filter { differs(expected[$0], actual[$0]) }
    }

    private func outcomes(of cases: [GeneratedCase], in browser: Conformance) async -> [CaseResult] {
        let recorded = cases.map { one in
            number += 1
            return one.recorded(as: "compare/\(number)")
        }
        let results = await browser.run(recorded)
        return recorded.map { results[$0.id] ?? .failed("It did not run.") }
    }

    /// Returns whether two outcomes differ in more than what engines word by themselves. A case that WebKit does not end
    /// says nothing.
    private func differs(_ webKit: CaseResult, _ other: CaseResult) -> Bool {
        switch (webKit, other) {
        case (.failed, _): false
        case (.ended, .failed): true
        case (.ended(let expected, _), .ended(let actual, _)):
            !zip(expected, actual).contains { Comparison(ignoresText: true, ignoresColumns: true).matches($0, $1) }
        }
    }

    private func text(_ result: CaseResult) -> String {
        switch result {
        case .failed(let reason): reason
        case .ended(let outcomes, _): outcomes.first?.canonicalText ?? "nothing"
        }
    }
}
