import Foundation

/// Measures the time of each step in handling a message, and its allocations if `allocations.c` is loaded. Prints a
/// JSON object.
@main struct Micro {
    struct Figures: Codable {
        /// The time of one call in nanoseconds.
        let median: Double
        let p99: Double
        /// The allocations of one call. `nil` if they are not counted.
        let allocations: Double?
    }

    @MainActor static func main() throws {
        var figures: [String: Figures] = [:]
        for operation in try Operations.all() { figures[operation.name] = measure(operation) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        print(String(decoding: try encoder.encode(figures), as: UTF8.self))
    }

    /// Calls the operation in batches of some hundred microseconds, so that the cost of reading the clock is
    /// negligible.
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

/// The counter in `allocations.c`.
enum Allocations {
    private typealias Counter = @convention(c) () -> Int

    private static let counter: Counter? = dlsym(nil, "bridged_allocations").map {
        // Only allocations.c defines this symbol, with this type.
        unsafeBitCast($0, to: Counter.self)
    }

    static var count: Int? { counter?() }
}
