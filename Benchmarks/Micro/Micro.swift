import Foundation

/// What the parts of a message's way cost by themselves: time, and allocations where `allocations.c` is loaded. Prints one
/// JSON object.
@main struct Micro {
    struct Figures: Codable {
        /// Nanoseconds of one call.
        let median: Double
        let p99: Double
        /// Of one call; nil where nobody counts.
        let allocations: Double?
    }

    @MainActor static func main() throws {
        var figures: [String: Figures] = [:]
        for operation in try Operations.all() { figures[operation.name] = measure(operation) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        print(String(decoding: try encoder.encode(figures), as: UTF8.self))
    }

    /// Calls it in batches: a batch takes some hundred microseconds, so that the clock does not count.
    @MainActor private static func measure(_ operation: Operation, batches: Int = 200) -> Figures {
        let clock = ContinuousClock()
        func time(_ count: Int) -> Double {
            clock.measure { for _ in 0..<count { operation.run() } } / .nanoseconds(1)
        }
        let count = max(1, Int(300_000 / (time(100) / 100)))
        _ = time(count)
        let before = Allocations.count
        let times = (0..<batches).map { _ in time(count) / Double(count) }.sorted()
        let allocations = before.flatMap { before in Allocations.count.map { Double($0 - before) } }
        return Figures(
            median: times[batches / 2], p99: times[batches * 99 / 100],
            allocations: allocations.map { (($0 / Double(batches * count)) * 10).rounded() / 10 })
    }
}

/// The counter of `allocations.c`.
enum Allocations {
    private typealias Counter = @convention(c) () -> Int

    private static let counter: Counter? = dlsym(nil, "bridged_allocations").map {
        // The symbol is that function: nobody else has the name.
        unsafeBitCast($0, to: Counter.self)
    }

    static var count: Int? { counter?() }
}
