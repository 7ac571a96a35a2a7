import BridgeProtocol
import BridgeServer
import BridgeWebKit
import PathConfiguration

extension Framework {
    /// The interface objects of bridge components on Android: Hotwire Native's and Strada's.
    private static let interfaces = ["BridgeComponentsNative", "StradaNative"]

    /// Makes the native end of bridge components in a web view.
    /// - Throws: `MissingWebFile` if web/components.js is not beside the executable.
    @MainActor func makeBridge(for webView: WKWebView, _ server: BridgeServer, adapter: String?) throws -> Bridge {
        guard platform == .android else {
            let handlers = components == .strada ? ["strada"] : Bridge.handlers
            return try Bridge(webView: webView, server: server, handlers: handlers, adapter: adapter)
        }
        let bridge = try Bridge(webView: webView, server: server, handlers: [], adapter: adapter)
        for name in Framework.interfaces { webView.addJavascriptInterface(.bridgeComponents(bridge), name: name) }
        return bridge
    }
}

extension JavascriptInterface {
    /// Hotwire Native Android's `BridgeComponentsNative`, which gets messages as JSON text.
    @MainActor fileprivate static func bridgeComponents(_ bridge: Bridge) -> JavascriptInterface {
        var object = JavascriptInterface()
        // Weak, because the server retains its objects, and the bridge retains the server.
        object.method(
            "bridgeDidInitialize",
            withContext: { [weak bridge] context in
                guard let verdict = bridge?.bridgeDidInitialize(context), verdict.outcome != .handled else { return }
                throw DroppedMessage(verdict)
            })
        object.message("bridgeDidReceiveMessage") { [weak bridge] body, context in
            bridge?.receive(body, context) ?? .inactiveDestination(nil)
        }
        object.method(
            "bridgeDidUpdateSupportedComponents",
            withContext: { [weak bridge] context in bridge?.bridgeDidUpdateSupportedComponents(context) })
        return object
    }
}
