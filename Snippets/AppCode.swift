// An app's own bridge code on Linux. Only the line with BridgeServer is not in the app.
import BridgeServer
import Foundation
import WebKit

/// The same code as in the app.
final class PushTokens: NSObject, WKScriptMessageHandler {
    func userContentController(
        _ controller: WKUserContentController, didReceive message: WKScriptMessage
    ) {
        guard let body = message.body as? [String: Any] else { return }
        guard body["name"] as? String == "RegisterPushToken" else { return }
        message.webView?.evaluateJavaScript("window.bridge.register('c0ffee')") { _, error in
            print(error.map { "The page did not get its token: \($0)" } ?? "The page has its token")
        }
    }
}

let address = try await BridgeServer.shared.start()
let webView = WKWebView()
webView.configuration.userContentController.add(PushTokens(), name: "nativeApp")
print("Open a page with <script src=\"\(address.url)bridge.js\"></script> in any browser")
try await Task.sleep(for: .seconds(86_400))
