import BridgeProtocol
import BridgeServer
import BridgeWebKit
import Foundation
import TestSupport
import Testing

/// The dialogs of pages, and the UI delegate.
@MainActor @Suite(.timeLimit(.minutes(2))) struct DialogTests {
    private final class Panels: NSObject, WKUIDelegate {
        var shown: [String] = []

        func webView(
            _ webView: WKWebView, runJavaScriptAlertPanelWithMessage message: String,
            initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping @MainActor @Sendable () -> Void
        ) {
            shown.append("alert \(message) \(frame.isMainFrame)")
            completionHandler()
        }

        func webView(
            _ webView: WKWebView, runJavaScriptTextInputPanelWithPrompt prompt: String, defaultText: String?,
            initiatedByFrame frame: WKFrameInfo
        ) async -> String? {
            await Task.yield()
            shown.append("prompt \(prompt) \(defaultText ?? "")")
            return "Zoe"
        }
    }

    @Test func delegateAnswersDialogs() async throws {
        try await withWebView { fixture in
            let panels = Panels()
            fixture.webView.uiDelegate = panels
            let script = try await fixture.script()
            #expect(script.contains(#""dialogs":true"#))
            #expect(try await fixture.open("alert", #"["Hello"]"#, seq: 1) == nil)
            #expect(try await fixture.open("prompt", #"["Name?","Z"]"#, seq: 2)?.string == "Zoe")
            // A dialog whose method is missing is dismissed.
            #expect(try await fixture.open("confirm", #"["Sure?"]"#, seq: 3)?.bool == false)
            #expect(panels.shown == ["alert Hello true", "prompt Name? Z"])
        }
    }

    @Test func browserShowsDialogs_withoutADelegate() async throws {
        try await withWebView { fixture in
            let script = try await fixture.script()
            #expect(!script.contains(#""dialogs":"#))
        }
    }
}

extension WebViewFixture {
    fileprivate func script() async throws -> String {
        try await HTTPClient.request(path: "/bridge.js?web-view=\(webView.bridgedName)", port: port).body
    }

    /// Opens a dialog, as `bridge.js` does.
    /// - Returns: the value that the page gets; nil for undefined.
    fileprivate func open(_ kind: String, _ arguments: String, seq: Int) async throws -> JSON? {
        let attach = try JSON.parse(PageClient.attach(document: "d-1", webView: webView.bridgedName))["params"] ?? .null
        let call = """
            {"jsonrpc":"2.0","id":\(seq),"method":"interface.call",\
            "params":{"seq":\(seq),"handler":"window","method":"\(kind)","body":\(arguments)}}
            """
        let response = try await HTTPClient.request(
            "POST", path: "/call", port: port, headers: ["Origin: http://localhost", "Content-Type: application/json"],
            body: #"{"attach":\#(attach.text),"messages":[\#(call)]}"#)
        let result = try JSON.parse(response.body)["result"]
        return result?["types"] == nil ? result?["value"] : nil
    }
}
