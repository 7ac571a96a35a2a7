import Foundation
import Testing

@testable import EmulatedApp

/// The state machine of visits: every event in every state.
@Suite struct VisitTests {
    private let url = URL(filePath: "/posts")

    private func visit(_ kind: Visit.Kind, _ options: VisitOptions = VisitOptions()) -> Visit {
        var visit = Visit(kind, to: url, options, restorationIdentifier: "r-0")
        _ = visit.start()
        return visit
    }

    private func notifications(_ notices: Visit.Notice...) -> [Visit.Effect] { notices.map { .notify($0) } }

    // MARK: Cold boots

    @Test func coldBoot_loads_andEndsWithPageLoaded() {
        var visit = Visit(.coldBoot, to: url)
        #expect(visit.start() == [.notify(.willStart), .load(url), .notify(.requestStarted)])
        #expect(visit.handle(.loadStarted) == [])
        #expect(visit.handle(.responded(status: 200)) == [])
        #expect(visit.handle(.loaded) == notifications(.requestFinished))
        let end = visit.handle(.pageLoaded(restorationIdentifier: "r-1"))
        #expect(end == notifications(.rendered, .webViewLoaded, .completed))
        #expect(visit.state == .completed && visit.restorationIdentifier == "r-1")
    }

    /// Turbo is often ready before all images and stylesheets are loaded.
    @Test func coldBoot_endsItsRequest_ifThePageRendersBeforeItsLoadIsComplete() {
        var visit = visit(.coldBoot)
        let end = visit.handle(.pageLoaded(restorationIdentifier: "r-1"))
        #expect(end == notifications(.rendered, .requestFinished, .webViewLoaded, .completed))
        #expect(visit.handle(.loaded) == [])
    }

    @Test func coldBoot_showsAResponseThatIsAtHand() {
        var options = VisitOptions(response: VisitResponse(statusCode: 200, responseHTML: "<p>"))
        var visit = Visit(.coldBoot, to: url, options)
        #expect(visit.start() == [.notify(.willStart), .show(html: "<p>", url), .notify(.requestStarted)])
        options.response = VisitResponse(statusCode: 500, responseHTML: "<p>")
        visit = Visit(.coldBoot, to: url, options)
        #expect(visit.start() == [.notify(.willStart), .load(url), .notify(.requestStarted)])
    }

    @Test func coldBoot_underWay_isNotLoadedAgain() {
        var visit = Visit(.coldBoot, to: url)
        #expect(visit.start(isUnderWay: true) == notifications(.willStart, .requestStarted))
        #expect(visit.start() == [])
    }

    @Test(arguments: [
        (Visit.Event.responded(status: 404), TurboError.http(statusCode: 404)),
        (.responded(status: 304), .http(statusCode: 304)),
        (.loadFailed(.networkFailure), .networkFailure), (.loadFailed(.timeoutFailure), .timeoutFailure),
        (.pageLoadFailed, .pageLoadFailure),
    ])
    func aColdBootFails_once(_ event: Visit.Event, _ error: TurboError) {
        var visit = visit(.coldBoot)
        _ = visit.handle(.loadStarted)
        #expect(visit.handle(event) == notifications(.failed(error), .requestFinished))
        #expect(visit.state == .failed)
        #expect(visit.handle(event) == [])
        #expect(visit.handle(.pageLoaded(restorationIdentifier: "late")) == [])
    }

    @Test func coldBoot_ignoresTurbosVisits() {
        var visit = visit(.coldBoot)
        #expect(visit.handle(.visitStarted(identifier: "v-1")) == nil)
        #expect(visit.handle(.completed(identifier: "v-1", restorationIdentifier: "r")) == nil)
    }

    // MARK: JavaScript visits

    @Test func javaScriptVisit_callsTurbo_andFollowsItsEvents() throws {
        var visit = Visit(.javaScript, to: url, VisitOptions(action: .restore), restorationIdentifier: "r-0")
        let call = """
            window.turboNative.visitLocationWithOptionsAndRestorationIdentifier("file:\\/\\/\\/posts",{"action":"restore"},"r-0")
            """
        let effects = visit.start()
        guard case .evaluate(let script) = effects.last else { throw Unexpected() }
        #expect(script.replacing("\\/", with: "/") == call.replacing("\\/", with: "/"))
        #expect(visit.handle(.visitStarted(identifier: "v")) == [])
        #expect(visit.handle(.requestStarted(identifier: "v")) == notifications(.requestStarted))
        #expect(visit.handle(.requestCompleted(identifier: "v")) == [])
        #expect(visit.handle(.requestFinished(identifier: "v")) == notifications(.requestFinished))
        #expect(visit.handle(.rendered(identifier: "v")) == notifications(.rendered))
        #expect(visit.handle(.completed(identifier: "v", restorationIdentifier: "r-1")) == notifications(.completed))
        #expect(visit.restorationIdentifier == "r-1")
        // Turbo may render after the end of the visit.
        #expect(visit.handle(.rendered(identifier: "v")) == notifications(.rendered))
        #expect(visit.handle(.completed(identifier: "v", restorationIdentifier: "r-2")) == [])
        #expect(visit.restorationIdentifier == "r-1")
    }

