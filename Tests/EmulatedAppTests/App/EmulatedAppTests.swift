import BridgeProtocol
import Foundation
import TestSupport
import Testing

@testable import EmulatedApp

/// The app and an adapter's messages, one by one: what comes of each, and the verdict for each way in which a visit dies.
@MainActor @Suite(.timeLimit(.minutes(1))) struct EmulatedAppTests {
    private static let proposal = """
        {"location":"http://localhost:3000/posts","options":{"action":"advance","shouldCacheSnapshot":true,"frame":null}}
        """

    @Test func visits_asTheFrameworksAdaptersTell() async throws {
        try await PageFixture.run { hand in
            try await hand.boot()
            #expect(try await hand.post("visitProposed", Self.proposal) == .handled)
            let call = try await hand.script()
            #expect(
                call
                    == """
                    window.turboNative.visitLocationWithOptionsAndRestorationIdentifier("http:\\/\\/localhost:3000\\/posts",\
                    {"action":"advance"},null)
                    """.replacing("\\/", with: "/"))
            try await hand.post("visitStarted", #"{"identifier":"v","hasCachedSnapshot":false,"isPageRefresh":false}"#)
            try await hand.post("visitRequestStarted", #"{"identifier":"v"}"#)
            try await hand.post("visitRequestCompleted", #"{"identifier":"v"}"#)
            try await hand.post("visitRequestFinished", #"{"identifier":"v"}"#)
            try await hand.post("visitRendered", #"{"identifier":"v"}"#)
            let end = try await hand.post("visitCompleted", #"{"identifier":"v","restorationIdentifier":"r-1"}"#)
            #expect(end == .handled && hand.main == ["/", "/posts"] && hand.app.visibleScreen?.title == "Test")
            // Back is a restore visit, with what the first screen's page was called.
            hand.app.navigate("back") { $0.back() }
            #expect(try await hand.script().hasSuffix(#"{"action":"restore"},"r-0")"#))
        }
    }

    @Test func aTurboThatNeverComes_failsTheVisit() async throws {
        try await PageFixture.run { hand in
            try await hand.post("turboIsReady", #"{"isReady":false}"#)
            try await hand.post("pageLoadFailed")
            #expect(hand.error == .pageLoadFailure)
            // No page of this app had Turbo: it may be one without.
            #expect(!hand.recorder.records.contains { if case .problem = $0.event { true } else { false } })
        }
    }

    @Test func aSilentAdapter_isToldOf() async throws {
        try await PageFixture.run(readyTimeout: .milliseconds(50)) { hand in
            _ = try await hand.recorder.problem("adapterMissing")
            #expect(hand.error == .pageLoadFailure)
        }
        try await PageFixture.run(readyTimeout: .seconds(1)) { hand in
            try await hand.post("turboIsReady", #"{"isReady":true}"#)
            _ = try await hand.recorder.problem("pageLoadedMissing")
            #expect(hand.error == .pageLoadFailure)
        }
    }

    @Test func aFailedEvaluation_becomesAColdBoot() async throws {
        try await PageFixture.run { hand in
            try await hand.boot()
            try await hand.post("visitProposed", Self.proposal)
            _ = try await hand.script(#""error":{"code":4,"message":"TypeError: no turboNative"}"#)
            let problem = try await hand.recorder.problem("visitEvaluationFailed")
            #expect(problem.text.contains("The URL is loaded instead"))
            #expect(try await hand.destination() == "http://localhost:3000/posts")
            try await hand.attach("d-2")
            try await hand.boot()
            #expect(hand.main == ["/", "/posts"] && hand.error == nil)
        }
    }

    @Test func aVisitThatTheAppDidNotAskFor_isDropped() async throws {
        try await PageFixture.run { hand in
            try await hand.boot()
            let verdict = try await hand.post("visitStarted", #"{"identifier":"v-9","hasCachedSnapshot":true}"#)
            #expect(verdict.outcome == .dropped && verdict.reason == .otherVisit)
            #expect(verdict.found == "an event of the visit v-9" && verdict.at == "/data/identifier")
        }
    }

    @Test func whatComesLateOfACancelledVisit_isNoMistake() async throws {
        try await PageFixture.run { hand in
            try await hand.boot()
            try await hand.post("visitProposed", Self.proposal)
            try await hand.post("visitProposed", Self.proposal.replacing("/posts", with: "/others"))
            // Turbo hears of both, and tells of the first though it is over.
            #expect(try await hand.post("visitStarted", #"{"identifier":"v-1"}"#) == .handled)
            #expect(try await hand.post("visitStarted", #"{"identifier":"v-2"}"#) == .handled)
            #expect(try await hand.post("visitRequestFinished", #"{"identifier":"v-1"}"#) == .handled)
            #expect(
                try await hand.post("visitCompleted", #"{"identifier":"v-2","restorationIdentifier":"r"}"#) == .handled)
            #expect(hand.app.visibleScreen?.title == "Test")
        }
    }

    @Test func aProposalThatLeavesTheApp_orBecomesNothing_isDropped() async throws {
        try await PageFixture.run { hand in
            try await hand.boot()
            let outside = try await hand.post(
                "visitProposed", #"{"location":"http://elsewhere.test/","options":{"action":"advance"}}"#)
            #expect(outside.reason == .proposalOutside && outside.found == "one on elsewhere.test")
            #expect(hand.app.outbox.map(\.url.absoluteString) == ["http://elsewhere.test/"])
            let refused = try await hand.post(
                "visitProposed", #"{"location":"http://localhost:3000/nothing","options":{"action":"advance"}}"#)
            #expect(refused.reason == .proposalRefused && hand.main == ["/"])
        }
        try await PageFixture.run({ $0.handle = { _ in .reject } }) { hand in
            #expect(hand.main == [])
        }
    }

    @Test func anAlert_waitsForItsAnswer() async throws {
        try await PageFixture.run({ $0.handle = { $0.url.path == "/warn" ? .alert : .accept } }) { hand in
            try await hand.boot()
            try await hand.post(
                "visitProposed", #"{"location":"http://localhost:3000/warn","options":{"action":"advance"}}"#)
            #expect(hand.app.alerts.map(\.title) == ["/warn"] && hand.main == ["/"])
            try hand.app.perform("answerAlert")
            #expect(hand.app.alerts.isEmpty)
        }
    }

    @Test func whatDoesNotDecode_saysWhere() async throws {
        try await PageFixture.run { hand in
            let verdict = try await hand.post("visitStarted", #"{"identifier":7}"#)
            #expect(verdict.reason == .undecodable && verdict.at == "/data/identifier")
        }
    }

    @Test func aPageThatIsInvalidated_isLoadedAgain() async throws {
        try await PageFixture.run { hand in
            try await hand.boot()
            try await hand.post("pageInvalidated")
            let url = try await hand.destination()
            #expect(url == "http://localhost:3000/")
        }
    }

    @Test func aModal_isShownByAPageOfItsOwn_whereThereIsOne() async throws {
        try await PageFixture.run { hand in
            try await hand.boot()
            let (modal, _) = try await PageClient.attach(port: hand.port, document: "m-1", webView: "modal")
            hand.app.navigate("modal") {
                $0.route(
                    VisitProposal(
                        url: hand.app.navigation.main[0].url.appending(path: "new"), properties: ["context": "modal"])
                )
            }
            let url = try await modal.next("method", "page.navigate")["params"]?["url"]?.string
            #expect(url == "http://localhost:3000/new" && hand.app.navigation.visibleStack == .modal)
            await modal.post(
                #"{"name":"formSubmissionFinished","data":{"location":"http://localhost:3000/new"}}"#, seq: 1,
                to: "turbo")
            #expect(try await hand.script() == "window.turboNative.clearSnapshotCache()")
            // The page below stays as it is.
            hand.app.navigate("dismiss") { $0.dismissModal() }
            #expect(hand.app.navigation.visibleStack == .main)
            #expect(hand.app.sessions[.main]?.isVisiting == false)
        }
    }

    @Test func anAppInTheBackground_loadsALostPageWhenItComesBack() async throws {
        try await PageFixture.run { hand in
            try await hand.boot()
            hand.app.isInBackground = true
            hand.app.sessions[.main]?.webView._killWebContentProcessAndResetState()
            _ = try await hand.destination()
            #expect(hand.app.sessions[.main]?.isVisiting == false)
            try hand.app.perform("foreground")
            #expect(hand.app.sessions[.main]?.isVisiting == true)
        }
    }
}
