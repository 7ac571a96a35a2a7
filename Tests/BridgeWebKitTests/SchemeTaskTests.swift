import Foundation
import Testing

@testable import BridgeWebKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@MainActor @Suite struct SchemeTaskTests {
    /// Code in Swift 5 mode may call from the thread on which `URLSession` has called it.
    @Test func handlerMayAnswerOnAnyThread() async throws {
        let url = try #require(URL(string: "app://host/file"))
        let handler = Handler()
        var parts: [String] = []
        let webView = WKWebView(frame: .zero, configuration: WKWebViewConfiguration())
        let task = SchemeTask(URLRequest(url: url), handler, in: webView) { part in
            switch part {
            case .response(let response): parts.append("response \(response.mimeType ?? "-")")
            case .data(let data): parts.append("data \(data.count)")
            case .finished: parts.append("finished")
            case .failed(let error, _): parts.append("failed \(error)")
            }
        }
        task.start()
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                task.didReceive(
                    URLResponse(url: url, mimeType: "text/html", expectedContentLength: -1, textEncodingName: nil))
                task.didReceive(Data("part".utf8))
                task.didFinish()
                continuation.resume()
            }
        }
        #expect(parts == ["response text/html", "data 4", "finished"])
    }

    private final class Handler: NSObject, WKURLSchemeHandler {
        func webView(_ webView: WKWebView, start urlSchemeTask: any WKURLSchemeTask) {}
        func webView(_ webView: WKWebView, stop urlSchemeTask: any WKURLSchemeTask) {}
    }
}
