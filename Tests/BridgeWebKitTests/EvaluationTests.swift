import BridgeProtocol
import BridgeServer
import BridgeWebKit
import Foundation
import TestSupport
import Testing

/// `evaluateJavaScript` and `callAsyncJavaScript`, in all their forms.
@MainActor @Suite(.timeLimit(.minutes(4))) struct EvaluationTests {
    @Test func givesValue_toCompletionHandler() async throws {
        try await withWebView { fixture in
            let page = try await fixture.attach()
            async let answered = page.answer("\"result\":{\"value\":{\"n\":2}}")
            let value = await withCheckedContinuation { continuation in
                fixture.webView.evaluateJavaScript("1 + 1") { value, error in
                    continuation.resume(returning: error == nil ? (value as? [String: Int]) : nil)
                }
            }
            #expect(value == ["n": 2])
            #expect(try await answered["source"]?.string == "1 + 1")
        }
    }

    @Test func givesNil_forUndefined() async throws {
        try await withWebView { fixture in
            let page = try await fixture.attach()
            async let answered = page.answer("\"result\":{\"value\":null,\"types\":{\"\":\"undefined\"}}")
            let isNil = await withCheckedContinuation { continuation in
                fixture.webView.evaluateJavaScript("undefined") { value, error in
                    continuation.resume(returning: value == nil && error == nil)
                }
            }
            #expect(isNil)
            _ = try await answered
        }
    }

    @Test func throwsException_withWebKitsUserInfo() async throws {
        try await withWebView { fixture in
            let page = try await fixture.attach()
            async let answered = page.answer(
                #""error":{"code":4,"message":"x","data":{"name":"","message":"bad","line":3,"column":22,"sourceURL":"http://a/"}}"#
            )
            let error = await #expect(throws: WKError.self) {
                _ = try await fixture.webView.evaluateJavaScript("throw")
            }
            _ = try await answered
            let info = (error as NSError?)?.userInfo
            #expect(error?.code == .javaScriptExceptionOccurred)
            #expect(info?["WKJavaScriptExceptionMessage"] as? String == "bad")
            #expect(info?["WKJavaScriptExceptionLineNumber"] as? Int == 3)
            #expect(info?["WKJavaScriptExceptionSourceURL"] as? URL == URL(string: "http://a/"))
        }
    }

    @Test func runs_onceAPageAttaches_inOrder() async throws {
        try await withWebView { fixture in
            try fixture.load()
            for number in 1...3 { fixture.webView.evaluateJavaScript("\(number)", completionHandler: nil) }
            let page = try await fixture.attach()
            for number in 1...3 {
                #expect(try await page.answer("\"result\":{\"value\":1}")["source"]?.string == "\(number)")
            }
        }
    }

    @Test func fails_whenNoPageAttachesInTime() async throws {
        try await withWebView {
            $0.limits.pageTimeout = .milliseconds(20)
        } _: { fixture in
            try fixture.load()
            let error = await #expect(throws: WKError.self) { _ = try await fixture.webView.evaluateJavaScript("1") }
            #expect(error?.localizedDescription.contains("'main'") == true)
        }
    }

    /// In WebKit, a web view that has loaded nothing runs scripts in an empty document.
    @Test func failsAtOnce_ifTheWebViewHasLoadedNothing() async throws {
        try await withWebView {
            $0.limits.pageTimeout = .seconds(600)
        } _: { fixture in
            let error = await #expect(throws: WKError.self) { _ = try await fixture.webView.evaluateJavaScript("1") }
            #expect(error?.localizedDescription.contains("'main'") == true)
            let failure = await #expect(throws: WKError.self) {
                _ = try await fixture.webView.callAsyncJavaScript("return 1", contentWorld: .page)
            }
            #expect(failure?.code == .unknown)
        }
    }

    @Test func waitsForItsWindow_ifABrowserIsDriven() async throws {
        try await withWebView { fixture in
            let configuration = fixture.webView.configuration
            _ = try await fixture.attachDriven()
            let second = WKWebView(frame: .zero, configuration: configuration)
            let value = Task { try await second.evaluateJavaScript("1") as? Int }
            let other = WebViewFixture(server: fixture.server, webView: second, port: fixture.port)
            let (page, _) = try await other.attachDriven(document: "d-2")
            try await page.answer("\"result\":{\"value\":5}")
            #expect(try await value.value == 5)
        }
    }

    @Test func callsAsyncFunction_withTypedArguments() async throws {
        try await withWebView { fixture in
            let page = try await fixture.attach()
            async let answered = page.answer("\"result\":{\"value\":true}", to: "script.callAsync")
            let value = try await fixture.webView.callAsyncJavaScript(
                "return a", arguments: ["a": Double.nan], contentWorld: .page)
            let params = try await answered
            #expect(value as? Bool == true && params["arguments"]?.description == #"{"a":"NaN"}"#)
            #expect(params["types"]?["/a"]?.string == "number")
        }
    }

    @Test func rejectsArguments_withoutAJavaScriptForm() async throws {
        try await withWebView { fixture in
            let error = await #expect(throws: WKError.self) {
                _ = try await fixture.webView.callAsyncJavaScript("", arguments: ["a": Data()], contentWorld: .page)
            }
            let text = error?.userInfo["WKJavaScriptExceptionMessage"] as? String
            #expect(text?.hasPrefix("Function argument values must be one of the following types") == true)
            #expect(error?.userInfo["WKJavaScriptExceptionLineNumber"] == nil)
        }
    }

    @Test func passesTheSourceURL() async throws {
        try await withWebView { fixture in
            let page = try await fixture.attach()
            fixture.webView._evaluateJavaScript("1", withSourceURL: URL(string: "app://script.js"), in: nil, in: .page)
            let params = try await page.next("method", "script.evaluate")["params"]
            #expect(params?["sourceURL"]?.string == "app://script.js")
        }
    }

    @Test func evaluatesNothing_ifJavaScriptIsDisabled() async throws {
        let configuration = WKWebViewConfiguration()
        configuration.preferences.javaScriptEnabled = false
        let webView = WKWebView(frame: .zero, configuration: configuration)
        do {
            try await webView.evaluateJavaScript("1")
            Issue.record("It ran.")
        } catch let error as WKError {
            let text = error.userInfo["WKJavaScriptExceptionMessage"] as? String
            #expect(text == "Cannot execute JavaScript in this document")
        }
    }

    @Test func rejectsOtherContentWorlds() async throws {
        try await withWebView { fixture in
            let page = try await fixture.attach()
            let error = await #expect(throws: WKError.self) {
                _ = try await fixture.webView.evaluateJavaScript("1", contentWorld: .world(name: "mine"))
            }
            #expect(error?.localizedDescription.contains("'mine'") == true)
            _ = page
        }
    }

    @Test func runsInTheFrameThatPosted() async throws {
        try await withWebView { fixture in
            let handler = Collector()
            fixture.webView.configuration.userContentController.add(handler, name: "nativeApp")
            let page = try await fixture.attach()
            let frame = try await fixture.attach(document: "d-2", isMainFrame: false)
            await frame.post("1", seq: 1)
            let info = try await handler.next().frameInfo
            let value = Task {
                try await fixture.webView.evaluateJavaScript("2", in: info, contentWorld: .page) as? Int
            }
            #expect(try await frame.answer("\"result\":{\"value\":2}")["source"]?.string == "2")
            #expect(try await value.value == 2 && !info.isMainFrame)
            _ = page
        }
    }
}

