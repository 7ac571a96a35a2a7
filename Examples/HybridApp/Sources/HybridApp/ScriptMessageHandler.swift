import WebKit

@MainActor protocol ScriptMessageHandlerDelegate: AnyObject {
    func registerPushToken()
    func showActionButton(path: String, icon: String)
}

/// Receives the page's messages and passes them to its delegate.
///
/// `WKUserContentController` retains its handlers. A separate handler with a weak delegate avoids a retain cycle.
final class ScriptMessageHandler: NSObject, WKScriptMessageHandler {
    weak var delegate: (any ScriptMessageHandlerDelegate)?

    func userContentController(
        _ userContentController: WKUserContentController, didReceive message: WKScriptMessage
    ) {
        guard let body = message.body as? [String: Any], let name = body["name"] as? String else { return }
        switch name {
        case "RegisterPushToken": delegate?.registerPushToken()
        case "ActionButton":
            guard let path = body["path"] as? String, let icon = body["icon"] as? String else { return }
            delegate?.showActionButton(path: path, icon: icon)
        default: print("The page posted \(name), which this app does not support")
        }
    }
}
