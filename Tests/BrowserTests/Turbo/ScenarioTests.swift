import BridgeProtocol
import BridgeServer
import BridgeTesting
import BridgeTraffic
import EmulatedApp
import Foundation
import TestSupport
import Testing

/// Runs the emulated app with the real Turbo 7.1 and 8.0 and the real Turbolinks 5.2. Each scenario checks every message that the
/// page posts, in order, and both stacks.
@MainActor @Suite(.serialized, .timeLimit(.minutes(5)), .browserTurns) struct ScenarioTests {
    @Test(arguments: [
        (Browser.Engine.chromium, WebApp.Library.turbo), (.firefox, .turbo), (.webKitGTK, .turbo),
        (.chromium, .turbolinks), (.firefox, .turbolinks),
    ])
    func storiesPass(_ engine: Browser.Engine, _ library: WebApp.Library) async throws {
        try await run(engine, library)
    }

    @Test(.needs(.turbo8), arguments: Browser.Engine.allCases.tried)
    func storiesPass_withTurbo8(_ engine: Browser.Engine) async throws { try await run(engine, .turbo8) }

    private func run(_ engine: Browser.Engine, _ library: WebApp.Library) async throws {
        try await TurboFixture.run(engine, library) { fixture in
            try await fixture.runVisitStories()
            try await fixture.runModalStories()
            try await fixture.runDestinationStories()
            try await fixture.runErrorStories()
            try await fixture.runSignInStories()
        }
    }
}

/// Runs the same scenarios over `TurboSession`, and those that only Android has.
@MainActor @Suite(.serialized, .timeLimit(.minutes(5)), .browserTurns) struct AndroidScenarioTests {
    @Test(arguments: [Browser.Engine.chromium, .firefox].tried)
    func storiesPass(_ engine: Browser.Engine) async throws { try await run(engine, .turbo) }

    @Test(.needs(.turbo8), arguments: [Browser.Engine.chromium, .firefox].tried)
    func storiesPass_withTurbo8(_ engine: Browser.Engine) async throws { try await run(engine, .turbo8) }

    private func run(_ engine: Browser.Engine, _ library: WebApp.Library) async throws {
        try await TurboFixture.run(engine, library, on: .android) { fixture in
            let userAgent = try await fixture.app.evaluate("navigator.userAgent") as String
            #expect(userAgent.contains("Hotwire Native Android; Turbo Native Android"))
            #expect(try await fixture.app.evaluate("typeof webkit") as String == "undefined")
            try await fixture.runVisitStories()
            try await fixture.runModalStories()
            try await fixture.runDestinationStories()
            try await fixture.runErrorStories()
            try await fixture.runAndroidStories()
        }
    }
}

extension TurboFixture {
    fileprivate func runVisitStories() async throws {
        try await scenario("advance, a button of the screen, back") {
            try await tap("#posts")
            try await expect(library.visit, main: ["/", "/posts"], title: "Posts")
            try await eventually("the button") { app.emulatedApp?.actionButtons["main"]?.icon == "plus" }
            try await leave(by: "back")
            try await expect(library.restoration, main: ["/"], title: "Home")
            #expect(app.emulatedApp?.actionButtons.isEmpty == true)
        }
        try await scenario("replace") {
            try await tap("#replace")
            try await expect(library.visit, main: ["/posts"], title: "Posts")
        }
        try await scenario("restore the scroll position") {
            try await app.wait(until: "document.readyState == 'complete'")
            // Turbolinks saves the scroll position in the next animation frame.
            try await app.run(
                """
                scrollTo(0, 700)
                requestAnimationFrame(() => requestAnimationFrame(() => { window.hasPainted = true }))
                """)
            try await app.wait(until: "window.hasPainted")
            try await tap("#posts")
            try await expect(library.visit, main: ["/", "/posts"])
            try await app.wait(until: "scrollY == 0")
            try await leave(by: "back")
            try await expect(library.restoration, main: ["/"])
            try await app.wait(until: "scrollY == 700")
        }
        try await scenario("pull to refresh") {
            guard isIOS else {
                // Pull to refresh is off by default on Android.
                #expect(throws: ActionRefusal.self) { try perform("pullToRefresh") }
                return
            }
            try perform("pullToRefresh")
            try await expect(["turboIsReady", "pageLoaded"], main: ["/"], title: "Home")
        }
        try await scenario("the web content process ends") {
            try await tap("#posts")
            try await expect(library.visit, main: ["/", "/posts"])
            try perform("killWebContent")
            try await expect(["turboIsReady", "pageLoaded"], main: ["/", "/posts"], title: "Posts")
        }
    }

