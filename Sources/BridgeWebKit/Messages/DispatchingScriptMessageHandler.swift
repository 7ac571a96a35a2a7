public import BridgeProtocol
import BridgeServer
public import Foundation

/// A `WKScriptMessageHandler` that receives bodies as script values and returns verdicts, for code that uses bridged's
/// own types. (Not in WebKit.)
///
/// The traffic log records the verdicts.
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
    /// Adds a dispatcher that receives the messages posted to `name`.
    public func add(_ dispatcher: ScriptMessageDispatcher, name: String) {
        add(name: name) { dispatcher.dispatch($0, context: $1) }
    }

    /// Adds a closure that receives the messages posted to `name`, and returns a verdict on each.
    public func add(
        name: String, receive: @escaping @MainActor (ScriptValue, ScriptMessageContext) -> Verdict
    ) {
        add(DispatchingScriptMessageHandler(receive), name: name)
    }
}
