import BridgeProtocol
import TestSupport
import Testing

/// The emulated app of `bridged serve`, over the control channel.
@Suite(.timeLimit(.minutes(1))) struct ShellMethodTests {
    private func withShell(_ body: (ControlClient, CommandBench) async throws -> Void) async throws {
        let bench = try await CommandBench()
        try await body(ControlClient(port: bench.port, runFile: bench.path("bridged/\(bench.port).json")), bench)
    }

    @Test func tellsWhatTheAppShows() async throws {
        try await withShell { tool, _ in
            let empty = try await tool.call("shell.state")
            #expect(
                empty.text == """
                    {"pushToken":"cafe","webViews":{"main":{"page":"p1","url":"http://localhost:3000/","title":"Test",\
                    "actionButton":null}}}
                    """)
            _ = try await tool.call(
                "message.post", #"{"handler":"nativeApp","body":{"name":"ActionButton","path":"/new","icon":"plus"}}"#)
            let button = try await tool.call("shell.state")["webViews"]?["main"]?["actionButton"]
            #expect(button?.text == #"{"url":"http://localhost:3000/new","icon":"plus"}"#)
        }
    }

    /// Actions, and what the page is asked to do.
    @Test(arguments: [
        (#"{"action":"tapActionButton"}"#, #"{"url":"http://localhost:3000/new"}"#),
        (#"{"action":"visit","url":"/customers"}"#, #"{"url":"/customers"}"#),
        (#"{"action":"back","webView":"main"}"#, #"{"delta":-1}"#),
        (#"{"action":"pullToRefresh"}"#, #"{"reload":true}"#),
    ])
    func doesWhatAUserWould(_ params: String, _ sent: String) async throws {
        try await withShell { tool, bench in
            _ = try await tool.call(
                "message.post", #"{"handler":"nativeApp","body":{"name":"ActionButton","path":"/new","icon":"plus"}}"#)
            let socket = try await PageClient.attach(port: bench.port, document: "d-2").0
            // The button is of the screen before: the new page asks for its own.
            _ = try await tool.call(
                "message.post", #"{"handler":"nativeApp","body":{"name":"ActionButton","path":"/new","icon":"plus"}}"#)
            #expect(try await tool.call("shell.perform", params)["pushToken"]?.string == "cafe")
            #expect(try await socket.next("method", "page.navigate")["params"]?.text == sent)
        }
    }

    @Test(arguments: [
        (
            #"{"action":"tapActionButton"}"#, -32600,
            "Invalid request: tapActionButton: the screen of 'main' has no action button. "
                + "Its page posts ActionButton to get one."
        ),
        (
            #"{"action":"back","webView":"modal"}"#, -32600,
            "Invalid request: back: the web view 'modal' shows no page. Open one first."
        ),
        (
            #"{"action":"bak"}"#, -32602,
            #"Invalid params: /action: unknown "bak". Did you mean "back"? There are: tapActionButton, visit, back, pullToRefresh."#
        ),
        (#"{"action":"visit"}"#, -32602, "Invalid params: /url: expected String, found nothing"),
        (
            #"{"action":"back","steps":2}"#, -32602,
            #"Invalid params: /steps: unknown "steps". There are: webView."#
        ),
        (#"{"action":"visit","url":7}"#, -32602, "Invalid params: /url: expected String, found number 7"),
    ])
    func saysWhyItCant(_ params: String, _ code: Int, _ message: String) async throws {
        try await withShell { tool, _ in
            let error = try await tool.error("shell.perform", params)
            #expect(error["code"]?.number == Double(code) && error["message"]?.string == message)
        }
    }
}
