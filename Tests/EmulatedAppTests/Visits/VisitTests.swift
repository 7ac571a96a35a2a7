import Foundation
import Testing

@testable import EmulatedApp

/// Visits as values: every event in every state.
@Suite struct VisitTests {
    private let url = URL(filePath: "/posts")

    private func visit(_ kind: Visit.Kind, _ options: VisitOptions = VisitOptions()) -> Visit {
        var visit = Visit(kind, to: url, options, restorationIdentifier: "r-0")
        _ = visit.start()
        return visit
    }

    private func tell(_ notices: Visit.Notice...) -> [Visit.Effect] { notices.map { .tell($0) } }

    // MARK: Cold boots

    @Test func aColdBootLoads_andEndsWithPageLoaded() {
        var visit = Visit(.coldBoot, to: url)
        #expect(visit.start() == [.tell(.willStart), .load(url)])
        #expect(visit.take(.loadStarted) == tell(.requestStarted))
        #expect(visit.take(.responded(status: 200)) == [])
        #expect(visit.take(.loaded) == [])
        let end = visit.take(.pageLoaded(restorationIdentifier: "r-1"))
        #expect(end == tell(.webViewLoaded, .requestFinished, .rendered, .completed))
        #expect(visit.state == .completed && visit.restorationIdentifier == "r-1")
    }

    @Test func aColdBootThatIsUnderWay_isNotLoadedAgain() {
        var visit = Visit(.coldBoot, to: url)
        #expect(visit.start(isUnderWay: true) == tell(.willStart))
        #expect(visit.start() == [])
    }

    @Test(arguments: [
        (Visit.Event.responded(status: 404), TurboError.http(statusCode: 404)),
        (.loadFailed(.networkFailure), .networkFailure), (.loadFailed(.timeoutFailure), .timeoutFailure),
        (.pageLoadFailed, .pageLoadFailure),
    ])
    func aColdBootFails_once(_ event: Visit.Event, _ error: TurboError) {
        var visit = visit(.coldBoot)
        _ = visit.take(.loadStarted)
        #expect(visit.take(event) == tell(.requestFinished, .failed(error)))
        #expect(visit.state == .failed)
        #expect(visit.take(event) == [])
        #expect(visit.take(.pageLoaded(restorationIdentifier: "late")) == [])
    }

    @Test func aColdBootKnowsNothing_ofTurbosVisits() {
        var visit = visit(.coldBoot)
        #expect(visit.take(.visitStarted(identifier: "v-1")) == nil)
        #expect(visit.take(.completed(identifier: "v-1", restorationIdentifier: "r")) == nil)
    }

    // MARK: JavaScript visits

    @Test func aJavaScriptVisitTellsTurbo_andFollowsIt() throws {
        var visit = Visit(.javaScript, to: url, VisitOptions(action: .restore), restorationIdentifier: "r-0")
        let call = """
            window.turboNative.visitLocationWithOptionsAndRestorationIdentifier("file:\\/\\/\\/posts",{"action":"restore"},"r-0")
            """
        let effects = visit.start()
        guard case .evaluate(let script) = effects.last else { throw Unexpected() }
        #expect(script.replacing("\\/", with: "/") == call.replacing("\\/", with: "/"))
        #expect(visit.take(.visitStarted(identifier: "v")) == [])
        #expect(visit.take(.requestStarted(identifier: "v")) == tell(.requestStarted))
        #expect(visit.take(.requestCompleted(identifier: "v")) == [])
        #expect(visit.take(.requestFinished(identifier: "v")) == tell(.requestFinished))
        #expect(visit.take(.rendered(identifier: "v")) == tell(.rendered))
        #expect(visit.take(.completed(identifier: "v", restorationIdentifier: "r-1")) == tell(.completed))
        #expect(visit.restorationIdentifier == "r-1")
        // A repaint may come after the end.
        #expect(visit.take(.rendered(identifier: "v")) == tell(.rendered))
        #expect(visit.take(.completed(identifier: "v", restorationIdentifier: "r-2")) == [])
        #expect(visit.restorationIdentifier == "r-1")
    }

    @Test func eventsOfAnotherVisit_areNotItsOwn() {
        var visit = visit(.javaScript)
        #expect(visit.take(.requestStarted(identifier: "v-1")) == nil)
        _ = visit.take(.visitStarted(identifier: "v-1"))
        #expect(visit.take(.rendered(identifier: "v-2")) == nil)
        #expect(visit.take(.completed(identifier: "v-2", restorationIdentifier: "r")) == nil)
        #expect(visit.take(.pageLoaded(restorationIdentifier: "r")) == nil)
        #expect(visit.state == .started)
        // The visit that Turbo began before was overtaken by this one.
        #expect(visit.take(.visitStarted(identifier: "v-2")) == [])
        #expect(visit.take(.requestStarted(identifier: "v-2")) == tell(.requestStarted))
    }

    @Test(arguments: [
        (404, TurboError.http(statusCode: 404)), (500, .http(statusCode: 500)), (-1, .timeoutFailure),
        (-2, .contentTypeMismatch),
    ])
    func aFailedRequestFailsTheVisit(_ status: Int, _ error: TurboError) {
        var visit = visit(.javaScript)
        _ = visit.take(.visitStarted(identifier: "v"))
        _ = visit.take(.requestStarted(identifier: "v"))
        #expect(visit.take(.requestFailed(identifier: "v", statusCode: status, url: nil)) == tell(.failed(error)))
        #expect(visit.take(.requestFinished(identifier: "v")) == tell(.requestFinished))
        #expect(visit.state == .failed)
    }

    @Test func aRequestThatReachedNobody_mayHaveBeenRedirected() throws {
        let elsewhere = URL(filePath: "/elsewhere")
        for (redirect, notice) in [
            (elsewhere, Visit.Notice.redirectedToOtherOrigin(elsewhere)), (nil, .failed(.networkFailure)),
        ] {
            var visit = visit(.javaScript)
            _ = visit.take(.visitStarted(identifier: "v"))
            let effects = visit.take(.requestFailed(identifier: "v", statusCode: 0, url: nil))
            #expect(effects == [.resolveRedirect(url)])
            #expect(visit.take(.redirectResolved(redirect)) == tell(notice))
            #expect(visit.take(.redirectResolved(redirect)) == [])
        }
    }

    @Test func aFailedEvaluationEndsIt() {
        var visit = visit(.javaScript)
        #expect(visit.take(.evaluationFailed) == tell(.evaluationFailed))
        #expect(visit.state == .failed)
    }

    @Test func aPageRefreshTellsTurboNothing() {
        var visit = Visit(.pageRefresh, to: url)
        #expect(visit.start() == tell(.willStart))
        #expect(visit.take(.visitStarted(identifier: "v")) == [])
    }

    // MARK: The end

    @Test func cancelling_stopsTurbosVisit_andNothingElseFollows() {
        var visit = visit(.javaScript)
        _ = visit.take(.visitStarted(identifier: "v"))
        _ = visit.take(.requestStarted(identifier: "v"))
        #expect(visit.take(.cancel) == [.cancelTurboVisit(identifier: "v"), .tell(.requestFinished)])
        #expect(visit.state == .canceled)
        #expect(visit.take(.cancel) == [])
        #expect(visit.take(.completed(identifier: "v", restorationIdentifier: "r")) == [])
        #expect(visit.take(.evaluationFailed) == [])
        #expect(visit.take(.requestFailed(identifier: "v", statusCode: 0, url: nil)) == [])
        #expect(visit.state == .canceled)
    }

    private struct Unexpected: Error {}
}