    @Test func javaScriptVisit_rejectsEventsOfAnotherVisit() {
        var visit = visit(.javaScript)
        #expect(visit.handle(.requestStarted(identifier: "v-1")) == nil)
        _ = visit.handle(.visitStarted(identifier: "v-1"))
        #expect(visit.handle(.rendered(identifier: "v-2")) == nil)
        #expect(visit.handle(.completed(identifier: "v-2", restorationIdentifier: "r")) == nil)
        #expect(visit.handle(.pageLoaded(restorationIdentifier: "r")) == nil)
        #expect(visit.state == .started)
        // A later visit of Turbo takes over.
        #expect(visit.handle(.visitStarted(identifier: "v-2")) == [])
        #expect(visit.handle(.requestStarted(identifier: "v-2")) == notifications(.requestStarted))
    }

    @Test(arguments: [
        (404, TurboError.http(statusCode: 404)), (500, .http(statusCode: 500)),
    ])
    func aFailedRequestFailsTheVisit(_ status: Int, _ error: TurboError) {
        var visit = visit(.javaScript)
        _ = visit.handle(.visitStarted(identifier: "v"))
        _ = visit.handle(.requestStarted(identifier: "v"))
        #expect(
            visit.handle(.requestFailed(identifier: "v", statusCode: status))
                == notifications(.failed(error), .requestFinished))
        #expect(visit.handle(.requestFinished(identifier: "v")) == [])
        #expect(visit.state == .failed)
    }

    /// Every status of Turbo that is no HTTP status may stand for a redirect.
    @Test(arguments: [
        (0, RedirectResolver.Result.unreachable, [Visit.Effect.notify(.failed(.networkFailure))]),
        (-1, .unreachable, [.notify(.failed(.timeoutFailure))]),
        (-2, .noRedirect, [.notify(.failed(.contentTypeMismatch))]),
        (0, .sameHost, [.notify(.failed(.networkFailure))]),
        (0, .noRedirect, [.retry(status: 0)]), (-1, .noRedirect, [.retry(status: -1)]),
        (0, .crossOrigin(elsewhere), [.notify(.redirectedToOtherOrigin(elsewhere))]),
        (-2, .crossOrigin(elsewhere), [.notify(.redirectedToOtherOrigin(elsewhere))]),
    ])
    func failedRequest_isCheckedForARedirect(
        _ status: Int, _ result: RedirectResolver.Result, _ expected: [Visit.Effect]
    ) throws {
        var visit = visit(.javaScript)
        _ = visit.handle(.visitStarted(identifier: "v"))
        let effects = visit.handle(.requestFailed(identifier: "v", statusCode: status))
        #expect(effects == [.resolveRedirect(url)])
        #expect(visit.handle(.requestFailed(identifier: "v", statusCode: status)) == [])
        #expect(visit.handle(.redirectResolved(result)) == expected)
    }

    private static let elsewhere = URL(filePath: "/elsewhere")

    /// turbo-ios has no status but `networkFailure` for a redirect to another origin; see its `turbo.js`.
    @Test func failedRequestOfTurboIOS_failsAtOnce() {
        var visit = Visit(.javaScript, to: url, framework: .turboIOS71)
        _ = visit.start()
        _ = visit.handle(.visitStarted(identifier: "v"))
        let effects = visit.handle(.requestFailed(identifier: "v", statusCode: 0))
        #expect(effects?.first == .notify(.failed(.networkFailure)))
    }

    @Test func failedEvaluation_endsTheVisit() {
        var visit = visit(.javaScript)
        #expect(visit.handle(.evaluationFailed) == notifications(.evaluationFailed))
        #expect(visit.state == .failed)
    }

    @Test func pageRefresh_doesNotCallTurbo() {
        var visit = Visit(.pageRefresh, to: url)
        #expect(visit.start() == notifications(.willStart))
        #expect(visit.handle(.visitStarted(identifier: "v")) == [])
    }

    // MARK: The end

    @Test func cancel_stopsTurbosVisit_andIgnoresLaterEvents() {
        var visit = visit(.javaScript)
        _ = visit.handle(.visitStarted(identifier: "v"))
        _ = visit.handle(.requestStarted(identifier: "v"))
        #expect(visit.handle(.cancel) == [.cancelTurboVisit(identifier: "v"), .notify(.requestFinished)])
        #expect(visit.state == .canceled)
        #expect(visit.handle(.cancel) == [])
        #expect(visit.handle(.completed(identifier: "v", restorationIdentifier: "r")) == [])
        #expect(visit.handle(.evaluationFailed) == [])
        #expect(visit.handle(.requestFailed(identifier: "v", statusCode: 0)) == [])
        #expect(visit.state == .canceled)
    }

    private struct Unexpected: Error {}
}
