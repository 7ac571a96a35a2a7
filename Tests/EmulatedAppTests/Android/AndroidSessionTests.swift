import BridgeProtocol
import BridgeServer
import BridgeWebKit
import Foundation
import PathConfiguration
import TestSupport
import Testing

@testable import EmulatedApp

/// What hotwire-native-android's `Session.kt` does otherwise than iOS, with a page that the test simulates.
@MainActor @Suite(.timeLimit(.minutes(4))) struct AndroidSessionTests {
    private func run(
        _ configure: (inout EmulatedApp.Configuration) -> Void = { _ in },
        _ body: @MainActor (PageFixture) async throws -> Void
    ) async throws {
        try await PageFixture.run {
            $0.framework = .android13
            configure(&$0)
        } _: { fixture in
            try await body(fixture)
        }
    }

    /// See `Session.kt`, `restoreCurrentVisit`, and `HotwireWebFragmentDelegate.kt`, `attachWebViewAndVisit`.
    @Test func backFromANativeScreen_restoresWithoutAVisit() async throws {
        try await run {
            $0.handle = { $0.url.path == "/numbers" ? .acceptCustom("numbers") : .accept }
        } _: { fixture in
            try await fixture.bootOnAndroid()
            try fixture.app.perform("visit", ["url": "/numbers"])
            #expect(try await fixture.script() == "window.turboNative.cacheSnapshot()")
            try fixture.app.perform("back")
            #expect(try await fixture.script() == "window.turboNative.restoreCurrentVisit()")
            #expect(fixture.app.sessions[.main]?.isVisiting == false)
        }
    }

    /// See `Session.kt`, `visitLocation`.
    @Test func restoresOnlyWithAnIdentifier() async throws {
        try await run { fixture in
            try await fixture.bootOnAndroid()
            try fixture.app.perform("visit", ["url": "/posts"])
            let advance = try await fixture.script()
            #expect(advance.hasSuffix(#""http://localhost:3000/posts","{\"action\":\"advance\"}","")"#), "\(advance)")
            try fixture.app.perform("back")
            let restore = try await fixture.script()
            #expect(restore.hasSuffix(#""{\"action\":\"restore\"}","r-0")"#), "\(restore)")
        }
    }

    /// See `Session.kt`, `reset`.
    @Test func restoresWithoutAnIdentifier_afterAReset() async throws {
        try await run { fixture in
            try await fixture.bootOnAndroid()
            try fixture.app.perform("visit", ["url": "/posts"])
            _ = try await fixture.script()
            fixture.app.sessions[.main]?.reload()
            try await fixture.attach("d-2", path: "/posts")
            try await fixture.bootOnAndroid()
            try fixture.app.perform("back")
            let restore = try await fixture.script()
            #expect(restore.hasSuffix(#""{\"action\":\"advance\"}","")"#), "\(restore)")
        }
    }

    /// See `HotwireWebFragmentDelegate.kt`, `location`.
    @Test func reloadHasTheScreensURL_andNotThePages() async throws {
        try await run { fixture in
            try await fixture.bootOnAndroid()
            let session = try #require(fixture.app.sessions[.main])
            fixture.page.send(
                #"{"jsonrpc":"2.0","method":"page.update","params":{"url":"http://localhost:3000/?page=2"}}"#)
            try await waitUntil { session.webView.url?.query() == "page=2" }
            session.reload()
            #expect(try await fixture.destination() == "http://localhost:3000/")
        }
    }

    /// See `HotwireWebFragmentDelegate.kt`, `requestFailedWithError`.
    @Test(arguments: [true, false]) func failureOverASnapshot_showsNoError(_ hasSnapshot: Bool) async throws {
        try await run { fixture in
            try await fixture.bootOnAndroid()
            try fixture.app.perform("visit", ["url": "/posts"])
            _ = try await fixture.script()
            try fixture.receive(
                .visit(.visitStarted(identifier: "v")),
                .visit(.requestFailed(identifier: "v", statusCode: 500, hasCachedSnapshot: hasSnapshot)))
            #expect(fixture.error == (hasSnapshot ? nil : .http(statusCode: 500)))
        }
    }

    /// See `Session.kt`, `shouldOverrideUrlLoading`: the redirected screen is replaced, also on the same host.
    @Test func coldBootsRedirect_replacesTheScreen() async throws {
        try await run { fixture in
            try await fixture.bootOnAndroid()
            let session = try #require(fixture.app.sessions[.main])
            session.invalidate()
            try fixture.app.perform("visit", ["url": "/private"])
            #expect(try await fixture.destination() == "http://localhost:3000/private")
            try await fixture.attach("d-2", path: "/signin")
            try await fixture.bootOnAndroid()
            #expect(fixture.main == ["/", "/signin"])
            #expect(!session.isVisiting && session.isInitialized)
        }
    }

    /// See `Session.kt`, `shouldProposeThrottledVisit`.
    @Test func secondLinkAtOnce_isIgnored() async throws {
        try await run { fixture in
            try await fixture.bootOnAndroid()
            try fixture.follow("/a")
            try fixture.follow("/b")
            #expect(fixture.main == ["/", "/a"])
            fixture.app.sessions[.main]?.lastLink = .now - .seconds(1)
            try fixture.follow("/b")
            #expect(fixture.main == ["/", "/a", "/b"])
        }
    }

    /// See `Session.kt`, `visitRequestFailedWithNonHttpStatusCode`: iOS would try a cold boot.
    @Test func failedFetch_isNotTriedAgain() throws {
        let url = try #require(URL(string: "http://localhost:3000/posts"))
        for (framework, effect) in [
            (Framework.ios13, Visit.Effect.retry(status: 0)), (.android13, .notify(.failed(.networkFailure))),
            (.ios12, .notify(.failed(.networkFailure))),
        ] {
            var visit = Visit(.javaScript, to: url, framework: framework)
            _ = visit.start()
            _ = visit.handle(.visitStarted(identifier: "v"))
            _ = visit.handle(.requestFailed(identifier: "v", statusCode: 0))
            #expect(visit.handle(.redirectResolved(.noRedirect))?.first == effect)
        }
    }

    /// See `HotwireBottomNavigationController.kt`, `clearNavigationOnTabReselection`.
    @Test func tapOnTheSelectedTab_clearsAll() async throws {
        try await run {
            $0.tabs = [URL(string: "/")].compactMap { $0.map { EmulatedApp.Tab(title: "Home", url: $0) } }
        } _: { fixture in
            try await fixture.bootOnAndroid()
            for path in ["/a", "/b"] { try fixture.app.perform("visit", ["url": path]) }
            try fixture.app.perform("tapTab", ["tab": "Home"])
            #expect(fixture.main == ["/"])
        }
    }

    /// See `NavigatorHost.kt`, `ensureDeeplinkStartLocationValid`.
    @Test func linkToAnotherHost_startsAtTheStartLocation() async throws {
        try await run {
            $0.rootURL = URL(string: "http://localhost:3000/")
        } _: { fixture in
            try await fixture.bootOnAndroid()
            try fixture.app.perform("relaunch", ["url": "https://evil.example/steal?x"])
            #expect(fixture.app.navigation.main.map(\.url.absoluteString) == ["http://localhost:3000/"])
            try fixture.app.perform("relaunch", ["url": "http://localhost:3000/posts/1"])
            #expect(fixture.main == ["/posts/1"])
        }
    }

    /// See `HotwireWebFragmentDelegate.kt`, `onRenderProcessGone`.
    @Test func deadRenderer_replacesTheScreen_andForgetsTheOthers() async throws {
        try await run { fixture in
            try await fixture.bootOnAndroid()
            try fixture.app.perform("visit", ["url": "/posts"])
            let former = try #require(fixture.app.visibleScreen?.id)
            let session = try #require(fixture.app.sessions[.main])
            session.webViewWebContentProcessDidTerminate(session.webView)
            #expect(fixture.main == ["/", "/posts"] && fixture.app.visibleScreen?.id != former)
            #expect(fixture.app.navigation.main.allSatisfy { fixture.app.screens[$0.id]?.restorationIdentifier == nil })
            #expect(session.current?.visit.kind == .coldBoot && session.isVisiting)
        }
    }

    /// See `HotwireSwipeRefreshLayout.kt`, `canChildScrollUp`.
    @Test func touchedElement_keepsTheScreenFromBeingPulled() async throws {
        try await run {
            $0.pathConfiguration = PathConfiguration(
                sources: [
                    .data(Data(#"{"rules":[{"patterns":["."],"properties":{"pull_to_refresh_enabled":true}}]}"#.utf8))
                ], options: Framework.android13.pathOptions())
        } _: { fixture in
            try await fixture.bootOnAndroid()
            let session = try #require(fixture.app.sessions[.main])
            try fixture.receive(.touch(preventsPullToRefresh: true))
            #expect(throws: ActionRefusal.self) { try fixture.app.perform("pullToRefresh") }
            #expect(!session.isVisiting)
            try fixture.receive(.touch(preventsPullToRefresh: false))
            try fixture.app.perform("pullToRefresh")
            #expect(session.isVisiting)
        }
    }

    @Test func uriWithoutAFragment_isReported_andTheProposalDropped() async throws {
        try await run {
            $0.pathConfiguration = PathConfiguration(
                sources: [
                    .data(Data(#"{"rules":[{"patterns":["/old$"],"properties":{"uri":"turbo://fragment/web"}}]}"#.utf8))
                ],
                options: Framework.android13.pathOptions())
        } _: { fixture in
            try await fixture.bootOnAndroid()
            let session = try #require(fixture.app.sessions[.main])
            let url = try #require(URL(string: PageFixture.origin + "/old"))
            #expect(throws: DroppedMessage.self) {
                try fixture.app.session(session, didProposeVisitTo: url, options: VisitOptions())
            }
            #expect(fixture.main == ["/"])
            #expect(
                fixture.problems("screenNotRegistered") == [
                    #"No fragment is registered for the uri "turbo://fragment/web" of /old, and it has no fallback_uri: nothing is shown."#
                ])
        }
    }

    @Test func userAgentBeginsWithTheApp() async throws {
        try await run { fixture in
            let agent = try #require(fixture.server.scope(for: "main")?.phoneUserAgent)
            #expect(agent.hasPrefix("Hotwire Native Android; Turbo Native Android; bridge-components: ["), "\(agent)")
            #expect(agent.contains("]; Mozilla/5.0 (Linux; Android") && agent.hasSuffix("Safari/537.36"), "\(agent)")
        }
    }
}

extension PageFixture {
    /// Handles what the page's adapter calls.
    fileprivate func receive(_ events: TurboEvent...) throws {
        let session = try #require(app.sessions[.main])
        for event in events { try session.receive(event) }
    }

    fileprivate func bootOnAndroid() async throws {
        // What follows comes after the page's updates.
        _ = try await post("{}", to: "sync")
        try receive(.turboIsReady(true), .visit(.pageLoaded(restorationIdentifier: "r-0")))
    }

    /// Follows a link that Turbo does not handle.
    fileprivate func follow(_ path: String) throws {
        try receive(.linkActivated(#require(URL(string: PageFixture.origin + path))))
    }
}
