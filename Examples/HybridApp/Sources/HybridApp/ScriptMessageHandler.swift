import WebKit

@MainActor protocol ScriptMessageHandlerDelegate: AnyObject {
    func registerPushToken()
    func showActionButton(path: String, icon: String)
}

/// Receives what the page posts, and passes it on. The controller keeps its handlers alive: a handler of its own,
/// with a weak delegate, breaks the cycle.
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
        default: print("The page posted \(name), which this app does not know")
        }
    }
}
