import BridgeProtocol
import BridgeServer
import BridgeWebKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A web view on its own server, and pages that the test simulates.
@MainActor struct WebViewFixture {
    let server: BridgeServer
    let webView: WKWebView
    let port: UInt16

    /// Begins to load the page that `attach` attaches.
    func load() throws {
        webView.load(URLRequest(url: try #require(URL(string: "http://localhost:3000/"))))
    }

    /// Attaches a page, as `bridge.js` does, and sends an update.
    func attach(document: String = "d-1", isMainFrame: Bool = true) async throws -> PageClient {
        let (page, _) = try await PageClient.attach(
            port: port, document: document, webView: webView.bridgedName, isMainFrame: isMainFrame)
        page.send(#"{"jsonrpc":"2.0","method":"page.update","params":{"visibility":"visible"}}"#)
        return page
    }

    /// Attaches a page of a browser that is driven, and sends an update.
    /// - Returns: the page, and the result of `page.attach`.
    func attachDriven(
        document: String = "d-1", url: String = "http://localhost:3000/"
    ) async throws -> (PageClient, JSON) {
        let token = try DiscoveryFileContents(path: server.address?.discoveryFile ?? "").token
        let (page, response) = try await PageClient.attachDriven(
            port: port, token: token, document: document, webView: webView.bridgedName, url: url)
        page.send(#"{"jsonrpc":"2.0","method":"page.update","params":{"visibility":"visible"}}"#)
        return (page, response["result"] ?? .null)
    }
}

/// Runs `body` with a web view on its own server.
/// - Parameter make: makes the web view.
@MainActor func withWebView<Value>(
    _ configure: (inout BridgeServer.Configuration) -> Void = { _ in },
    make: (WKWebViewConfiguration) -> WKWebView = { WKWebView(frame: .zero, configuration: $0) },
    _ body: @MainActor (WebViewFixture) async throws -> Value
) async throws -> Value {
    try await withServer(configure) { server, address in
        let configuration = WKWebViewConfiguration()
        configuration.bridgeServer = server
        return try await body(WebViewFixture(server: server, webView: make(configuration), port: address.port))
    }
}

extension PageClient {
    /// Responds to the next request of a method with members of a response, such as `"result":{"value":2}`.
    @discardableResult
    func answer(_ members: String, to method: String = "script.evaluate") async throws -> JSON {
        let request = try await next("method", method)
        send("{\"jsonrpc\":\"2.0\",\"id\":\(request["id"]?.number ?? 0),\(members)}")
        return request["params"] ?? .null
    }
}
