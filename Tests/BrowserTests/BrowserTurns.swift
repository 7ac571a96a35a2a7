import Foundation
import TestSupport
import Testing

extension Trait where Self == BrowserTurns {
    /// Makes the tests of the suite wait until few enough other tests use browsers.
    static var browserTurns: BrowserTurns { BrowserTurns() }
}

/// Limits the number of tests that use browsers at a time. A browser is several processes; on two cores, twenty
/// browsers would make each other's tests exceed their time limits.
struct BrowserTurns: TestTrait, SuiteTrait, TestScoping {
    let isRecursive = true

    /// A test waits once, before all its cases. It can't wait within a case, because a case has a time limit.
    func scopeProvider(for test: Test, testCase: Test.Case?) -> BrowserTurns? {
        test.isSuite || testCase != nil ? nil : self
    }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        captureWarnings()
        await Turns.shared.acquire()
        let outcome = await Result(catching: function)
        await Turns.shared.release()
        try outcome.get()
    }
}

/// Grants one turn more than there are cores, because browsers often wait. First come, first served.
private actor Turns {
    static let shared = Turns()

    private var free = ProcessInfo.processInfo.activeProcessorCount + 1
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func acquire() async {
        guard free == 0 else {
            free -= 1
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    func release() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}

extension Result where Failure == any Error {
    fileprivate init(catching body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
