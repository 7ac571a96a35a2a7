import BridgeProtocol
import BridgeServer
import BridgeTesting
import BridgeTraffic
import BridgeYAML
import EmulatedApp
import TestSupport
import Testing

/// Pages from which nothing comes, because they fail before they post: what browsers say about them.
@MainActor @Suite(.serialized, .timeLimit(.minutes(4)), .browserTurns) struct SilentPageTests {
    @Test(arguments: BrowserEngine.allCases.tried)
    func postToAHandlerThatIsNotThere_isAProblem(_ engine: BrowserEngine) async throws {
        try await withBridgedApp(driving: engine) { app in
            // Of `window.webkit.messageHandlers.camra.postMessage(1)` WebKitGTK says no more than "Script error.".
            let script = "const { messageHandlers } = window.webkit\nmessageHandlers.camra.postMessage(1)"
            try await app.open(app.serve("<title>Silent</title><script>\n\(script)</script>"))
            let problem = TrafficFilter([.init(.kind, "problem"), .init(.reason, "handlerUndefined")])
            let record = try await app.nextRecord(problem)
            // Chromium does not say what is undefined.
            let what = engine == .chromium ? "to something that is undefined" : "to a handler 'camra'"
            #expect(record.text.contains(what), "\(record.text)")
            #expect(record.text.contains("these are: bridge, nativeApp"), "\(record.text)")
        }
    }

    @Test(arguments: BrowserEngine.allCases.tried)
    func formThatTheBrowserRefuses_isNamed(_ engine: BrowserEngine) async throws {
        let html = """
            <title>Form</title><form action="/sent"><input id="email" name="email" required><button>Send</button></form>
            """
        let text = """
            - open: PAGE
            - tap: {text: Send}
            - expect title: Sent
              timeout: 500ms
            """
        let failure = try await failure(of: text, html, in: engine)
        #expect(
            failure?.found.contains("a browser does not send its form: #email (") == true, "\(failure?.found ?? "")")
    }

    @Test func postToAWrongHandler_namesTheNearest() async throws {
        let text = "- open: PAGE\n- post: {handler: nativeap, body: 1}\n"
        let failure = try await failure(of: text, "<title>Post</title>", in: .chromium)
        #expect(failure?.found.contains("; did you mean nativeApp? the page has ") == true, "\(failure?.found ?? "")")
    }

    /// Runs a flow whose PAGE is a document that its own daemon serves.
    private func failure(of text: String, _ html: String, in engine: BrowserEngine) async throws -> FlowFailure? {
        let site = try await StaticApp(html)
        let flow = try Flow(YAMLFile(name: "f.yml", text: text.replacing("PAGE", with: site.url)))
        let runner = FlowRunner { _, browser, _ in
            var configuration = BridgeServer.Configuration()
            configuration.port = 0
            let server = try BridgeServer(configuration)
            return try await BridgedApp(browser, server: server, emulatedApp: EmulatedApp(server: server))
        }
        return await runner.run(flow, in: .driven(engine)).failure
    }
}