/// Overrides of either form of `evaluateJavaScript`. Both forms must call them, because on Apple's systems they are one
/// method.
@MainActor @Suite(.timeLimit(.minutes(4))) struct OverrideTests {
    final class AsyncSpy: WKWebView {
        var scripts: [String] = []

        override func evaluateJavaScript(_ javaScriptString: String) async throws -> Any {
            scripts.append(javaScriptString)
            return try await super.evaluateJavaScript(javaScriptString)
        }
    }

    final class CompletionSpy: WKWebView {
        var scripts: [String] = []

        override func evaluateJavaScript(
            _ javaScriptString: String, completionHandler: (@MainActor @Sendable (Any?, (any Error)?) -> Void)? = nil
        ) {
            scripts.append(javaScriptString)
            completionHandler?("spied", nil)
        }
    }

    @Test func asyncOverrideIsCalled_byBothForms() async throws {
        try await withWebView(make: { AsyncSpy(frame: .zero, configuration: $0) }) { fixture in
            let spy = try #require(fixture.webView as? AsyncSpy)
            let page = try await fixture.attach()
            spy.evaluateJavaScript("1", completionHandler: nil)
            #expect(spy.scripts == ["1"], "at once, so that scripts keep their order")
            let value = Task { try await spy.evaluateJavaScript("2") as? Int }
            for _ in 1...2 { try await page.answer("\"result\":{\"value\":5}") }
            #expect(try await value.value == 5 && spy.scripts == ["1", "2"])
        }
    }

    @Test func completionOverrideIsCalled_byBothForms() async throws {
        try await withWebView(make: { CompletionSpy(frame: .zero, configuration: $0) }) { fixture in
            let spy = try #require(fixture.webView as? CompletionSpy)
            spy.evaluateJavaScript("1", completionHandler: nil)
            let value = try await spy.evaluateJavaScript("2") as? String
            #expect(value == "spied")
            #expect(spy.scripts == ["1", "2"])
        }
    }
}
