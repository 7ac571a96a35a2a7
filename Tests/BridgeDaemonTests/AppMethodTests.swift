import BridgeProtocol
import TestSupport
import Testing

/// The emulated app of `bridged serve`, over the control channel.
@Suite(.timeLimit(.minutes(4))) struct AppMethodTests {
    private func withApp(_ body: (ControlClient, CommandFixture) async throws -> Void) async throws {
        let fixture = try await CommandFixture()
        try await body(
            ControlClient(port: fixture.port, discoveryFile: fixture.path("bridged/\(fixture.port).json")), fixture)
    }

    private static let button =
        #"{"handler":"nativeApp","body":{"name":"ActionButton","path":"/new","icon":"plus"}}"#

    @Test func reportsState() async throws {
        try await withApp { tool, _ in
            let state = try await tool.call("app.state")
            #expect(
                state.text == """
                    {"framework":"ios@1.3","pushToken":"cafe","pushDenied":false,\
                    "webViews":{"main":{"page":"p1","url":"http://localhost:3000/","title":"Test","actionButton":null}},"title":null,"isLoading":true,"visible":"main","tabs":[],"isTabBarVisible":false,\
                    "main":[{"url":"http://localhost:3000/","title":null,"native":null,"barButtons":[],"error":null,\
                    "components":{}}],\
                    "modal":[],"alerts":[],"outbox":[],"signIn":null,"authentication":null,"accessToken":null,"isInBackground":false}
                    """)
            _ = try await tool.call("message.post", Self.button)
            let button = try await tool.call("app.state")["webViews"]?["main"]?["actionButton"]
            #expect(button?.text == #"{"url":"http://localhost:3000/new","icon":"plus"}"#)
        }
    }

    /// Actions, and the URL that the page is told to load. It has no Turbo that could visit.
    @Test(arguments: [
        (#"{"action":"tapActionButton","wait":false}"#, #"{"url":"http://localhost:3000/new"}"#),
        (#"{"action":"visit","url":"/customers","wait":false}"#, #"{"url":"http://localhost:3000/customers"}"#),
        (#"{"action":"pullToRefresh","wait":false}"#, #"{"url":"http://localhost:3000/"}"#),
        (#"{"action":"relaunch","url":"/start","wait":false}"#, #"{"url":"http://localhost:3000/start"}"#),
    ])
    func performsActions(_ params: String, _ sent: String) async throws {
        try await withApp { tool, fixture in
            let page = try await PageClient.attach(
                port: fixture.port, origin: CommandFixture.origin, document: "d-2"
            ).0
            // The button belongs to the previous screen; the new page asks for its own.
            _ = try await tool.call("message.post", Self.button)
            #expect(try await tool.call("app.perform", params)["pushToken"]?.string == "cafe")
            #expect(try await page.next("method", "page.navigate")["params"]?.text == sent)
        }
    }

    @Test func goesBack_andKeepsEachScreensButton() async throws {
        try await withApp { tool, fixture in
            _ = try await tool.call("message.post", Self.button)
            let away = try await tool.call("app.perform", #"{"action":"visit","url":"/customers","wait":false}"#)
            #expect(away["main"]?[1]?["url"]?.string == "http://localhost:3000/customers")
            #expect(away["main"]?[1]?["barButtons"]?.text == "[]")
            let back = try await tool.call("app.perform", #"{"action":"back","wait":false}"#)
            #expect(back["main"]?[1] == nil)
            #expect(back["webViews"]?["main"]?["actionButton"]?["icon"]?.string == "plus")
        }
    }

    @Test func givesTokens_onlyIfTheUserAllowsIt() async throws {
        try await withApp { tool, fixture in
            let page = try await PageClient.attach(
                port: fixture.port, origin: CommandFixture.origin, document: "d-2"
            ).0
            let register = #"{"handler":"nativeApp","body":{"name":"RegisterPushToken"}}"#
            #expect(try await tool.call("app.perform", #"{"action":"denyPush"}"#)["pushDenied"]?.bool == true)
            _ = try await tool.call("message.post", register)
            _ = try await tool.call("app.perform", #"{"action":"allowPush"}"#)
            let rotated = try await tool.call("app.perform", #"{"action":"rotatePushToken","token":"beef"}"#)
            #expect(rotated["pushToken"]?.string == "beef")
            // The page got no token while notifications were denied.
            let script = try await page.next("method", "script.evaluate")["params"]?["source"]?.string
            #expect(script == #"window.bridge.register("beef")"#)
        }
    }

    @Test(arguments: [
        (
            #"{"action":"tapActionButton"}"#, -32600,
            "Invalid request: tapActionButton: the screen of 'main' has no action button. "
                + "Its page posts ActionButton to get one."
        ),
        (
            #"{"action":"tapTab","tab":"Posts","wait":false}"#, -32600,
            "Invalid request: tapTab: the app has no tabs. Add some, such as --tab Home=/."
        ),
        (#"{"action":"back","wait":false}"#, -32600, "Invalid request: back: main shows its first screen."),
        (
            #"{"action":"dismissModal","wait":false}"#, -32600,
            "Invalid request: dismissModal: no modal is presented."
        ),
        (#"{"action":"retry"}"#, -32600, "Invalid request: retry: the screen shows no error."),
        (#"{"action":"answerAlert"}"#, -32600, "Invalid request: answerAlert: no alert is shown."),
        (
            #"{"action":"signIn","password":"x"}"#, -32600,
            "Invalid request: signIn: the app has no sign-in. Give --sign-in-url the address that takes the credentials."
        ),
        (
            #"{"action":"killWebContent","webView":"modal"}"#, -32600,
            "Invalid request: killWebContent: the web view 'modal' shows no page. Open one first."
        ),
        (
            #"{"action":"bak"}"#, -32602,
            #"Invalid params: /action: unknown "bak". Did you mean "back"? There are: tapActionButton, visit, tapTab, "#
        ),
        (#"{"action":"visit"}"#, -32602, "Invalid params: /url: expected String, found nothing"),
        (
            #"{"action":"visit","url":"/","steps":"2"}"#, -32602,
            #"Invalid params: /steps: unknown "steps". There are: url, visitAction."#
        ),
        (#"{"action":"visit","url":7}"#, -32602, "Invalid params: /url: expected String, found number 7"),
    ])
    func explainsWhyAnActionIsImpossible(_ params: String, _ code: Int, _ message: String) async throws {
        try await withApp { tool, _ in
            let error = try await tool.error("app.perform", params)
            #expect(error["code"]?.number == Double(code) && error["message"]?.string?.hasPrefix(message) == true)
        }
    }
}
