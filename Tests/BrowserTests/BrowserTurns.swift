import Foundation
import TestSupport
import Testing

extension Trait where Self == BrowserTurns {
    /// Has the suite's tests wait for their turn at the machine.
    static var browserTurns: BrowserTurns { BrowserTurns() }
}

/// Lets only some tests at a time have browsers: a browser is several processes, and twenty browsers on two cores run into
/// each other's time limits.
struct BrowserTurns: TestTrait, SuiteTrait, TestScoping {
    let isRecursive = true

    /// A test waits with all its cases, and not within one: a case has its time limit.
    func scopeProvider(for test: Test, testCase: Test.Case?) -> BrowserTurns? {
        test.isSuite || testCase != nil ? nil : self
    }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        captureWarnings()
        await Turns.shared.take()
        let outcome = await Result(catching: function)
        await Turns.shared.give()
        try outcome.get()
    }
}

/// As many turns as there are cores, and one more: browsers wait as well. First come, first served.
private actor Turns {
    static let shared = Turns()

    private var free = ProcessInfo.processInfo.activeProcessorCount + 1
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func take() async {
        guard free == 0 else {
            free -= 1
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    func give() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}

extension Result where Failure == any Error {
    fileprivate init(catching body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
