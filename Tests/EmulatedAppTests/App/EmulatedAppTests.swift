import BridgeProtocol
import BridgeServer
import Foundation
import PathConfiguration
import TestSupport
import Testing

@testable import EmulatedApp

/// The app and the messages of a simulated page: the effect of each message, and the verdict on each dropped one.
@MainActor @Suite(.timeLimit(.minutes(4))) struct EmulatedAppTests {
    private static let proposal = """
        {"location":"http://localhost:3000/posts","options":{"action":"advance","shouldCacheSnapshot":true,"frame":null}}
        """

    @Test func followsTheVisitsOfTheAdapter() async throws {
        try await PageFixture.run { fixture in
            try await fixture.boot()
            #expect(try await fixture.post("visitProposed", Self.proposal) == .handled)
            let call = try await fixture.script()
            #expect(
                call
                    == """
                    window.turboNative.visitLocationWithOptionsAndRestorationIdentifier("http:\\/\\/localhost:3000\\/posts",\
                    {"action":"advance"},null)
                    """.replacing("\\/", with: "/"))
            try await fixture.post(
                "visitStarted", #"{"identifier":"v","hasCachedSnapshot":false,"isPageRefresh":false}"#)
            try await fixture.post("visitRequestStarted", #"{"identifier":"v"}"#)
            try await fixture.post("visitRequestCompleted", #"{"identifier":"v"}"#)
            try await fixture.post("visitRequestFinished", #"{"identifier":"v"}"#)
            try await fixture.post("visitRendered", #"{"identifier":"v"}"#)
            let end = try await fixture.post("visitCompleted", #"{"identifier":"v","restorationIdentifier":"r-1"}"#)
            #expect(end == .handled && fixture.main == ["/", "/posts"] && fixture.app.visibleScreen?.title == "Test")
            // Back makes a restore visit with the identifier of the first screen's page.
            fixture.app.navigate("back") { $0.back() }
            #expect(try await fixture.script().hasSuffix(#"{"action":"restore"},"r-0")"#))
        }
    }

    /// See `Session.swift`, `visitableViewWillAppear`.
    @Test func backFromANativeScreen_restoresThePage() async throws {
        try await PageFixture.run {
            $0.handle = { $0.url.path == "/numbers" ? .acceptCustom("numbers") : .accept }
        } _: { fixture in
            try await fixture.boot()
            fixture.app.route(try #require(URL(string: PageFixture.origin + "/numbers")))
            #expect(try await fixture.script() == "window.turboNative.cacheSnapshot()")
            fixture.app.navigate("back") { $0.back() }
            #expect(try await fixture.script().hasSuffix(#"{"action":"restore"},"r-0")"#))
        }
    }

    /// As the demos of hotwire-native-ios and hotwire-native-android do.
    @Test func answer401_popsTheScreen_andRoutesToTheSignInPage() async throws {
        try await PageFixture.run {
            $0.signInPath = URL(string: "/signin")
        } _: { fixture in
            try await fixture.boot()
            _ = try await fixture.post("visitProposed", Self.proposal)
            _ = try await fixture.script()
            try await fixture.post(
                "visitStarted", #"{"identifier":"v","hasCachedSnapshot":false,"isPageRefresh":false}"#)
            try await fixture.post("visitRequestFailed", #"{"identifier":"v","statusCode":401}"#)
            #expect(fixture.main == ["/", "/signin"])
        }
    }

    /// See `VisitableViewController.swift`, `resolveVisitableLocation`.
    @Test func reload_isOfTheURLThatThePageHasNow() async throws {
        try await PageFixture.run { fixture in
            try await fixture.boot()
            fixture.update(url: PageFixture.origin + "/?tab=2")
            _ = try await fixture.post("log", #"{"message":"after the update"}"#)
            try fixture.app.perform("pullToRefresh")
            #expect(try await fixture.destination() == PageFixture.origin + "/?tab=2")
        }
    }

    /// See `ExternalNavigationWebViewPolicyDecisionHandler.swift`.
    @Test(arguments: ["data:text/html,x", "file:///etc/passwd", "about:blank", "JavaScript:void(0)"])
    func linkWithAnUnsafeScheme_leadsNowhere(_ link: String) async throws {
        try await PageFixture.run { fixture in
            try await fixture.boot()
            try await fixture.post("linkActivated", #"{"location":"\#(link)"}"#)
            #expect(fixture.app.outbox.isEmpty && fixture.main == ["/"])
            let isRecorded = fixture.recorder.records.contains { record in
                if case .app(event: "linkCancelled", _) = record.event { true } else { false }
            }
            #expect(isRecorded)
        }
    }

    @Test func stateHasTheNamesThatFlowsMayExpect() async throws {
        try await PageFixture.run { #expect($0.app.state.map(\.key) == EmulatedApp.stateNames) }
    }

    @Test func missingTurbo_failsTheVisit() async throws {
        try await PageFixture.run { fixture in
            try await fixture.post("turboIsReady", #"{"isReady":false}"#)
            try await fixture.post("pageLoadFailed")
            #expect(fixture.error == .pageLoadFailure)
            // No page of this app has had Turbo, so the app may not use it.
            #expect(!fixture.recorder.records.contains { if case .problem = $0.event { true } else { false } })
        }
    }

    /// What the page says when the app looks for the reason why its visit does not end.
    private static func facts(hasTurbo: Bool = true, hasAdapter: Bool = true, lateBy: Int? = nil) -> String {
        """
        "result":{"value":{"hasTurbo":\(hasTurbo),"hasAdapter":\(hasAdapter),"lateBy":\(lateBy.map(String.init) ?? "null")}}
        """
    }

    /// Only bridged can have no adapter in a page: on a phone, no policy keeps it out.
    @Test func reportsAMissingAdapter() async throws {
        for answer in [Self.facts(hasAdapter: false), #""error":{"code":-32000,"message":"no script"}"#] {
            try await PageFixture.run(readyTimeout: .milliseconds(50)) { fixture in
                _ = try await fixture.script(answer)
                _ = try await fixture.recorder.problem("adapterMissing")
                #expect(fixture.error == .pageLoadFailure)
            }
        }
    }

    /// Waits until the document has loaded, and the app waits for its adapter.
    private func waitForLoad(in fixture: PageFixture) async throws {
        try await waitUntil { fixture.app.sessions[.main]?.turbo.isSearching == true }
    }

    /// `expect no problem` asks, and does not wait for the time after which the app looks by itself.
    @Test func reportsAtOnce_whatIsCertain() async throws {
        for (answer, code) in [
            (Self.facts(hasAdapter: false), "adapterMissing"), (Self.facts(lateBy: 1_540), "turboLate"),
            (#""error":{"code":-32000,"message":"no script"}"#, "adapterMissing"),
        ] {
            try await PageFixture.run(readyTimeout: .seconds(10_000)) { fixture in
                try await waitForLoad(in: fixture)
                async let found: Void = fixture.app.findProblems()
                _ = try await fixture.script(answer)
                await found
                _ = try await fixture.recorder.problem(code)
                // Nothing is left to look for.
                await fixture.app.findProblems()
                #expect(fixture.problems == [code])
            }
        }
        // The app's own look comes so late that it is none of this test's on any machine.
        try await PageFixture.run(readyTimeout: .seconds(10_000)) { fixture in
            try await waitForLoad(in: fixture)
            // Turbo that has started in time may be about to say so.
            async let found: Void = fixture.app.findProblems()
            _ = try await fixture.script(Self.facts())
            await found
            try await fixture.boot()
            // The visit has ended, so the page is not asked.
            await fixture.app.findProblems()
            #expect(fixture.problems == [])
        }
    }

    /// A phone's spinner stays in these cases, so the visit does not end here either.
    @Test func visitThatDoesNotEnd_hasAProblem() async throws {
        try await PageFixture.run(readyTimeout: .milliseconds(50)) { fixture in
            // No Turbo is there yet. It starts later, after the load event.
            _ = try await fixture.script(Self.facts(hasTurbo: false))
            let problem = try await fixture.problem("turboLate", answering: Self.facts(lateBy: 1_540))
            #expect(problem.text.hasPrefix("Turbo started 1.5 s after the load event"))
            #expect(fixture.error == nil && fixture.app.sessions[.main]?.isVisiting == true)
            // A later visit of Turbo dispatches turbo:load, which ends the app's.
            try await fixture.boot()
            #expect(fixture.app.sessions[.main]?.isVisiting == false)
        }
        try await PageFixture.run(readyTimeout: .milliseconds(50)) { fixture in
            let problem = try await fixture.problem("turboLate", answering: Self.facts(lateBy: nil))
            #expect(problem.text.hasPrefix("window.Turbo was not there"))
        }
        try await PageFixture.run(readyTimeout: .seconds(1)) { fixture in
            try await fixture.post("turboIsReady", #"{"isReady":true}"#)
            _ = try await fixture.recorder.problem("pageLoadedMissing")
            #expect(fixture.error == nil && fixture.app.sessions[.main]?.isVisiting == true)
        }
    }

    /// The reasons of Turbo 8, and the elements that differ.
    @Test func reloadByTurbo_isNamedAsTheCauseOfTheSecondRequest() async throws {
        let link = "<link rel=stylesheet href=/only.css data-turbo-track=reload>"
        let cases: [(finding: String, hint: String)] = [
            (#"{"kind":"reload","reason":"tracked_element_mismatch","onlyBefore":[],"onlyAfter":["\#(link)"]}"#, link),
            (
                #"{"kind":"reload","reason":"turbo_visit_control_is_reload","onlyBefore":[],"onlyAfter":[]}"#,
                "<meta name"
            ),
            (#"{"kind":"reload","reason":"of_next_year","onlyBefore":[],"onlyAfter":[]}"#, "of_next_year"),
            (#"{"kind":"reload","onlyBefore":[],"onlyAfter":[]}"#, "Turbo 7 does not say why"),
        ]
        for (finding, hint) in cases {
            try await PageFixture.run { fixture in
                try await fixture.boot()
                try await fixture.post("visitProposed", Self.proposal)
                _ = try await fixture.script()
                try await fixture.post("visitStarted", #"{"identifier":"v","hasCachedSnapshot":false}"#)
                #expect(try await fixture.post("turboFinding", finding) == .handled)
                try await fixture.post("pageInvalidated")
                #expect(try await fixture.destination() == "http://localhost:3000/posts")
                let problem = try await fixture.recorder.problem("doubleVisit")
                #expect(problem.text.contains("→ Turbo has the page reloaded ("))
                #expect(problem.hint?.contains(hint) == true, "\(problem.hint ?? "")")
            }
        }
    }

    /// The visit of a page without Turbo does not complete, so a reload would belong to the action before it.
    @Test func reloadOfAPageWithoutTurbo_isNoDoubleVisit() async throws {
        try await PageFixture.run { fixture in
            _ = try await fixture.post("log", #"{"message":"the document has loaded"}"#)
            // In a browser that asks before it reloads, and in one that does not.
            let session = try #require(fixture.app.sessions[.main])
            fixture.app.sessionDidRequestReload(session)
            #expect(try await fixture.destination() == PageFixture.origin + "/")
            for document in ["second", "third"] {
                try await fixture.attach(document)
                _ = try await fixture.post("log", #"{"message":"the document has loaded"}"#)
            }
            #expect(fixture.recorder.records.count { if case .app("visit", _) = $0.event { true } else { false } } >= 3)
            #expect(!fixture.problems.contains("doubleVisit"))
        }
    }

    @Test func responsesThatTheUserDoesNotSee_areProblems() async throws {
        try await PageFixture.run { fixture in
            try await fixture.boot()
            let refused = #"{"kind":"formRefused","method":"POST","url":"http://localhost:3000/posts"}"#
            #expect(try await fixture.post("turboFinding", refused) == .handled)
            let refusal = try await fixture.recorder.problem("formRefused")
            #expect(
                refusal.text.hasPrefix("POST http://localhost:3000/posts was answered with 200 and without a redirect.")
            )
            #expect(refusal.hint?.contains("303") == true && refusal.hint?.contains("422") == true)
            let explanation = try #require(fixture.app.visits.explanations().last)
            #expect(explanation.cause == "the page sends POST /posts")
            #expect(explanation.findings.first?.hasPrefix(refusal.text) == true)
            let failed =
                #"{"kind":"serverError","method":"GET","url":"http://localhost:3000/a","statusCode":502,"text":"Bad gateway"}"#
            #expect(try await fixture.post("turboFinding", failed) == .handled)
            let failure = try await fixture.recorder.problem("serverError")
            #expect(failure.text.contains("502") && failure.text.contains("Bad gateway"))
            let lost = #"{"kind":"responseLost","method":"GET","url":"http://localhost:3000/posts"}"#
            #expect(try await fixture.post("turboFinding", lost) == .handled)
            #expect(try await fixture.recorder.problem("responseLost").hint?.contains("no-preview") == true)
            #expect(try await fixture.post("turboFinding", #"{"kind":"other"}"#).reason == .undecodable)
        }
    }

    @Test func failedEvaluation_becomesAColdBoot() async throws {
        try await PageFixture.run { fixture in
            try await fixture.boot()
            try await fixture.post("visitProposed", Self.proposal)
            _ = try await fixture.script(#""error":{"code":4,"message":"TypeError: no turboNative"}"#)
            let problem = try await fixture.recorder.problem("visitEvaluationFailed")
            #expect(problem.text.contains("no turboNative"))
            #expect(try await fixture.destination() == "http://localhost:3000/posts")
            try await fixture.attach("d-2")
            try await fixture.boot()
            #expect(fixture.main == ["/", "/posts"] && fixture.error == nil)
        }
    }

    /// A page can make the daemon ask only for the URL that the app visits, and only once. The answer's redirect, which
    /// the page cannot read, is written without its query.
    @Test func failedRequest_isRepeatedOnlyForTheVisitsURL() async throws {
        let location = "Location: http://elsewhere.test/callback?code=s3cret#s3cret"
        let web = try ConfigurationServer(
            .endless(head: "HTTP/1.1 302 -\r\n\(location)\r\n\r\n", repeating: "more"), at: "/own")
        let port = try web.url().port ?? 0
        try await PageFixture.run { fixture in
            try await fixture.boot()
            try await fixture.post(
                "visitProposed", #"{"location":"http://localhost:\#(port)/own","options":{"action":"advance"}}"#)
            _ = try await fixture.script()
            try await fixture.post("visitStarted", #"{"identifier":"v","hasCachedSnapshot":false}"#)
            for path in ["/other", "/own", "/other"] {
                let failure = #"{"identifier":"v","statusCode":0,"location":"http://localhost:\#(port)\#(path)"}"#
                try await fixture.post("visitRequestFailed", failure)
            }
            _ = try await fixture.recorder.first { record in
                guard case .app("navigation", let fields) = record.event else { return false }
                return "\(fields)".contains("redirected")
            }
            let opened = fixture.app.outbox.map(\.url.absoluteString)
            #expect(opened == ["http://elsewhere.test/callback?code=s3cret#s3cret"])
            let log = fixture.recorder.records.map { "\($0.event)" }.joined()
            #expect(log.contains("http://elsewhere.test/callback?…") && !log.contains("s3cret"))
        }
        #expect(web.requests.count == 1 && web.requests.first?.hasPrefix("GET /own ") == true)
    }

    @Test func reportsASlowPattern() async throws {
        try await PageFixture.run { configuration in
            let rules = #"{"rules":[{"patterns":["^(/.+)+/edit$"],"properties":{"presentation":"none"}}]}"#
            configuration.pathConfiguration = PathConfiguration(sources: [.data(Data(rules.utf8))])
        } _: { fixture in
            try await fixture.boot()
            let path = String(repeating: "/a", count: 100)
            let options = #"{"action":"advance"}"#
            #expect(
                try await fixture.post(
                    "visitProposed", #"{"location":"http://localhost:3000\#(path)","options":\#(options)}"#) == .handled
            )
            let problem = try await fixture.recorder.problem("slowPattern")
            #expect(problem.text.hasPrefix(#"The pattern "^(/.+)+/edit$" takes too long for the path "/a/a"#))
        }
    }

    /// A page that proposes visits without end must fill neither the memory nor the log.
    @Test func limitsWhatAPageProposes() async throws {
        try await PageFixture.run { fixture in
            try await fixture.boot()
            let session = try #require(fixture.app.sessions[.main])
            @MainActor func propose(_ url: String) throws {
                try fixture.app.session(session, didProposeVisitTo: #require(URL(string: url)), options: VisitOptions())
            }
            for number in 1..<500 { try propose("http://localhost:3000/\(number)") }
            #expect(throws: DroppedMessage.self) { try propose("http://localhost:3000/500") }
            #expect(fixture.main.count == 500)
            fixture.app.navigate("back") { $0.clearAll() }
            for number in 1..<200 { try? propose("http://elsewhere.test/\(number)") }
            #expect(fixture.app.outbox.count == 100)
            #expect(fixture.app.outbox.last?.url.path == "/199")
            let long = "http://localhost:3000/" + String(repeating: "a", count: 20_000)
            #expect(throws: DroppedMessage.self) { try propose(long) }
            let longest = fixture.recorder.records.map { "\($0)".utf8.count }.max() ?? 0
            #expect(longest < 20_000)
        }
    }

    @Test func limitsWhereLinksAndLoadsOfAPageLead() async throws {
        try await PageFixture.run { fixture in
            try await fixture.boot()
            let session = try #require(fixture.app.sessions[.main])
            let long = "/" + String(repeating: "a", count: 20_000)
            try await fixture.post("linkActivated", #"{"location":"http://elsewhere.test\#(long)"}"#)
            let problem = try await fixture.recorder.problem("proposalRefused")
            #expect(problem.text.contains("16384") && fixture.app.outbox.isEmpty)
            for number in 1..<600 {
                let url = try #require(URL(string: "http://localhost:3000/\(number)"))
                fixture.app.session(session, didFollowLinkTo: url)
                fixture.app.session(session, didProposeVisitToCrossOriginRedirect: url)
            }
            #expect(fixture.main.count == 500)
            for number in 1..<600 {
                fixture.app.follow(try #require(URL(string: "http://localhost:3000/new/\(number)")))
            }
            #expect(fixture.main.count == 500 && fixture.main.first == "/" && fixture.main.last == "/new/599")
        }
    }

    @Test func dropsAVisitThatTheAppDidNotStart() async throws {
        try await PageFixture.run { fixture in
            try await fixture.boot()
            let verdict = try await fixture.post("visitStarted", #"{"identifier":"v-9","hasCachedSnapshot":true}"#)
            #expect(verdict.outcome == .dropped && verdict.reason == .otherVisit)
            #expect(verdict.found == "an event of the visit v-9" && verdict.at == "/data/identifier")
        }
    }

    @Test func ignoresLateEventsOfACancelledVisit() async throws {
        try await PageFixture.run { fixture in
            try await fixture.boot()
            try await fixture.post("visitProposed", Self.proposal)
            try await fixture.post("visitProposed", Self.proposal.replacing("/posts", with: "/others"))
            // Turbo gets both visits, and reports the first one after its end.
            #expect(try await fixture.post("visitStarted", #"{"identifier":"v-1"}"#) == .handled)
            #expect(try await fixture.post("visitStarted", #"{"identifier":"v-2"}"#) == .handled)
            #expect(try await fixture.post("visitRequestFinished", #"{"identifier":"v-1"}"#) == .handled)
            #expect(
                try await fixture.post("visitCompleted", #"{"identifier":"v-2","restorationIdentifier":"r"}"#)
                    == .handled)
            #expect(fixture.app.visibleScreen?.title == "Test")
        }
    }

    @Test func drivenBrowserAsksAboutLinks() async throws {
        try await withServer { server, address in
            let app = try EmulatedApp(server: server)
            let token = try DiscoveryFileContents(path: address.discoveryFile).token
            let (page, _) = try await PageClient.attachDriven(port: address.port, token: token)
            page.tell("page.update", #"{"readyState":"complete","status":200}"#)
            for (link, policy) in [
                (#""url":"http://localhost:3000/posts""#, "cancel"), (#""url":"mailto:a@b.c""#, "cancel"),
                (#""url":"http://elsewhere.test/""#, "cancel"),
                (#""url":"http://localhost:3000/new","hasTargetFrame":false"#, "cancel"),
            ] {
                let answer = try await page.ask("navigation.decide", #"{"type":"link","isMainFrame":true,\#(link)}"#)
                #expect(answer["result"]?["policy"]?.string == policy)
            }
            #expect(app.outbox.map(\.url.absoluteString) == ["mailto:a@b.c", "http://elsewhere.test/"])
            #expect(app.navigation.main.map { $0.url.path } == ["/", "/posts", "/new"])
        }
    }

    @Test func drivenBrowserGetsTheCookiesOfASignIn_beforeItLoads() async throws {
        try await withServer { server, address in
            let site = try ConfigurationServer(
                .body(Array("{}".utf8), headers: ["Set-Cookie: s=1; HttpOnly; Path=/"]), at: "/session")
            var configuration = EmulatedApp.Configuration()
            configuration.signInURL = try site.url("/session")
            let app = try EmulatedApp(server: server, configuration)
            let token = try DiscoveryFileContents(path: address.discoveryFile).token
            let (page, _) = try await PageClient.attachDriven(port: address.port, token: token)
            page.tell("page.update", #"{"readyState":"complete","status":200}"#)
            #expect(try await page.ask("navigation.decide", #"{"url":"x","isMainFrame":false}"#)["result"] != nil)
            try app.perform("signIn", ["password": "s3cret"])
            let request = try await page.next("method", "cookies.set")
            let cookie = try #require(request["params"]?["cookie"])
            #expect(cookie["name"]?.string == "s" && cookie["httpOnly"]?.bool == true)
            #expect(cookie["domain"]?.string == "localhost")
            page.send(#"{"jsonrpc":"2.0","id":\#(request["id"]?.number ?? 0),"result":{"value":null}}"#)
            let load = try await page.next("method", "page.navigate")
            #expect(load["params"]?["url"]?.string == "http://localhost:3000/")
        }
    }

    @Test func dropsAProposal_thatLeavesTheApp_orIsRefused() async throws {
        try await PageFixture.run { fixture in
            try await fixture.boot()
            let outside = try await fixture.post(
                "visitProposed", #"{"location":"http://elsewhere.test/","options":{"action":"advance"}}"#)
            #expect(outside.reason == .proposalOutside && outside.found == "one on elsewhere.test")
            #expect(fixture.app.outbox.map(\.url.absoluteString) == ["http://elsewhere.test/"])
            let refused = try await fixture.post(
                "visitProposed", #"{"location":"http://localhost:3000/nothing","options":{"action":"advance"}}"#)
            #expect(refused.reason == .proposalRefused && fixture.main == ["/"])
        }
        try await PageFixture.run({ $0.handle = { _ in .reject } }) { fixture in
            #expect(fixture.main == [])
        }
    }

    @Test func alert_waitsForItsAnswer() async throws {
        try await PageFixture.run({ $0.handle = { $0.url.path == "/warn" ? .alert : .accept } }) { fixture in
            try await fixture.boot()
            try await fixture.post(
                "visitProposed", #"{"location":"http://localhost:3000/warn","options":{"action":"advance"}}"#)
            #expect(fixture.app.alerts.map(\.title) == ["/warn"] && fixture.main == ["/"])
            try fixture.app.perform("answerAlert")
            #expect(fixture.app.alerts.isEmpty)
        }
    }

    @Test func namesThePlaceThatDoesNotDecode() async throws {
        try await PageFixture.run { fixture in
            let verdict = try await fixture.post("visitStarted", #"{"identifier":7}"#)
            #expect(verdict.reason == .undecodable && verdict.at == "/data/identifier")
        }
    }

    @Test func loadsAnInvalidatedPageAgain() async throws {
        try await PageFixture.run { fixture in
            try await fixture.boot()
            try await fixture.post("pageInvalidated")
            let url = try await fixture.destination()
            #expect(url == "http://localhost:3000/")
        }
    }

    /// A form in a modal leaves main's snapshots stale: they are cleared when a screen of main appears (`Session.swift`,
    /// `visitableViewWillAppear`), with TurboNavigator at once. The screen beneath a sheet has appeared all the time.
    @Test(arguments: [Framework.ios13, .turboNavigator])
    func showsAModal_inItsOwnPage_ifThereIsOne(_ framework: Framework) async throws {
        try await PageFixture.run({ $0.framework = framework }) { fixture in
            try await fixture.boot()
            let (modal, _) = try await PageClient.attach(
                port: fixture.port, origin: PageFixture.origin, document: "m-1", webView: "modal")
            fixture.app.navigate("modal") {
                $0.route(
                    VisitProposal(
                        url: fixture.app.navigation.main[0].url.appending(path: "new"), properties: ["context": "modal"]
                    )
                )
            }
            let url = try await modal.next("method", "page.navigate")["params"]?["url"]?.string
            #expect(url == "http://localhost:3000/new" && fixture.app.navigation.visibleStack == .modal)
            await modal.post(
                #"{"name":"formSubmissionFinished","data":{"location":"http://localhost:3000/new"}}"#, seq: 1,
                to: "turbo")
            if framework.clearsSnapshotsAtOnce {
                #expect(try await fixture.script() == "window.turboNative.clearSnapshotCache()")
                return
            }
            // A second form must not matter, and nothing is cleared while the modal is up.
            await modal.post(
                #"{"name":"formSubmissionFinished","data":{"location":"http://localhost:3000/new"}}"#, seq: 2,
                to: "turbo")
            _ = try await fixture.recorder.first {
                if case .message("turbo", _, _, 2, _) = $0.event { $0.page != "p1" } else { false }
            }
            // The page below does not change.
            fixture.app.navigate("dismiss") { $0.dismissModal() }
            #expect(fixture.app.navigation.visibleStack == .main)
            #expect(fixture.app.sessions[.main]?.isVisiting == false)
            fixture.app.route(fixture.app.navigation.main[0].url.appending(path: "posts"))
            #expect(try await fixture.script().contains("visitLocationWithOptionsAndRestorationIdentifier"))
            #expect(try await fixture.script() == "window.turboNative.clearSnapshotCache()")
        }
    }

    /// See `Navigator.swift`, `inspectAllSessions`.
    @Test func loadsBothLostPages_whenTheAppComesBack() async throws {
        try await PageFixture.run { fixture in
            try await fixture.boot()
            let (modal, _) = try await PageClient.attach(
                port: fixture.port, origin: PageFixture.origin, document: "m-1", webView: "modal")
            let url = fixture.app.navigation.main[0].url.appending(path: "new")
            fixture.app.navigate("modal") { $0.route(VisitProposal(url: url, properties: ["context": "modal"])) }
            _ = try await modal.next("method", "page.navigate")
            try fixture.app.perform("background")
            for name in ["main", "modal"] { try fixture.app.perform("killWebContent", ["webView": name]) }
            _ = try await fixture.destination()
            _ = try await modal.next("method", "page.navigate")
            #expect(fixture.app.tabs.allSessions.map(\.isVisiting) == [false, false])
            try fixture.app.perform("foreground")
            #expect(fixture.app.tabs.allSessions.map(\.isVisiting) == [true, true])
        }
    }

    @Test func loadsALostPage_whenTheAppComesBack() async throws {
        try await PageFixture.run { fixture in
            try await fixture.boot()
            try fixture.app.perform("background")
            fixture.app.sessions[.main]?.webView._killWebContentProcessAndResetState()
            _ = try await fixture.destination()
            #expect(fixture.app.sessions[.main]?.isVisiting == false)
            try fixture.app.perform("foreground")
            #expect(fixture.app.sessions[.main]?.isVisiting == true)
        }
    }
}