    fileprivate func runModalStories() async throws {
        try await scenario("a modal of the path configuration is dismissed") {
            try await tap("#new")
            try await expect(library.visit, main: ["/"], modal: ["/posts/new"], title: "New post")
            try await leave(by: "dismissModal")
            try await expect(library.restoration, main: ["/"], title: "Home")
        }
        try await scenario("an invalid form, then a valid one") {
            try await tap("#new")
            try await expect(library.visit, main: ["/"], modal: ["/posts/new"])
            try await tap("#save")
            switch library {
            case .turbo, .turbo8:
                try await expect(
                    ["formSubmissionStarted", "formSubmissionFinished"], main: ["/"], modal: ["/posts/new"])
                try await app.wait(until: "document.body.textContent.includes('A title is missing')")
            case .turbolinks:
                // Turbolinks does not handle forms: the browser itself goes to the document in the answer. On iOS that is no
                // visit. A browser that does not ask about loads cannot tell it from one that its user began.
                if asksAboutForms {
                    try await expect(["turboIsReady", "pageLoaded"], main: ["/"], modal: ["/posts/new"])
                } else {
                    try await expect(["turboIsReady", "pageLoaded"], main: ["/", "/posts"], error: "422")
                }
            }
            try await app.run("document.getElementById('title').value = 'Hello'")
            try await tap("#save")
            switch library {
            case .turbo, .turbo8:
                try await expect(
                    ["formSubmissionStarted", "formSubmissionFinished", "visitProposed"]
                        + library.visitWithStoredResponse,
                    main: ["/", "/posts/1"],
                    title: "Post 1")
            case .turbolinks:
                if asksAboutForms {
                    try await expect(["turboIsReady", "pageLoaded"], main: ["/"], modal: ["/posts/new"])
                } else {
                    try await expect(
                        ["turboIsReady", "pageLoaded"], main: ["/", "/posts", "/posts/1"], title: "Post 1")
                }
            }
        }
    }

    fileprivate func runDestinationStories() async throws {
        try await scenario("a native screen") {
            try await tap("#numbers")
            try await expect(["visitProposed"], main: ["/", "native:numbers"])
            // Turbo caches the page that is left in a timer.
            try await settle()
            try await app.run("document.addEventListener('native:restore', () => { window.wasRestored = true })")
            try await leave(by: "back")
            guard isIOS else {
                // Android shows the page that it still has, without a visit, and tells it.
                try await app.wait(until: "window.wasRestored")
                return try await expect([], main: ["/"], title: "Home")
            }
            guard library.isTurbo else {
                return try await expect(library.restoration, main: ["/"], title: "Home")
            }
            guard try await scrollsToAnchors() else {
                return try await expect(library.restoration, main: ["/"], title: "Home")
            }
            // Turbo before 8.0.21 takes a restoration of the place that it shows for a jump within the page. So the
            // adapter, like that of Hotwire Native, makes a visit with the action replace: the cached page comes first,
            // and then a request.
            var came: [String] = []
            try await eventually("the visit") {
                came += takeMessages().map(\.text)
                return came.contains("visitCompleted")
            }
            #expect(came.first == "visitStarted" && came.contains("visitRequestStarted"))
            try await settle()
            try await expect([], main: ["/"], title: "Home")
        }
        try await scenario("a link to another host") {
            try await tap("#outside")
            try await expect(["linkActivated"], main: ["/"])
            #expect(app.emulatedApp?.outbox.map(\.url.absoluteString) == ["http://elsewhere.example/"])
        }
        try await scenario("an anchor") {
            try await tap("#anchor")
            switch library {
            case .turbo, .turbo8:
                // Since 8.0.21 Turbo proposes a visit: it compares the link's absolute URL with "#".
                guard try await scrollsToAnchors() else {
                    try await expect(library.visit, main: ["/#end"])
                    return try await app.wait(until: "scrollY > 1000")
                }
                try await expect(["visitProposalScrollingToAnchor"], main: ["/"])
                try await app.wait(until: "scrollY > 1000")
            case .turbolinks:
                try await expect(library.visit, main: ["/#end"])
            }
        }
        try await scenario("a redirect") {
            try await tap("#old")
            switch library {
            case .turbo, .turbo8:
                // Turbo proposes the redirect's target together with the answer, while its own visit is still being
                // painted.
                try await expect(
                    ["visitProposed", "visitProposed"],
                    visits: [library.visitFromNative, library.visitWithStoredResponse],
                    main: ["/", "/posts/1"], title: "Post 1")
            case .turbolinks:
                // Turbolinks learns of a redirect only from a header.
                try await expect(library.visit, main: ["/", "/old"], title: "Post 1")
            }
        }
        try await scenario("a redirect to another origin") {
            try await tap("#away")
            try await eventually("the address") {
                app.emulatedApp?.outbox.map(\.url.absoluteString) == ["http://elsewhere.example/"]
            }
            // Turbo caches a page when it leaves it. It never left this page, so it requests the page again.
            try await expect(library.visitWithoutAnswer + library.visitFromNative, main: ["/"], title: "Home")
        }
        try await scenario("two visits to the same URL") {
            try await tap("#twice")
            try await eventually("the problem") { problems().contains("doubleVisit") }
            try await eventually("the title") { app.emulatedApp?.visibleScreen?.title == "Post 2" }
            #expect(paths(.main) == ["/", "/posts/2"])
            try await settle()
        }
    }

