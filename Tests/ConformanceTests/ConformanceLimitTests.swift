import TestSupport
import Testing

/// Checks that a run of the recorded cases ends if the browser does not answer.
@MainActor struct ConformanceLimitTests {
    @Test func browserThatNeverAnswers_failsTheOtherCasesAtOnce() async throws {
        let results = try await withConformance { conformance, cases in await conformance.run(cases, windows: 1) }
        let reasons = results.values.map(\.reason)
        #expect(reasons.count(where: { $0?.hasPrefix("no outcome in") == true }) == 8)
        #expect(
            reasons.count(where: { $0?.hasPrefix("the browser no longer answers: 8 cases in a row") == true }) == 4)
    }

    @Test func runThatReachesItsTimeLimit_saysWhichCasesDidNotRun() async throws {
        let results = try await withConformance { conformance, cases in
            let run = Task { await conformance.run(cases, windows: 1) }
            run.cancel()
            return await run.value
        }
        #expect(results.count == 12)
        #expect(results.values.allSatisfy { $0.reason?.hasPrefix("the run reached its time limit") == true })
    }

    private func withConformance(
        _ body: @MainActor (Conformance, [RecordedCase]) async throws -> [String: CaseResult]
    ) async throws -> [String: CaseResult] {
        let cases = Array(try Recordings.all().prefix(12))
        return try await withServer { server, address in
            let conformance = Conformance(
                browser: SilentBrowser(), isDriven: true, server: server, address: address, commonFiles: [:],
                caseLimit: .milliseconds(10))
            return try await body(conformance, cases)
        }
    }
}

extension CaseResult {
    fileprivate var reason: String? {
        switch self {
        case .ended: nil
        case .failed(let reason): reason
        }
    }
}

/// A browser whose windows never show a page.
@MainActor private final class SilentBrowser: CaseBrowser {
    var onEnd: (@MainActor (String) -> Void)?

    func makeWindow() -> any CaseWindow { SilentWindow() }
    func evaluate(_ script: String, completion: @escaping (NativeResult) -> Void) {}
    func closeBrowser() {}
}

@MainActor private final class SilentWindow: CaseWindow {
    let beginsEmpty = true

    func show(_ url: String, webView: String, anew: Bool) {}
    func showEmpty(webView: String) {}
    func endCase() {}
}
