import BridgeProtocol
import Foundation
import Testing

@testable import EmulatedApp

/// Why pages are requested, concluded from the app's decisions and visits and from the requests in the log.
@Suite struct VisitExplanationTests {
    private static let form = "http://localhost:3000/items"
    private static let item = "http://localhost:3000/items/1"

    /// A history whose last entry is the decision about a page's proposal.
    private func history(of text: String, from start: String = "http://localhost:3000/") throws -> VisitHistory {
        let (url, location) = (try #require(URL(string: text)), try #require(URL(string: start)))
        var navigator = Navigator(startLocation: location, framework: .ios12, properties: { _ in [:] })
        _ = navigator.launch()
        let before = navigator
        let step: (inout Navigator) -> [NavigationEffect] = {
            $0.visitProposed(url, action: .advance, redirected: true)
        }
        let effects = step(&navigator)
        var history = VisitHistory()
        history.begin(
            VisitHistory.Decision(
                before: before, after: navigator.state, reasons: navigator.reasons, effects: effects, step: step),
            cause: "a proposal", record: 10)
        return history
    }

    private func visit(
        _ text: String, record: Int, kind: String = "javaScript", hasResponse: Bool = false
    ) throws -> VisitHistory.Visit {
        VisitHistory.Visit(
            record: record, webView: "main", url: try #require(URL(string: text)), kind: kind, action: .advance,
            hasResponse: hasResponse)
    }

    private func request(
        _ record: Int, _ url: String, _ method: String = "GET", status: Int? = 200, type: String? = "fetch",
        failure: String? = nil, visit: Int? = nil
    ) -> EndedRequest {
        EndedRequest(
            record: record, webView: "main", began: Int64(record) * 1_000, ended: Int64(record) * 1_000 + 500,
            request: FinishedRequest(
                url: url, method: method, type: type, status: status, mimeType: failure == nil ? "text/html" : nil,
                failure: failure),
            visit: visit)
    }

    private func explain(_ history: VisitHistory, _ requests: [EndedRequest]) throws -> VisitExplanation {
        VisitExplanation(try #require(history.entries.last), requests)
    }

    /// A page can make as many requests as it likes. (With a search among all of them for each, 1,000 took 54 s.)
    @Test(.timeLimit(.minutes(1))) func thousandsOfRequestsAreExplained() throws {
        let redirected = (1...5_000).map { request(20 + 2 * $0, "http://localhost:3000/\($0)", status: 302) }
        let other = (1...5_000).map { request(21 + 2 * $0, "http://localhost:3000/other/\($0)", type: "document") }
        let explanation = try explain(
            history(of: Self.item), (redirected + other).sorted { $0.record < $1.record })
        #expect(explanation.requests.count + explanation.otherRequests == 10_000)
    }

    @Test func responseOfAFormIsShownWithoutAnotherRequest() throws {
        var history = try history(of: Self.item)
        history.add(try visit(Self.item, record: 11, hasResponse: true), cause: "")
        let explanation = try explain(
            history, [request(8, Self.form, "POST", status: 303), request(9, Self.item)])
        #expect(
            explanation.requests.map(\.because) == [
                "the page sends it: Turbo for a form, or a script", "the browser follows the redirect of POST /items",
            ])
        #expect(
            explanation.flash == "GET /items/1 can show it, and the app shows that response without another request.")
        #expect(explanation.findings == [])
    }

