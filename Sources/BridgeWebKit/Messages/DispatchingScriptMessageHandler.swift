public import BridgeProtocol
import BridgeServer
public import Foundation

/// A `ScriptMessageDispatcher` as a `WKScriptMessageHandler`, so that typed handlers serve behind a
/// `WKUserContentController`.
///
/// What a message became, and why it was dropped, is in the traffic log as always.
@preconcurrency @MainActor public final class DispatchingScriptMessageHandler: NSObject, WKScriptMessageHandler {
    public let dispatcher: ScriptMessageDispatcher

    public init(_ dispatcher: ScriptMessageDispatcher) { self.dispatcher = dispatcher }

    public func userContentController(
        _ userContentController: WKUserContentController, didReceive message: WKScriptMessage
    ) {
        _ = dispatch(message)
    }

    func dispatch(_ message: WKScriptMessage) -> Verdict {
        guard let value = message.value, let context = message.context else {
            return Verdict(.dropped, reason: .undecodable, expected: "a page's message", found: "one that a test made")
        }
        return dispatcher.dispatch(value, context: context)
    }
}

extension WKUserContentController {
    /// Has a dispatcher receive what pages post to `name`.
    public func add(_ dispatcher: ScriptMessageDispatcher, name: String) {
        add(DispatchingScriptMessageHandler(dispatcher), name: name)
    }
}
