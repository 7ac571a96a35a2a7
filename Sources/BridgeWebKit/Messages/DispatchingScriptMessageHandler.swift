public import BridgeProtocol
import BridgeServer
public import Foundation

/// A `WKScriptMessageHandler` that takes bodies as they crossed and says what became of them, so that handlers which know
/// the bridge serve behind a `WKUserContentController`.
///
/// What a message became, and why it was dropped, is in the traffic log as always.
@preconcurrency @MainActor public final class DispatchingScriptMessageHandler: NSObject, WKScriptMessageHandler {
    private let receive: @MainActor (ScriptValue, ScriptMessageContext) -> Verdict

    public init(_ receive: @escaping @MainActor (ScriptValue, ScriptMessageContext) -> Verdict) {
        self.receive = receive
    }

    public func userContentController(
        _ userContentController: WKUserContentController, didReceive message: WKScriptMessage
    ) {
        _ = dispatch(message)
    }

    func dispatch(_ message: WKScriptMessage) -> Verdict {
        guard let value = message.value, let context = message.context else {
            return Verdict(.dropped, reason: .undecodable, expected: "a page's message", found: "one that a test made")
        }
        return receive(value, context)
    }
}

extension WKUserContentController {
    /// Has a dispatcher receive what pages post to `name`.
    public func add(_ dispatcher: ScriptMessageDispatcher, name: String) {
        add(name: name) { dispatcher.dispatch($0, context: $1) }
    }

    /// Has a closure receive what pages post to `name`, and say what became of it.
    public func add(
        name: String, receive: @escaping @MainActor (ScriptValue, ScriptMessageContext) -> Verdict
    ) {
        add(DispatchingScriptMessageHandler(receive), name: name)
    }
}
