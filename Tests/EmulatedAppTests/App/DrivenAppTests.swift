import BridgeProtocol
import BridgeServer
import Foundation
import TestSupport
import Testing

@testable import EmulatedApp
@testable import PathConfiguration

/// The app in a browser that is driven, which opens windows for it. The driver is simulated.
@MainActor @Suite(.timeLimit(.minutes(4))) struct DrivenAppTests {
    @MainActor private struct Fixture {
        let app: EmulatedApp
        let server: BridgeServer
        let page: PageClient
        let port: UInt16

        func attach(_ webView: String) async throws -> PageClient {
            try await PageClient.attachDriven(
                port: port, token: server.token, document: "d-\(webView)", webView: webView, url: "about:blank"
            ).0
        }

        /// Waits until the app has asked for a window, and answers.
        /// - Returns: the name of its web view.
        func answerOpen(_ answer: String = #""result":{"value":null}"#) async throws -> String? {
            let request = try await page.next("method", "webView.open")
            page.send(#"{"jsonrpc":"2.0","id":\#(request["id"]?.number ?? 0),\#(answer)}"#)
            return request["params"]?["name"]?.string
        }

        /// Asks whether the page may load something.
        func decide(_ url: String, _ type: String, _ more: String = "") async throws -> String? {
            let params = #"{"url":"\#(url)","type":"\#(type)","isMainFrame":true\#(more)}"#
            return try await page.ask("navigation.decide", params)["result"]?["policy"]?.string
        }

        /// Asks whether the page may follow a link.
        func followLink(_ path: String) async throws -> String? {
            try await decide("http://localhost:3000\(path)", "link")
        }

        /// Completes the cold boot of the first page.
        func boot() async throws {
            await page.post(#"{"name":"pageLoaded","data":{"restorationIdentifier":"r-0"}}"#, seq: 1, to: "turbo")
            let recorder = Recorder(server)
            await page.post(#"{"name":"log","data":{"message":"booted"}}"#, seq: 2, to: "turbo")
            _ = try await recorder.first { if case .message = $0.event { true } else { false } }
        }
    }

    private func run(
        tabs: [EmulatedApp.Tab] = [], _ configure: (inout EmulatedApp.Configuration) -> Void = { _ in },
        _ body: @MainActor (Fixture) async throws -> Void
    ) async throws {
        try await withServer { server, address in
            let rules = #"{"rules":[{"patterns":["/new$"],"properties":{"context":"modal"}}]}"#
            var configuration = EmulatedApp.Configuration()
            configuration.pathConfiguration = PathConfiguration(sources: [.data(Data(rules.utf8))])
            configuration.tabs = tabs
            configure(&configuration)
            let app = try EmulatedApp(server: server, configuration)
            let (page, _) = try await PageClient.attachDriven(port: address.port, token: server.token)
            try await body(Fixture(app: app, server: server, page: page, port: address.port))
        }
    }

    private static func url(_ path: String) throws -> URL {
        try #require(URL(string: "http://localhost:3000\(path)"))
    }

    /// A form that was answered with a page for the modal: that page is not asked for again.
    @Test func modalShowsAResponseThatIsAtHand() async throws {
        try await run { fixture in
            let options = VisitOptions(response: VisitResponse(statusCode: 200, responseHTML: "<p>New"))
            let url = try Self.url("/new")
            fixture.app.navigate("a test", options) { $0.route(url) }
            _ = try await fixture.answerOpen()
            let modal = try await fixture.attach("modal")
            let load = try await modal.next("method", "page.loadHTML")
            #expect(load["params"]?.description == #"{"html":"<p>New","baseURL":"http://localhost:3000/new"}"#)
        }
    }

    @Test func modalGetsAWindow_thatShowsIt() async throws {
        try await run { fixture in
            fixture.app.route(try Self.url("/new"))
            #expect(try await fixture.answerOpen() == "modal")
            #expect(fixture.app.visibleWebView == "modal")
            let modal = try await fixture.attach("modal")
            let load = try await modal.next("method", "page.navigate")
            #expect(load["params"]?["url"]?.string == "http://localhost:3000/new")
            // The window stays, as a phone's second web view does.
            fixture.app.navigate("the user dismisses the modal") { $0.dismissModal() }
            #expect(fixture.app.visibleWebView == "main")
            fixture.app.route(try Self.url("/new"))
            #expect(fixture.app.visibleWebView == "modal")
            #expect(
                try await modal.next("method", "page.navigate")["params"]?["url"]?.string?.hasSuffix("/new") == true)
        }
    }

    @Test func eachTabGetsAWindow() async throws {
        let tabs = [
            EmulatedApp.Tab(title: "Home", url: try Self.url("/")), .init(title: "Posts", url: try Self.url("/posts")),
        ]
        try await run(tabs: tabs) { fixture in
            try fixture.app.perform("tapTab", ["tab": "Posts"])
            #expect(try await fixture.answerOpen() == "main.2")
            #expect(fixture.app.visibleWebView == "main.2")
            let posts = try await fixture.attach("main.2")
            #expect(
                try await posts.next("method", "page.navigate")["params"]?["url"]?.string?.hasSuffix("/posts") == true)
            try fixture.app.perform("tapTab", ["tab": "Home"])
            #expect(fixture.app.visibleWebView == "main" && fixture.app.visibleScreen?.url.path == "/")
            try fixture.app.perform("tapTab", ["tab": "Posts"])
            #expect(fixture.app.visibleWebView == "main.2")
            fixture.app.route(try Self.url("/new"))
            #expect(try await fixture.answerOpen() == "modal.2")
        }
    }

    @Test func windowThatDoesNotOpen_isAProblem() async throws {
        try await run { fixture in
            let recorder = Recorder(fixture.server)
            fixture.app.route(try Self.url("/new"))
            _ = try await fixture.answerOpen(#""error":{"code":-32603,"message":"no screen"}"#)
            let problem = try await recorder.problem("webViewNotOpened")
            #expect(problem.text.contains("modal") && problem.text.contains("no screen"))
        }
    }

    @Test func linksGoThroughTheRulesOfTheApp() async throws {
        try await run { fixture in
            let anchor = try await fixture.followLink("/#part")
            let modal = try await fixture.followLink("/new")
            #expect(anchor == "allow" && modal == "cancel")
            #expect(fixture.app.navigation.modal.map(\.url.path) == ["/new"])
            let opened = try await fixture.answerOpen()
            #expect(opened == "modal")
        }
    }

    /// See `HotwireTabBarController.swift`, `load`.
    @Test(arguments: [true, false]) func tabsLoadLazily_orWithTheApp(_ isLazy: Bool) async throws {
        let tabs = [
            EmulatedApp.Tab(title: "Home", url: try Self.url("/")), .init(title: "Posts", url: try Self.url("/posts")),
        ]
        try await run(tabs: tabs) {
            $0.lazyLoadTabs = isLazy
        } _: { fixture in
            let stacks = fixture.app.tabs.navigators.map { $0?.state.main.map(\.url.path) ?? [] }
            guard !isLazy else { return #expect(stacks == [["/"], []]) }
            #expect(try await fixture.answerOpen() == "main.2")
            #expect(stacks == [["/"], ["/posts"]] && fixture.app.selectedTab == 0)
            #expect(fixture.app.visibleWebView == "main")
            let posts = try await fixture.attach("main.2")
            let load = try await posts.next("method", "page.navigate")["params"]?["url"]?.string
            #expect(load == "http://localhost:3000/posts")
            // Nothing is visited again.
            try fixture.app.perform("tapTab", ["tab": "Posts"])
            #expect(fixture.app.visibleWebView == "main.2" && fixture.app.sessions[.main]?.isVisiting == true)
        }
    }

    private func runWithTwoTabs(
        _ framework: Framework = .default, _ body: @MainActor (Fixture, TabViews) async throws -> Void
    ) async throws {
        let tabs = [
            EmulatedApp.Tab(title: "Home", url: try Self.url("/")), .init(title: "Posts", url: try Self.url("/posts")),
        ]
        try await run(tabs: tabs) {
            $0.framework = framework
        } _: { fixture in
            let opened = try await fixture.answerOpen()
            #expect(opened == "main.2")
            try await body(fixture, try #require(fixture.app.tabs.otherViews[1]))
        }
    }

    /// Components on the page of a tab that loads in the background. Strada drops their messages (strada-ios' issue 33);
    /// since hotwire-native-ios 1.2 they are handled before the tab's first selection, and since 1.3 (pull request 253)
    /// also when it is deselected again.
    @Test(arguments: [
        (Framework.ios12, true, false), (.ios13Beta, true, false), (.ios13, true, true), (.iosMain, true, true),
        (.android13, true, true), (.turboNavigator, false, false),
    ])
    func componentsInAnotherTab_areActive(_ framework: Framework, before: Bool, after: Bool) async throws {
        try await runWithTwoTabs(framework) { fixture, posts in
            let delegate = try #require(posts.bridges[.main]?.delegate)
            @MainActor func isHandled(_ event: String) -> Bool {
                delegate.receive(
                    Message(
                        id: "1", component: "button", event: event, metadata: .init(url: delegate.location),
                        jsonData: #"{"title":"Add"}"#)
                ).outcome == .handled
            }
            #expect(isHandled("connect") == before)
            try fixture.app.perform("tapTab", ["tab": "Posts"])
            #expect(isHandled("right"))
            #expect((fixture.app.visibleComponent(ButtonComponent.self)) != nil)
            try fixture.app.perform("tapTab", ["tab": "Home"])
            #expect(isHandled("right") == after)
        }
    }

    @Test func proposalInAnotherTab_movesThatTab() async throws {
        try await runWithTwoTabs { fixture, posts in
            let session = try #require(posts.sessions[.main])
            let options = VisitOptions(action: .advance)
            try fixture.app.session(session, didProposeVisitTo: try Self.url("/posts/1"), options: options)
            fixture.app.session(session, didFollowLinkTo: try Self.url("/posts/2"))
            @MainActor func stacks() -> [[String]] {
                fixture.app.tabs.navigators.map { $0?.state.main.map(\.url.path) ?? [] }
            }
            #expect(stacks() == [["/"], ["/posts", "/posts/1", "/posts/2"]])
            fixture.app.session(session, didProposeVisitToCrossOriginRedirect: try Self.url("/posts/3"))
            #expect(stacks() == [["/"], ["/posts", "/posts/1", "/posts/3"]])
            #expect(fixture.app.selectedTab == 0 && fixture.app.visibleScreen?.url.path == "/")
            #expect(Set(fixture.app.tabs.navigators.flatMap { $0?.state.ids ?? [] }).count == 4)
            try fixture.app.perform("tapTab", ["tab": "Posts"])
            #expect(fixture.app.visibleScreen?.url.path == "/posts/3")
        }
    }

    // MARK: Policies

    /// See `ColdBootVisit.swift`, `decidePolicyFor`: the load is cancelled, and its target proposed.
    @Test func coldBootsRedirectToAnotherHost_leavesTheApp_andFails() async throws {
        try await run {
            $0.framework = .ios13
        } _: { fixture in
            let sameHost = try await fixture.decide("http://localhost:3000/moved", "other")
            let otherHost = try await fixture.decide("https://elsewhere.test/", "other")
            #expect(sameHost == "allow" && otherHost == "cancel")
            #expect(fixture.app.outbox.map(\.url.absoluteString) == ["https://elsewhere.test/"])
            #expect(fixture.app.navigation.main.map(\.url.path) == ["/"])
            let error = JSONValue.object(fixture.app.state)["main"]?[0]?["error"]?.text
            #expect(error == #"{"error":"web","errorCode":102,"description":"Frame load interrupted"}"#)
        }
        try await run {
            $0.framework = .turboIOS71
        } _: { fixture in
            let policy = try await fixture.decide("https://elsewhere.test/", "other")
            #expect(policy == "allow")
        }
    }

    /// See `ReloadWebViewPolicyDecisionHandler.swift`.
    @Test func reloadOfThePage_reloadsTheSession() async throws {
        try await run { fixture in
            try await fixture.boot()
            #expect(try await fixture.decide("http://localhost:3000/", "reload") == "cancel")
            let load = try await fixture.page.next("method", "page.navigate")["params"]?["url"]?.string
            #expect(load == "http://localhost:3000/" && fixture.app.navigation.main.map(\.id) == [1])
        }
    }

    /// See `Hotwire.registerWebViewPolicyDecisionHandlers`.
    @Test(arguments: [
        (WebViewPolicyHandler.allCases, "cancel", ["/", "/posts"]), ([.linkActivated], "cancel", ["/"]),
        ([.newWindow], "allow", ["/"]), ([], "allow", ["/"]),
    ])
    func firstMatchingHandlerDecidesAboutALink(
        _ handlers: [WebViewPolicyHandler], _ policy: String, _ main: [String]
    ) async throws {
        try await run {
            $0.webViewPolicyDecisionHandlers = handlers
        } _: { fixture in
            try await fixture.boot()
            #expect(try await fixture.followLink("/posts") == policy)
            #expect(fixture.app.navigation.main.map(\.url.path) == main)
        }
    }

    /// See `WKNavigationAction+Utils.swift`, `shouldOpenURLExternally`, and `Session.kt`, `shouldOverrideUrlLoading`.
    @Test(arguments: [
        (Framework.ios13, true), (.ios12, true), (.android13, true), (.turboIOS71, false), (.turboNavigator, false),
    ])
    func loadOfAScript_isRouted_asInTheRelease(_ framework: Framework, _ isRouted: Bool) async throws {
        try await run {
            $0.framework = framework
        } _: { fixture in
            // During the cold boot it may be part of it.
            if framework.platform == .ios {
                #expect(try await fixture.decide("http://localhost:3000/moved", "script") == "allow")
            }
            try fixture.app.sessions[.main]?.receive(.visit(.pageLoaded(restorationIdentifier: "r-0")))
            // The browser's user may type an address.
            #expect(try await fixture.decide("http://localhost:3000/typed", "other") == "allow")
            let policy = try await fixture.decide("http://localhost:3000/posts", "script")
            #expect(policy == (isRouted ? "cancel" : "allow"))
            #expect(fixture.app.navigation.main.map(\.url.path) == (isRouted ? ["/", "/posts"] : ["/"]))
        }
    }

    /// See `Session.kt`, `shouldOverrideUrlLoading`: each load that the page begins before Turbo is ready replaces its
    /// screen, and so does a redirect.
    @Test(arguments: [
        ("http://localhost:3000/moved", "script", ["/moved"], []),
        ("http://localhost:3000/moved", "link", ["/moved"], []),
        ("https://elsewhere.test/", "other", ["/"], ["https://elsewhere.test/"]),
    ])
    func coldBootOnAndroid_isReplaced(_ url: String, _ type: String, _ main: [String], _ outside: [String]) async throws
    {
        try await run {
            $0.framework = .android13
        } _: { fixture in
            let policy = try await fixture.decide(url, type)
            #expect(policy == "cancel")
            #expect(fixture.app.navigation.main.map(\.url.path) == main)
            #expect(fixture.app.outbox.map(\.url.absoluteString) == outside)
            #expect(fixture.app.sessions[.main]?.isVisiting == outside.isEmpty)
        }
    }

    /// See `HotwireWebChromeClient.kt`, `onCreateWindow`: without a link that the user has tapped, nothing opens.
    @Test func windowOfAScript_isNotOpenedOnAndroid() async throws {
        try await run {
            $0.framework = .android13
        } _: { fixture in
            let session = try #require(fixture.app.sessions[.main])
            try session.receive(.visit(.pageLoaded(restorationIdentifier: "r-0")))
            let recorder = Recorder(fixture.server)
            session.loadInPlace(ofWindow: try DrivenAppTests.url("/opened"))
            let record = try await recorder.first {
                if case .app(let event, _) = $0.event { event == "linkCancelled" } else { false }
            }
            #expect("\(record)".contains("A page wants a window"))
            #expect(fixture.app.navigation.main.map(\.url.path) == ["/"])
        }
    }

    @Test func linkInAFrame_staysInTheFrameOnAndroid() async throws {
        try await run {
            $0.framework = .android13
        } _: { fixture in
            try fixture.app.sessions[.main]?.receive(.visit(.pageLoaded(restorationIdentifier: "r-0")))
            let params = #"{"url":"http://localhost:3000/inner","type":"link","isMainFrame":false}"#
            #expect(try await fixture.page.ask("navigation.decide", params)["result"]?["policy"]?.string == "allow")
            #expect(fixture.app.navigation.main.map(\.url.path) == ["/"])
        }
    }

    /// See `Session.kt`, `onReceivedHttpError`.
    @Test func formWithoutTurbo_failsOnAndroid_ifItsResultIsAnError() async throws {
        try await run {
            $0.framework = .android13
        } _: { fixture in
            let session = try #require(fixture.app.sessions[.main])
            try session.receive(.visit(.pageLoaded(restorationIdentifier: "r-0")))
            let posts = "http://localhost:3000/posts"
            #expect(try await fixture.decide(posts, "form", #","isPost":true"#) == "allow")
            fixture.page.send(#"{"jsonrpc":"2.0","method":"navigation.started","params":{"url":"\#(posts)"}}"#)
            #expect(
                try await fixture.decide(posts, "form", #","response":{"status":422,"mimeType":"text/html"}"#)
                    == "allow")
            let error = JSONValue.object(fixture.app.state)["main"]?[0]?["error"]?.text
            #expect(error?.contains("422") == true && !session.isInitialized)
        }
    }

    /// See `Session.kt`, `shouldOverrideUrlLoading`, which is called for GET, and for the redirect of a POST.
    @Test func formWithoutTurbo_isRoutedOnAndroid_ifItIsSentByGet() async throws {
        try await run {
            $0.framework = .android13
        } _: { fixture in
            try fixture.app.sessions[.main]?.receive(.visit(.pageLoaded(restorationIdentifier: "r-0")))
            let search = "http://localhost:3000/search?q=a"
            #expect(try await fixture.decide(search, "form", #","isPost":false"#) == "cancel")
            #expect(fixture.app.navigation.main.map(\.url.path) == ["/", "/search"])
        }
    }

    @Test func formWithoutTurbo_staysOnItsScreenOnAndroid_ifItIsSentByPost() async throws {
        try await run {
            $0.framework = .android13
        } _: { fixture in
            let session = try #require(fixture.app.sessions[.main])
            try session.receive(.visit(.pageLoaded(restorationIdentifier: "r-0")))
            let scripts = { session.webView.configuration.userContentController.userScripts.count }
            let count = scripts()
            #expect(try await fixture.decide("http://localhost:3000/posts", "form", #","isPost":true"#) == "allow")
            // Its result gets no adapter: only a cold boot installs it.
            #expect(count > 0 && scripts() == 0)
            fixture.page.send(
                #"{"jsonrpc":"2.0","method":"navigation.started","params":{"url":"http://localhost:3000/posts"}}"#)
            #expect(
                try await fixture.decide("http://localhost:3000/posts/1", "form", #","isPost":false"#) == "cancel")
            #expect(scripts() == count && !session.form.showsResult && session.turbo.isReady)
            #expect(fixture.app.navigation.main.map(\.url.path) == ["/", "/posts/1"])
        }
    }

    @Test func linkOfTurboIOS_leavesTheApp() async throws {
        try await run {
            $0.framework = .turboIOS71
        } _: { fixture in
            try await fixture.boot()
            #expect(try await fixture.followLink("/image.jpg") == "cancel")
            #expect(try await fixture.followLink("/page") == "cancel")
            #expect(fixture.app.outbox.map(\.browser) == [.browser, .system])
            #expect(fixture.app.navigation.main.count == 1)
        }
    }
}
