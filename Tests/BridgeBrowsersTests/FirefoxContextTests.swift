import BridgeProtocol
import BridgeServer
import Foundation
import TestSupport
import Testing

@testable import BridgeBrowsers

/// What Firefox tells its driver, in an order in which it seldom does.
@MainActor @Suite(.timeLimit(.minutes(2))) struct FirefoxContextTests {
    private static let introduction = #"""
        document {"frame":{"url":"http://localhost:3000/","origin":"http://localhost:3000","isMainFrame":true}}
        """#

    /// - Parameter body: gets a window whose first document runs and has not introduced itself, and its world.
    private func withContext(
        _ options: LaunchOptions = LaunchOptions(), prepare: @MainActor (BridgeServer) -> Void,
        _ body: @MainActor (DriverFixture, FirefoxContext, ScriptWorld) async throws -> Void
    ) async throws {
        try await withDriver { driver in
            prepare(driver.server)
            // It is not started.
            let browser = try FirefoxBrowser(URL(fileURLWithPath: "/missing"), options)
            defer { browser.close() }
            let webView = try await driver.webView(.firefox)
            let context = FirefoxContext(id: "c", parent: nil, webView: webView, browser: browser)
            let world = try #require(context.add(realm: "r", world: nil, origin: "http://localhost:3000"))
            try await body(driver, context, world)
            context.end()
        }
    }

    /// An interface object is called by a dialog, which the user must not see.
    @Test func interfaceObjectsAreCalled_alsoInAWindowWhoseUserAnswersDialogs() async throws {
        var options = LaunchOptions()
        options.isHeadless = false
        let (calls, called) = AsyncStream.makeStream(of: String.self)
        try await withContext(options) { server in
            var device = JavascriptInterface()
            device.method("note") { (text: String) in _ = called.yield(text) }
            server.addJavascriptInterface(device, name: "Device")
        } _: { _, context, world in
            let call = JSONValue.string(#"{"handler":"Device","method":"note","body":["hi"]}"#).text
            let secret = JSONValue.string(DrivenScript.secret).text
            context.dialogOpened(try JSON.parse(#"{"type":"prompt","message":\#(secret),"defaultValue":\#(call)}"#))
            context.receive(DrivenLine.read(Self.introduction, world: nil), from: world)
            for await text in calls {
                #expect(text == "hi")
                return
            }
        }
    }

    /// The next document is shown, and has not introduced itself yet.
    @Test func nativeCodeIsAskedAboutALoadBetweenTwoPages() async throws {
        let (urls, asked) = AsyncStream.makeStream(of: String.self)
        try await withContext { server in
            server.defaultScope.driverHandler = { message, _, reply in
                if case .decide(let question) = message { asked.yield(question.url) }
                reply.decide(isAllowed: false)
            }
        } _: { driver, context, world in
            // The first load is the driver's own.
            let isFirstAllowed: Bool = try await waitForValue { decided in
                context.ask(NavigationQuestion("http://localhost:3000/")) { decided.yield($0) }
            }
            #expect(isFirstAllowed)
            context.show(context.coming)
            let (decisions, decided) = AsyncStream.makeStream(of: Bool.self)
            context.ask(NavigationQuestion("http://localhost:3000/next", .link)) { decided.yield($0) }
            context.receive(DrivenLine.read(Self.introduction, world: nil), from: world)
            for await isAllowed in decisions {
                #expect(!isAllowed)
                break
            }
            for await url in urls {
                #expect(url == "http://localhost:3000/next")
                return
            }
        }
    }

    @Test func loadIsCancelled_ifNoPageComesThatCouldAsk() async throws {
        try await withDriver { driver in
            var limits = DriverLimits()
            limits.questionTimeout = .milliseconds(50)
            let webView = try await driver.webView(.firefox, limits: limits)
            let nextPage = NextPage()
            let isAllowed: Bool = try await waitForValue { decided in
                nextPage.decide(NavigationQuestion("http://localhost:3000/"), in: webView) { decided.yield($0) }
            }
            withExtendedLifetime(nextPage) {}
            #expect(!isAllowed && driver.reports.contains { $0.contains("shows no page") }, "\(driver.reports)")
        }
    }

    /// A window that the user has opened posts messages.
    @Test func messagesOfWindowsWithoutAWebViewTakeNoRoom() async throws {
        try await withDriver { driver in
            let document = DrivenDocument(
                in: StandInFrame(isMainFrame: true), try await driver.webView(.firefox), after: nil)
            let world = ScriptWorld(id: "known", name: nil, origin: nil, document: document)
            var realms = FirefoxRealms()
            func isRefused(_ realm: String) -> Bool {
                if case .refused = realms.receiver(of: .null, from: realm) { true } else { false }
            }
            #expect(!isRefused("ignored") && realms.add("ignored", nil).isEmpty)
            for _ in 1...2_000 { #expect(!isRefused("ignored")) }
            for _ in 1...1_000 { #expect(!isRefused("known")) }
            #expect(isRefused("known") && isRefused("other"))
            #expect(realms.add("known", world).count == 1_000 && !isRefused("other"))
            guard case .world(let receiver) = realms.receiver(of: .null, from: "known") else {
                Issue.record("The realm is not known.")
                return
            }
            #expect(receiver === world && realms.remove("known") === world)
        }
    }
}
