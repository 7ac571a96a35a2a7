import BridgeBrowsers
import BridgeProtocol
import BridgeTesting
import BridgeTraffic
import EmulatedApp
import Foundation
import PathConfiguration
import TestSupport
import Testing

/// The emulated app in browsers that bridged drives.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2)), .browserTurns) struct DrivenEmulatedAppTests {
    private static func page(_ title: String) -> DrivenSite.Page {
        .init(html: "<!doctype html><title>\(title)</title><a id=new href=/new>New</a>")
    }

    @Test(arguments: [BrowserEngine.chromium, .firefox, .webkit].tried)
    func modalHasAWindowOfItsOwn(_ engine: BrowserEngine) async throws {
        try requireDriven(engine)
        let site = try DrivenSite(["/": Self.page("Start"), "/new": Self.page("New")])
        let rules = #"{"rules":[{"patterns":["/new$"],"properties":{"context":"modal"}}]}"#
        var configuration = EmulatedApp.Configuration()
        configuration.pathConfiguration = PathConfiguration(sources: [.data(Data(rules.utf8))])
        try await withBridgedApp(driving: engine, app: configuration) { app in
            try await app.open(site.url)
            try await app.run("document.cookie = 'a=1'")
            let url = try #require(URL(string: "\(site.url)/new"))
            app.emulatedApp?.route(url)
            try await app.wait(until: "document.title === 'New'", within: .seconds(20))
            #expect(try app.page().webView == "modal")
            #expect(try await app.evaluate("document.cookie") as String == "a=1")
            #expect(app.server.mainPage(of: "main")?.url == site.url + "/")
            try app.emulatedApp?.perform("dismissModal")
            #expect(try await app.evaluate("document.title") as String == "Start")
        }
    }

    /// The modal's window shows the empty document first.
    @Test(arguments: [BrowserEngine.chromium, .firefox, .webkit].tried)
    func evaluationWaitsForTheModalsPage(_ engine: BrowserEngine) async throws {
        try requireDriven(engine)
        var slow = Self.page("New")
        slow.delay = 0.3
        let site = try DrivenSite(["/": Self.page("Start"), "/new": slow])
        let rules = #"{"rules":[{"patterns":["/new$"],"properties":{"context":"modal"}}]}"#
        var configuration = EmulatedApp.Configuration()
        configuration.pathConfiguration = PathConfiguration(sources: [.data(Data(rules.utf8))])
        try await withBridgedApp(driving: engine, app: configuration) { app in
            app.timeout = .seconds(20)
            await #expect(throws: BridgedAppFailure.self) { try await app.run("1") }
            try await app.open(site.url)
            app.emulatedApp?.route(try #require(URL(string: "\(site.url)/new")))
            #expect(try await app.evaluate("document.title") as String == "New")
            #expect(try app.page().webView == "modal")
        }
    }

    /// A call that names no page is about the one that the user sees. An action begins after the visit before it, and ends
    /// with its own.
    @Test(arguments: BrowserEngine.allCases.tried)
    func callsGoToTheVisiblePage_andActionsWaitForTheirVisit(_ engine: BrowserEngine) async throws {
        try requireDriven(engine)
        var slow = Self.page("New")
        slow.delay = 0.7
        let site = try DrivenSite(["/": Self.page("Start"), "/new": slow, "/slow": slow])
        let rules = #"{"rules":[{"patterns":["/new$"],"properties":{"context":"modal"}}]}"#
        var configuration = EmulatedApp.Configuration()
        configuration.pathConfiguration = PathConfiguration(sources: [.data(Data(rules.utf8))])
        try await withBridgedApp(driving: engine, app: configuration) { app in
            let control = try ControlClient(app.address)
            func title(_ more: String = "") async throws -> String? {
                try await control.call("script.evaluate", #"{"source":"document.title"\#(more)}"#)["value"]?.string
            }
            func perform(_ params: String) async throws -> JSON {
                try await control.call("app.perform", "{\(params)}")
            }
            try await app.open(site.url)
            // The daemon answers before the server does.
            #expect(try await perform(#""action":"visit","url":"/slow","wait":false"#)["isLoading"]?.bool == true)
            #expect(try await perform(#""action":"visit","url":"/new""#)["visible"]?.string == "modal")
            let pages = app.server.traffic.query(TrafficFilter([.init(.kind, "page", "app")]), limit: .max).records
            let loaded = pages.firstIndex {
                $0.json["event"]?.string == "loaded" && $0.json["url"]?.string == site.url + "/slow"
            }
            let routed = pages.firstIndex {
                $0.json["event"]?.string == "navigation" && $0.json["cause"]?.string?.contains("/new") == true
            }
            #expect(try #require(loaded) < #require(routed))
            let modal = try #require(app.server.mainPage(of: "modal"))
            #expect(modal.url == site.url + "/new" && modal.readyState == "complete")
            #expect(try await control.call("pages.list")["visible"]?.string == modal.id)
            #expect(try await control.call("pages.wait", #"{"url":"*/new"}"#)["page"]?.string == modal.id)
            #expect(try await title() == "New")
            let environment = ["BRIDGED_URL": app.address.url, "BRIDGED_TOKEN": control.token]
            let doctor = try await Executable.run(["doctor"], environment: environment)
            #expect(doctor.output.hasPrefix("\(modal.id)  modal  "), "\(doctor.output)")
            _ = try await control.call("page.act", ##"{"element":"#new"}"##)
            #expect(try await title(#","webView":"main""#) != nil)
            let back = try await Executable.run(["app", "dismissModal"], environment: environment)
            #expect(back.status == 0, "\(back.errors)")
            #expect(try await control.call("pages.list")["visible"]?.string == app.server.mainPage(of: "main")?.id)
        }
    }

    /// A modal and what opens later have the screen of the others, also after its user has changed it.
    @Test(arguments: BrowserEngine.allCases.tried)
    func everyWindowIsAPhone(_ engine: BrowserEngine) async throws {
        try requireDriven(engine)
        let head = "<!doctype html><meta name=viewport content='width=device-width'>"
        let site = try DrivenSite(["/": .init(html: head), "/new": .init(html: head)])
        let rules = #"{"rules":[{"patterns":["/new$"],"properties":{"context":"modal"}}]}"#
        var configuration = EmulatedApp.Configuration()
        configuration.pathConfiguration = PathConfiguration(sources: [.data(Data(rules.utf8))])
        try await withBridgedApp(driving: engine, app: configuration) { app in
            app.timeout = .seconds(20)
            let control = try ControlClient(app.address)
            let isLight = "matchMedia('(prefers-color-scheme: light)').matches"
            let isPhone = "innerWidth === 393 && innerHeight === 852 && devicePixelRatio === 3 && \(isLight)"
            try await app.open(site.url)
            try await app.wait(until: isPhone)
            _ = try await control.call("page.emulate", #"{"width":375,"height":600}"#)
            try await app.wait(until: "innerWidth === 375")
            // WebDriver BiDi has no command for colours.
            if engine != .firefox { _ = try await control.call("page.emulate", #"{"colorScheme":"dark"}"#) }
            _ = try await control.call("app.perform", #"{"action":"visit","url":"/new"}"#)
            #expect(try app.page().webView == "modal")
            let hasChanged = "innerWidth === 375 && innerHeight === 600 && devicePixelRatio === 3"
            try await app.wait(until: hasChanged + (engine == .firefox ? "" : " && !\(isLight)"))
            _ = try await control.call("page.emulate", #"{"width":393,"height":852}"#)
            try await app.wait(until: "innerWidth === 393")
            try app.emulatedApp?.perform("dismissModal")
            try await app.wait(until: "innerWidth === 393")
        }
        try await withBridgedApp(driving: engine, device: .none) { app in
            try await app.open(site.url)
            #expect(try await app.evaluate("devicePixelRatio") == 1)
        }
    }

    /// A page with the script tag is the only one that its browser shows.
    @Test func callsGoToTheTagsPage_alsoBehindAModal() async throws {
        let rules = #"{"rules":[{"patterns":["/new$"],"properties":{"context":"modal"}}]}"#
        var configuration = EmulatedApp.Configuration()
        configuration.pathConfiguration = PathConfiguration(sources: [.data(Data(rules.utf8))])
        try await withServer { server, address in
            let app = try EmulatedApp(server: server, configuration)
            let main = PageStandIn(server)
            let control = try ControlClient(address)
            try app.perform("visit", ["url": "/new"])
            #expect(try await control.call("app.state")["visible"]?.string == "modal")
            #expect(try await control.call("pages.list")["visible"]?.string == main.page?.id)
        }
    }

    /// A page that is driven needs no script tag, and may have it nevertheless.
    @Test(arguments: [BrowserEngine.chromium, .firefox, .webkit].tried)
    func pageWithTheScriptTagAttachesOnce(_ engine: BrowserEngine) async throws {
        try requireDriven(engine)
        var android = EmulatedApp.Configuration()
        android.framework = .android13
        // Neither has message handlers. WebKit has no interface objects.
        for configuration in engine == .webkit ? [nil] : [nil, android] {
            try await withBridgedApp(driving: engine, app: configuration) { app in
                let tag = "<script src=\"http://localhost:\(app.address.port)/bridge.js\"></script>"
                let site = try DrivenSite(["/": .init(html: "<!doctype html>\(tag)<title>Both</title>")])
                try await app.open(site.url)
                #expect(try await app.evaluate("document.bridged === undefined && document.title == 'Both'"))
                #expect(app.server.pages.filter { $0.url == site.url + "/" }.count == 1)
            }
        }
    }

    /// The first page has no Turbo, so its cold boot is not over. What a test opens meanwhile is no redirect of it.
    @Test(arguments: [BrowserEngine.chromium, .firefox, .webkit].tried)
    func testOpensAPageOfAnotherHost_duringAColdBoot(_ engine: BrowserEngine) async throws {
        try requireDriven(engine)
        let site = try DrivenSite(["/": Self.page("One"), "/two": Self.page("Two")])
        let other = site.url.replacing("127.0.0.1", with: "localhost")
        try await withBridgedApp(driving: engine) { app in
            try await app.open(site.url, until: .attached)
            try await app.open("\(other)/two")
            #expect(try await app.evaluate("`${document.title} ${location.hostname}`") == "Two localhost")
            #expect(app.emulatedApp?.navigation.main.map(\.url.absoluteString) == ["\(other)/two"])
        }
    }

    /// On iOS no handler of the policy matches a form, so the web view goes where it leads, and the screen stays.
    @Test(arguments: [BrowserEngine.chromium, .firefox, .webkit].tried)
    func formsWithoutTurboStayInTheWebView(_ engine: BrowserEngine) async throws {
        try requireDriven(engine)
        let socket = try DrivenSite(["/pay": Self.page("Pay"), "/direct": Self.page("Direct")])
        let other = socket.url.replacing("127.0.0.1", with: "localhost")
        let site = try DrivenSite([
            "/": .init(
                html: """
                    <!doctype html><title>Start</title><form action=/sent method=post><button id=sent>1</button></form>
                    <form action=\(other)/direct method=post><button id=direct>2</button></form>
                    """),
            "/sent": .init(html: "", status: 303, fields: ["Location: \(other)/pay"]),
        ])
        for (button, title) in [("sent", "Pay"), ("direct", "Direct")] {
            try await withBridgedApp(driving: engine) { app in
                try await app.open(site.url)
                try await app.tap("#\(button)")
                try await app.wait(until: "document.title === '\(title)' && location.hostname === 'localhost'")
                #expect(app.emulatedApp?.navigation.main.map(\.url.path) == ["/"])
                #expect(app.server.mainPage(of: "main")?.url.hasPrefix(other) == true)
            }
        }
    }

    /// On Android what a form without Turbo asks for by GET is routed, and so is the redirect of one that is sent by POST. The
    /// answer to a POST stays on the screen, without the adapter; see `Session.kt`, `shouldOverrideUrlLoading` and
    /// `onPageFinished`.
    @Test(arguments: [BrowserEngine.chromium, .firefox].tried)
    func formsWithoutTurbo_areRoutedOnAndroid_unlessTheyArePosted(_ engine: BrowserEngine) async throws {
        try requireDriven(engine)
        let turbo = """
            <!doctype html><title>TITLE</title>
            <script>
            Turbo = { registerAdapter() {}, navigator: { restorationIdentifier: "r", startVisit(url) { visited = url } } }
            </script>
            """
        let site = try DrivenSite([
            "/": .init(
                html: turbo.replacing("TITLE", with: "Start") + """
                    <form action=/search><input name=q value=a><button id=get>1</button></form>
                    <form action=/sent method=post><button id=sent>2</button></form>
                    <form action=/done method=post><button id=done>3</button></form>
                    <form action=/invalid method=post><button id=invalid>4</button></form>
                    """),
            "/sent": .init(html: "", status: 303, fields: ["Location: /item"]),
            "/done": .init(html: turbo.replacing("TITLE", with: "Done")),
            "/invalid": .init(html: turbo.replacing("TITLE", with: "Invalid"), status: 422),
        ])
        var configuration = EmulatedApp.Configuration()
        configuration.framework = .android13
        for (button, path) in [("get", "/search"), ("sent", "/item")] {
            try await withBridgedApp(driving: engine, app: configuration) { app in
                try await app.open(site.url)
                try await app.wait(until: "!!window.turboNative")
                try await app.tap("#\(button)")
                try await app.wait(until: "window.visited?.includes('\(path)')")
                #expect(app.emulatedApp?.navigation.main.map(\.url.path) == ["/", path])
                #expect(try await app.evaluate("document.title") as String == "Start")
            }
        }
        for (button, title, error) in [("done", "Done", nil), ("invalid", "Invalid", "422")] {
            try await withBridgedApp(driving: engine, app: configuration) { app in
                try await app.open(site.url)
                try await app.wait(until: "!!window.turboNative")
                try await app.tap("#\(button)")
                try await app.wait(until: "document.title === '\(title)' && document.readyState === 'complete'")
                #expect(try await app.evaluate("'turboNative' in window") == false)
                #expect(app.emulatedApp?.navigation.main.map(\.url.path) == ["/"])
                let state = try #require(app.emulatedApp?.state)
                let shown = JSONValue.object(state)["main"]?[0]?["error"]?.text ?? "null"
                #expect(error.map(shown.contains) ?? (shown == "null"), "\(shown)")
            }
        }
    }

    /// What a page opens in a new window is routed in the app; see hotwire-native-ios, `NewWindowWebViewPolicyDecisionHandler`
    /// and `WKUIController`.
    @Test(arguments: [BrowserEngine.chromium, .firefox, .webkit].tried)
    func newWindowsAreRouted(_ engine: BrowserEngine) async throws {
        try requireDriven(engine)
        let kinds = ["blank", "opener", "noreferrer", "named", "form", "post", "script", "scripted", "key"]
        let html = """
            <!doctype html><title>Links</title>
            <a id=blank href=/blank target=_blank>1</a> <a id=opener href=/opener target=_blank rel=opener>2</a>
            <a id=noreferrer href=/noreferrer target=_blank rel=noreferrer>3</a> <a id=named href=/named target=other>4</a>
            <form action=/form target=_blank><button id=form>5</button></form>
            <form action=/post target=_blank method=post><button id=post>6</button></form>
            <button id=script onclick="window.open('/script')">7</button>
            <button id=scripted onclick="window.open('/scripted', '', 'noopener')">8</button>
            <button id=key onclick="link.dispatchEvent(new MouseEvent('click', { bubbles: true, ctrlKey: true, cancelable: true }))">
            9</button><a id=link href=/key>9</a>
            """
        let paths = kinds.map { $0 == "form" ? "/form?" : "/\($0)" }
        let site = try DrivenSite(Dictionary(uniqueKeysWithValues: (["/"] + paths).map { ($0, .init(html: html)) }))
        try await withBridgedApp(driving: engine) { app in
            try await app.open(site.url)
            for (kind, path) in zip(kinds, paths) {
                try await app.tap("#\(kind)")
                let shown = path.prefix { $0 != "?" }
                try await app.wait(until: "location.pathname === '\(shown)' && document.readyState === 'complete'")
                #expect(app.server.pages.filter { $0.isAttached }.allSatisfy { $0.webView == "main" }, "\(kind)")
                #expect(app.emulatedApp?.navigation.main.last?.url.path == String(shown), "\(kind)")
            }
        }
    }
}
