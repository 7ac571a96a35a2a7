import BridgeProtocol
import BridgeServer
import Foundation
import TestSupport
import Testing

@testable import BridgeBrowsers

/// What a page posts can neither break its connection to the daemon nor make native code miss a decision.
@MainActor @Suite(.timeLimit(.minutes(2))) struct DrivenPageTests {
    private func text(_ count: Int) -> String { "\"\(String(repeating: "x", count: count))\"" }

    private func withPage(
        _ configure: (inout BridgeServer.Configuration) -> Void,
        _ body: @MainActor (DriverFixture, DrivenPage, StandInRealm) async throws -> Void
    ) async throws {
        try await withDriver(configure) { driver in
            driver.server.addHandler("plain", .plain { _, _ in .handled })
            let realm = StandInRealm()
            try await body(driver, DrivenPage(in: try await driver.webView(), realm), realm)
        }
    }

    @Test func messageWithTooManyBytes_failsAlone() async throws {
        try await withPage {
            $0.limits.messageBytes = 20_000
        } _: { driver, page, _ in
            // The first one is posted before the page knows the limit.
            for _ in 1...2 {
                let end = try await page.post(text(30_000))
                #expect(
                    end.error?.hasPrefix("bridged: the message to \"plain\" was not delivered: it has 30") == true)
                #expect(end.error?.hasSuffix("and the daemon takes 20000 a message.") == true)
                #expect(try await page.post("1").error == nil)
            }
            #expect(try await driver.recorder.problem("messageTooBig").text.contains("plain"))
            #expect(!driver.hasDetached)
        }
    }

    @Test func messagesWithTooManyValues_failAlone() async throws {
        try await withPage {
            $0.limits.values = 1_000
            $0.limits.nesting = 100
        } _: { driver, page, _ in
            let many = "[\(Array(repeating: "1", count: 2_000).joined(separator: ","))]"
            let deep = String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
            // The daemon closes a connection after 16 wrong messages.
            for _ in 1...20 {
                let ends = try await [page.post(many), page.post(deep + String(repeating: " ", count: 900))]
                #expect(ends[0].error?.contains("1000") == true)
                #expect(ends[1].error?.contains("levels") == true)
            }
            #expect(!driver.hasDetached)
        }
    }

    @Test func messagesOfOneTurnThatHaveTooManyValuesTogether_areHandled() async throws {
        try await withPage {
            $0.limits.values = 1_000
        } _: { driver, page, _ in
            _ = try await driver.attached()
            let body = "[\(Array(repeating: "1", count: 20).joined(separator: ","))]"
            let message = ScriptMessage(handler: "plain", world: nil, replies: false, members: "\"body\":\(body)")
            let ends = Ends()
            page.post((1...200).map { _ in (message, ends.add) })
            let errors = try await ends.wait(for: 200)
            #expect(errors.isEmpty)
            #expect(!driver.hasDetached)
        }
    }

    @Test func resultWithTooManyBytes_failsItsEvaluation() async throws {
        try await withPage {
            $0.limits.messageBytes = 20_000
        } _: { driver, _, realm in
            let page = try await driver.attached()
            realm.result = .success(.members("\"value\":\(text(30_000))"))
            let result: Result<ScriptValue, ScriptError> = try await waitForValue { ended in
                page.evaluate("x") { ended.yield($0) }
            }
            guard case .failure(let error) = result else { throw try #require(nil as RPCError?) }
            #expect("\(error)".contains("20000"), "\(error)")
            #expect(!driver.hasDetached)
        }
    }

    @Test func dialogWithTooManyBytes_isDismissed() async throws {
        try await withPage {
            $0.limits.messageBytes = 20_000
        } _: { driver, page, _ in
            _ = try await driver.attached()
            let isAccepted: Bool = try await waitForValue { answered in
                page.askAboutDialog("confirm", text(30_000), defaultText: nil) { accept, _ in answered.yield(accept) }
            }
            #expect(!isAccepted)
            #expect(try await driver.recorder.problem("dialogUnanswered").text.utf8.count < 500)
            #expect(!driver.hasDetached)
        }
    }

    @Test func decisionIsAskedAgain_ifTheConnectionBreaks() async throws {
        try await withDriver { driver in
            driver.server.defaultScope.driverHandler = { _, _, reply in reply.decide(isAllowed: true) }
            let proxy = try FaultyProxy(to: driver.port, bytes: 5_000...9_000, seed: 7)
            let realm = StandInRealm()
            var limits = DriverLimits()
            limits.questionTimeout = .seconds(100)  // Other tests may keep the daemon's actor busy for seconds.
            let page = DrivenPage(in: try await driver.webView(limits: limits, throughPort: proxy.port), realm)
            for number in 1...60 { #expect(try await page.isAllowed("http://localhost:3000/\(number)")) }
            #expect(proxy.cuts > 1)
        }
    }

    /// Native code makes a web view for each question.
    @Test func windowIsAskedAboutOnce_ifTheConnectionBreaks() async throws {
        try await withDriver { driver in
            let page = DrivenPage(in: try await driver.webView(), StandInRealm())
            page.askForWindow("http://localhost:3000/w") { _ in }
            page.decide(NavigationQuestion("http://localhost:3000/a")) { _ in }
            var questions = page.questions
            #expect(questions.send().count == 2)
            #expect(questions.disconnect().count == 1 && questions.count == 1)
        }
    }

    @Test func loadIsCancelled_withoutADecisionInTime() async throws {
        try await withDriver { driver in
            let realm = StandInRealm()
            var limits = DriverLimits()
            limits.questionTimeout = .milliseconds(300)
            let page = DrivenPage(in: try await driver.webView(limits: limits), realm)
            _ = try await driver.attached()
            #expect(try await page.isAllowed("http://localhost:3000/a"))
            await driver.server.stop()
            #expect(try await !page.isAllowed("http://localhost:3000/b"))
            #expect(driver.reports.contains { $0.contains("/b was cancelled") && $0.contains("300 ms") })
        }
    }

    @Test func loadIsCancelled_ifNativeCodeCannotSeeItsURL() async throws {
        try await withPage { _ in
        } _: { driver, page, _ in
            driver.server.defaultScope.driverHandler = { _, _, reply in reply.decide(isAllowed: true) }
            let long = String(repeating: "x", count: 10_000)
            let allowed = try await [page.isAllowed("http://localhost:3000/\(long)"), page.isAllowed("data:,\(long)")]
            #expect(allowed == [false, true])
            #expect(try await driver.recorder.problem("loadCancelled").text.contains("8192"))
        }
    }

    @Test func messagesBeyondTheLimit_fail() async throws {
        try await withDriver { driver in
            driver.server.addHandler("plain", .plain { _, _ in .handled })
            var limits = DriverLimits()
            limits.messages = 10
            let realm = StandInRealm()
            let page = DrivenPage(in: try await driver.webView(limits: limits), realm)
            let message = ScriptMessage(handler: "plain", world: nil, replies: false, members: "\"body\":1")
            let ends = Ends()
            for _ in 1...15 { page.post(message, end: ends.add) }
            let errors = try await ends.wait(for: 15)
            #expect(errors.count == 5 && errors.first?.contains("too many messages wait") == true)
            #expect(try await driver.recorder.problem("queueFull").text.contains("plain"))
        }
    }

    @Test func documentsOfAWebView_shareTheirMemory() async throws {
        try await withDriver { driver in
            driver.server.addHandler("plain", .plain { _, _ in .handled })
            var limits = DriverLimits()
            limits.totalBytes = 10_000
            let webView = try await driver.webView(limits: limits)
            let realm = StandInRealm()
            let pages = [webView, webView, webView.makePopup()].map { DrivenPage(in: $0, realm) }
            let ends = Ends()
            // The first two messages fill the memory.
            let message = ScriptMessage(
                handler: "plain", world: nil, replies: false, members: "\"body\":\(text(6_000))")
            for page in pages { page.post(message, end: ends.add) }
            #expect(try await ends.wait(for: 3).count == 1)
            // It is free again.
            #expect(try await pages[2].post("1").error == nil)
        }
    }
}

/// How messages have ended.
@MainActor private final class Ends {
    private var count = 0
    private var errors: [String] = []
    private let (changes, changed) = AsyncStream<Void>.makeStream()

    func add(_ end: MessageEnd) {
        count += 1
        if let error = end.error { errors.append(error) }
        changed.yield()
    }

    /// Waits until so many have ended, and returns the errors.
    func wait(for expected: Int) async throws -> [String] {
        for await _ in changes where count >= expected { return errors }
        throw CancellationError()
    }
}