    @Test func flashIsLostIfThePageIsRequestedAgain() throws {
        var history = try history(of: Self.item)
        history.add(try visit(Self.item, record: 11, kind: "coldBoot"), cause: "")
        let explanation = try explain(
            history,
            [
                request(8, Self.form, "POST", status: 303), request(9, Self.item),
                request(12, Self.item, type: "document", visit: 11),
            ])
        #expect(explanation.requests.last?.because == "the app loads the page into the web view (a cold boot)")
        #expect(explanation.flash?.hasPrefix("Lost") == true)
        #expect(explanation.flash?.contains("record 12") == true)
        #expect(
            explanation.findings == [
                """
                /items/1 was requested 2 times. record 9: the browser follows the redirect of POST /items; record 12: the app \
                loads the page into the web view (a cold boot).
                """
            ])
    }

    @Test func flashIsLostIfNoVisitShowsTheResponse() throws {
        let history = try history(of: "http://localhost:3000/elsewhere")
        let explanation = try explain(
            history, [request(8, Self.form, "POST", status: 303), request(9, Self.item)])
        #expect(explanation.flash?.hasSuffix("no visit shows that response.") == true)
    }

    @Test func chainOfRedirectsBelongsToTheForm() throws {
        var history = try history(of: Self.item)
        history.add(try visit(Self.item, record: 11, hasResponse: true), cause: "")
        let middle = "http://localhost:3000/items/latest"
        let explanation = try explain(
            history,
            [
                request(7, Self.form, "POST", status: 303), request(8, middle, status: 302), request(9, Self.item),
            ])
        #expect(explanation.requests.last?.because == "the browser follows the redirect of GET /items/latest")
        #expect(explanation.flash?.hasPrefix("GET /items/1 can show it") == true)
    }

    @Test func turboRequestsAVisitAndTheAppLoadsItAgainAfterAFailure() throws {
        var history = try history(of: Self.item)
        history.add(try visit(Self.item, record: 11), cause: "")
        history.endDecision()
        history.expectRepetition(in: "main", because: .requestFailed(statusCode: 0))
        // The session's second attempt starts before the first visit has ended.
        history.add(try visit(Self.item, record: 14, kind: "coldBoot"), cause: "another cause")
        #expect(history.entries.count == 1)
        let explanation = try explain(
            history,
            [
                request(12, Self.item, status: nil, failure: "net::ERR_FAILED", visit: 11),
                request(15, Self.item, type: "document", visit: 14),
            ])
        #expect(
            explanation.requests.map(\.because) == [
                "Turbo requests the page for the app's visit",
                "Turbo's request failed (0), so the web view loads the URL",
            ])
        #expect(explanation.requests.first?.failure == "net::ERR_FAILED")
        #expect(explanation.findings.count == 1)
    }

    /// The reason is that of the problem `doubleVisit`.
    @Test func reloadHasTheReasonThatTurboHas() throws {
        var history = try history(of: Self.item)
        history.add(try visit(Self.item, record: 11), cause: "")
        history.endDecision()
        history.expectRepetition(in: "modal", because: .requestFailed(statusCode: 0))
        history.expectRepetition(in: "main", because: .pageReload(PageReload(reason: "tracked_element_mismatch")))
        history.add(try visit(Self.item, record: 14, kind: "coldBoot"), cause: "another cause")
        let explanation = try explain(
            history, [request(12, Self.item, visit: 11), request(15, Self.item, type: "document", visit: 14)])
        #expect(explanation.requests.last?.because == "Turbo has the page reloaded (tracked_element_mismatch)")
        #expect(explanation.findings.first?.contains("(tracked_element_mismatch)") == true)
        // A later visit has no such reason.
        history.endVisits(in: "main", record: 16)
        history.add(try visit(Self.item, record: 20, kind: "coldBoot"), cause: "the user pulls to refresh")
        #expect(history.entries.last?.visits.last?.repetition == nil)
    }

    @Test func whatThePageAsksForByItselfIsNoVisit() throws {
        var history = try history(of: Self.item)
        history.add(try visit(Self.item, record: 11), cause: "")
        let frame = "http://localhost:3000/frame"
        let explanation = try explain(
            history,
            [
                request(12, Self.item, visit: 11), request(13, frame, visit: 11),
                request(14, "http://localhost:3000/a.png", type: "image", visit: 11),
            ])
        #expect(
            explanation.requests.map(\.because) == [
                "Turbo requests the page for the app's visit",
                "the page asks for it by itself: Turbo for a frame or a prefetch, or a script",
            ])
        #expect(explanation.otherRequests == 1)
        #expect(explanation.flash == nil)
    }

    /// WebKit does not tell the type of a request.
    @Test func requestWithoutATypeIsForAPageIfItsResponseIsHTML() throws {
        var history = try history(of: Self.item)
        history.add(try visit(Self.item, record: 11), cause: "")
        let explanation = try explain(history, [request(12, Self.item, type: nil, visit: 11)])
        #expect(explanation.requests.map(\.because) == ["Turbo requests the page for the app's visit"])
    }

    @Test func visitWithoutADecisionHasACauseOfItsOwn() throws {
        var history = try history(of: Self.item)
        history.add(try visit(Self.item, record: 11), cause: "")
        history.endVisits(in: "main", record: 13)
        history.endDecision()
        history.add(try visit(Self.item, record: 20, kind: "coldBoot"), cause: "the user pulls to refresh")
        #expect(history.entries.map(\.cause) == ["a proposal", "the user pulls to refresh"])
        #expect(history.entries.first?.lastRecord == 13)
        #expect(history.entries.last?.lastRecord == nil)
        let explanation = try explain(history, [])
        #expect(explanation.before == nil)
        #expect(explanation.elsewhere.isEmpty)
    }

    /// The second proposal comes before the first visit has ended.
    @Test func eachRequestBelongsToOneOfTheOverlappingVisits() throws {
        var history = try history(of: Self.item)
        history.add(try visit(Self.item, record: 11), cause: "")
        history.endDecision()
        let other = try #require(URL(string: Self.form))
        let modal = VisitHistory.Visit(
            record: 20, webView: "modal", url: other, kind: "coldBoot", action: .advance, hasResponse: false)
        history.add(modal, cause: "another proposal")
        let inModal = EndedRequest(
            record: 18, webView: "modal", began: 0, ended: 0,
            request: FinishedRequest(url: Self.form, method: "POST", status: 303), visit: nil)
        let requests = [
            request(8, Self.form, "POST"), request(15, Self.item), inModal, request(22, Self.item, visit: 11),
            request(23, Self.form, visit: 20), request(24, Self.form),
        ]
        let found = history.requestsByEntry(requests).mapValues { $0.map(\.record) }
        #expect(found == [0: [8, 15, 22], 1: [18, 23, 24]])
        history.endVisits(in: "main", record: 25)
        #expect(history.requestsByEntry(requests).mapValues { $0.map(\.record) } == found)
        history.endVisits(in: "modal", record: 26)
        #expect(history.requestsByEntry([request(30, Self.form)]).isEmpty)
    }

    /// Turbo refuses a form whose answer has the status 200, so no visit follows it.
    @Test func refusedFormIsExplained() throws {
        var history = VisitHistory()
        history.add(
            VisitHistory.Problem(text: "Turbo refuses it.", url: Self.form), in: "main", record: 9,
            cause: "the page sends POST /items")
        let explanation = try explain(history, [request(8, Self.form, "POST")])
        #expect(explanation.cause == "the page sends POST /items")
        #expect(explanation.requests.map { "\($0.method) \($0.status ?? 0)" } == ["POST 200"])
        #expect(explanation.findings == ["Turbo refuses it."])
        #expect(history.requestsByEntry([request(8, Self.form, "POST"), request(12, Self.item)])[0]?.count == 1)
    }

    @Test func problemBelongsToTheVisitThatIsUnderWay() throws {
        var history = try history(of: Self.item)
        history.add(try visit(Self.item, record: 11), cause: "")
        for number in 1...20 {
            history.add(
                VisitHistory.Problem(text: "problem \(number)", url: nil), in: "main", record: 12, cause: nil)
        }
        history.endVisits(in: "main", record: 13)
        history.add(VisitHistory.Problem(text: "too late", url: nil), in: "main", record: 14, cause: nil)
        let explanation = try explain(history, [])
        #expect(explanation.findings == (1...10).map { "problem \($0)" })
        #expect(history.entries.count == 1)
    }

    @Test func historyIsLimited() throws {
        var history = VisitHistory()
        for record in 1...1_000 {
            history.add(try visit(Self.item, record: record), cause: "load \(record)")
            history.endVisits(in: "main", record: record)
        }
        #expect(history.entries.count == 100)
        #expect(history.entries.last?.cause == "load 1000")
    }

    @Test func textNamesWhatBelongsToAVisit() throws {
        var history = try history(of: Self.item)
        history.add(try visit(Self.item, record: 11, hasResponse: true), cause: "")
        var explanation = try explain(
            history, [request(8, Self.form, "POST", status: 303), request(9, Self.item)])
        explanation.elsewhere = [
            .init(
                frameworks: ["ios@1.2"], isSame: true, main: [], modal: [], why: [],
                visits: ["visit \(Self.item) in main"]),
            .init(
                frameworks: ["android@1.3"], isSame: false, main: [Self.item], modal: [], why: ["a reason"], visits: []),
            // The stacks are the same ones.
            .init(
                frameworks: ["ios@1.3"], isSame: false, main: [], modal: [], why: [],
                visits: ["refresh \(Self.item) in main"]),
            .init(frameworks: ["ios@main"], isSame: false, main: [], modal: [], why: ["another"], visits: []),
        ]
        let text = ReadableVisit(try JSON.parse(Array(explanation.text.utf8))).text
        #expect(
            text == """
                a proposal   (record 10)
                  because    the place is new and the action is advance: it is pushed
                  stacks     main: /
                             → main: / › /items/1
                  requests   POST /items → 303    the page sends it: Turbo for a form, or a script
                             GET /items/1 → 200   the browser follows the redirect of POST /items
                  flash      GET /items/1 can show it, and the app shows that response without another request.
                  elsewhere  ios@1.2: as here
                             android@1.3: main: /items/1   because a reason
                             ios@1.3: main: nothing   with refresh /items/1 in main, and here with visit /items/1 in main
                             ios@main: main: nothing   with no visit, and here with visit /items/1 in main   because another
                """)
    }
}
