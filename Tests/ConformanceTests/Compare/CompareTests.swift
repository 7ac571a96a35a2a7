import Foundation
import TestSupport
import Testing

/// Compares real WebKit with the other ways of attaching, on random cases. `make compare` runs it.
@MainActor @Suite(.serialized) struct CompareTests {
    private nonisolated static let environment = ProcessInfo.processInfo.environment

    @Test(.enabled(if: environment["BRIDGED_COMPARE"] != nil, "make compare runs it"))
    func randomCasesEndAsInWebKit() async throws {
        let seconds = try #require(CompareTests.environment["BRIDGED_COMPARE"].flatMap { Int($0) }, "It is a number.")
        let seed = CompareTests.environment["SEED"].flatMap { UInt64($0) } ?? .random(in: 0..<1 << 32)
        let names =
            CompareTests.environment["BRIDGED_ENGINES"] ?? "drivenChromium,drivenFirefox,chromium,firefox,webKitGTK"
        let engines = try Selection(environment: ["BRIDGED_ENGINES": names]).engines().filter { $0 != .drivenWebKit }
        let (count, differences) = try await Comparer.run(in: engines, from: seed, until: .now + .seconds(seconds))
        let known = try KnownDifference.read()
        let unknown = try differences.filter { difference in
            try !known.contains { try $0.explains(difference) }
        }
        print(
            "\(count) cases from seed \(seed); \(differences.count) differences, \(unknown.count) without a known cause"
        )
        #expect(count > 0 && unknown.isEmpty, "\(unknown.map(\.description).joined(separator: "\n\n"))")
    }

    @Test func sameSeedMakesTheSameCases() {
        func texts(_ seed: UInt64) -> [String] {
            var generator = CaseGenerator(seed: seed)
            return (0..<200).map { _ in generator.next().text }
        }
        #expect(texts(1) == texts(1))
        #expect(Set(texts(1)).count > 150 && texts(1) != texts(2))
    }

    @Test func reductionsEndAtTheSmallestScript() {
        var generator = CaseGenerator(seed: 7)
        for _ in 0..<50 {
            var smallest = generator.next()
            guard smallest.text.contains("1") else { continue }
            while let smaller = smallest.reductions.first(where: { $0.text.contains("1") }) {
                #expect(smaller.text.utf8.count < smallest.text.utf8.count)
                smallest = smaller
            }
            #expect(
                smallest.steps.count == 1 && smallest.steps[0].script.reductions.allSatisfy { !$0.source.contains("1") }
            )
        }
    }
}