    /// Whether Turbo takes a visit of a place in the page for a jump.
    private func scrollsToAnchors() async throws -> Bool {
        try await app.evaluate(
            "Turbo.navigator.locationWithActionIsSamePage(new URL('#end', location.href), 'advance')")
    }

    fileprivate func runErrorStories() async throws {
        for (link, status) in [("#missing", "404"), ("#broken", "500")] {
            try await scenario("\(status), and retry") {
                try await tap(link)
                let path = link.replacing("#", with: "/")
                try await expect(library.failedVisit, main: ["/", path], error: status)
                try perform("retry")
                // WebKit does not tell a page the status of its own document.
                try await expect(
                    ["turboIsReady", "pageLoaded"], main: ["/", path], error: engine == .webKitGTK ? nil : status)
            }
        }
        try await scenario("offline, and retry") {
            web.stop()
            try await tap("#posts")
            try await eventually("the error") { shownError == networkFailure }
            try await expect(library.visitWithoutAnswer, main: ["/", "/posts"], error: networkFailure)
            try await web.start()
            try perform("retry")
            try await expect(["turboIsReady", "pageLoaded"], main: ["/", "/posts"], title: "Posts")
        }
        try await scenario("a load that takes too long") {
            try await withShortLoads {
                try perform("relaunch", ["url": web.url + "/slow"])
                try await eventually("the error") { shownError == timeoutFailure }
            }
            try await expect([], main: ["/slow"], error: timeoutFailure)
            #expect(problems().contains("pageLost"))
        }
        try await scenario("a link without Turbo") {
            try await tap("#plain")
            // Where the app decides about it, it makes a visit, and Turbo shows the page in the document that has Turbo.
            // Android's adapter reports the link. On iOS the page asks about the load, if it learns of it.
            let isVisit = !isIOS || asksAboutLoads
            try await expect(
                isVisit
                    ? (isIOS ? [] : ["linkActivated"]) + library.visitFromNative : ["turboIsReady", "pageLoadFailed"],
                main: ["/", "/plain"], error: isVisit ? nil : pageLoadFailure)
        }
        guard isIOS else { return }
        try await scenario("a page without Turbo") {
            try perform("relaunch", ["url": web.url + "/plain"])
            try await expect(["turboIsReady", "pageLoadFailed"], main: ["/plain"], error: pageLoadFailure)
            #expect(problems().contains("turboMissing"))
        }
    }

    // The names of errors in the release that is run.
    private var networkFailure: String { isIOS ? "0" : "networkFailure" }
    private var timeoutFailure: String { isIOS ? "-1001" : "timeoutFailure" }
    private var pageLoadFailure: String { isIOS ? "notReady" : "pageLoadFailure" }

    fileprivate func runAndroidStories() async throws {
        try await scenario("a message to nativeApp through an interface object") {
            try await tap("#push")
            try await app.wait(until: "window.token == '\(app.emulatedApp?.pushToken ?? "")'")
            let message = try await app.nextRecord(TrafficFilter([.init(.name, "RegisterPushToken")]))
            #expect(message.json["body"]?["name"]?.string == "RegisterPushToken")
        }
        try await scenario("options as JSON text") {
            try await tap("#posts")
            try await expect(library.visit, main: ["/", "/posts"])
            let call = try await app.nextRecord(
                TrafficFilter([.init(.handler, "TurboSession"), .init(.name, "visitProposedToLocation")]))
            #expect(call.json["body"]?[1]?.string?.contains(#""action":"advance""#) == true)
            let visits = app.traffic.compactMap { record in
                if case .evaluate(_, let source) = record.event { source } else { nil }
            }
            #expect(visits.contains { $0.contains(#"\"action\":\"advance\""#) })
        }
        try await scenario("invalid messages of the adapter") {
            try await app.run("TurboSession.visitProposedToLocation(location.href, '{')")
            try await app.run("TurboSession.visitRendered('of-another-visit')")
            #expect(problems().contains("undecodable") && problems().contains("otherVisit"))
            try await settle()
        }
    }

    fileprivate func runSignInStories() async throws {
        try await scenario("401, a wrong password, then the right one") {
            try await tap("#private")
            try await expect(library.failedVisit, main: ["/", "/private"], error: "401")
            #expect(app.emulatedApp?.signIn?.url == web.url + "/private")
            try perform("signIn", ["email": "me@example.com", "password": "wrong"])
            try await eventually("the refusal") {
                app.emulatedApp?.signIn?.error == "the server answered with the status 401"
            }
            try perform("signIn", ["email": "me@example.com", "password": "secret"])
            try await expect(["turboIsReady", "pageLoaded"], main: ["/", "/private"], title: "Private")
            #expect(app.emulatedApp?.signIn == nil && app.emulatedApp?.accessToken == "t0ken")
            #expect(problems().contains("cookieKept"))
        }
    }
}
