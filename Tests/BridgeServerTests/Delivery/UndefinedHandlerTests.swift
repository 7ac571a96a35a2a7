import BridgeProtocol
import TestSupport
import Testing

@testable import BridgeServer

/// Errors of pages that post to a handler which is not there.
@MainActor @Suite(.timeLimit(.minutes(2))) struct UndefinedHandlerTests {
    private func name(_ text: String, _ kind: ConsoleEntry.Kind = .exception) -> String? {
        UndefinedHandler(ConsoleEntry(level: "error", text: text, kind: kind)).map { $0.name ?? "(unknown)" }
    }

    @Test func readsTheTextsOfBrowsers() {
        let chromium = "Uncaught TypeError: Cannot read properties of undefined (reading 'postMessage')"
        #expect(name(chromium) == "(unknown)" && name(chromium, .rejection) == "(unknown)")
        for access in ["webkit.messageHandlers.camera", "window.webkit.messageHandlers.camera"] {
            #expect(name("TypeError: can't access property \"postMessage\", \(access) is undefined") == "camera")
            #expect(name("TypeError: undefined is not an object (evaluating '\(access).postMessage')") == "camera")
        }
        #expect(
            name("TypeError: undefined is not an object (evaluating 'webkit.messageHandlers[\"my app\"].postMessage')")
                == "my app")
    }

    /// The name of a handler that the page computes is not in the text.
    @Test func computedNamesAreUnknown() {
        #expect(
            name("TypeError: undefined is not an object (evaluating 'webkit.messageHandlers[name].postMessage')")
                == "(unknown)")
        #expect(name("TypeError: webkit.messageHandlers[name] is undefined") == "(unknown)")
        let optional = "TypeError: undefined is not an object (evaluating 'webkit.messageHandlers?.camera.postMessage')"
        #expect(name(optional) == "camera")
    }

    @Test func otherErrorsAreOthers() {
        let mistyped =
            "TypeError: webkit.messageHandlers.camera.postmessage is not a function. (In "
            + "'webkit.messageHandlers.camera.postmessage(1)', 'webkit.messageHandlers.camera.postmessage' is undefined)"
        #expect(name(mistyped) == nil)
        #expect(name("TypeError: Cannot read properties of undefined (reading 'postMessage')", .console) == nil)
        #expect(name("TypeError: Cannot read properties of undefined (reading 'path')") == nil)
        #expect(name("TypeError: undefined is not an object (evaluating 'worker.postMessage')") == nil)
        #expect(name("Error: webkit.messageHandlers.camera is undefined") == nil)
        #expect(name("TypeError: webkit.messageHandlers.camera.postMessage is not a function") == nil)
        #expect(name("TypeError: undefined is not an object (evaluating 'webkit.messageHandlers')") == nil)
    }

    @Test func hintNamesTheHandlersThatThereAre() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            server.addHandler("camera", .plain { _, _ in .handled })
            let (page, _) = try await PageClient.attach(port: address.port)
            let error = "TypeError: undefined is not an object (evaluating 'webkit.messageHandlers.camra.postMessage')"
            page.send(
                #"{"jsonrpc":"2.0","method":"console.entry","params":{"level":"error","kind":"exception","#
                    + #""text":"\#(error)","url":"http://localhost:3000/app.js","line":3}}"#)
            let problem = try await recorder.problem("handlerUndefined")
            #expect(
                problem.text
                    == "The page posts to a handler 'camra', which is not there: an uncaught error at "
                    + "http://localhost:3000/app.js:3.")
            #expect(problem.hint?.hasPrefix("Did you mean camera? As in WebKit, ") == true, "\(problem)")
        }
    }
}
