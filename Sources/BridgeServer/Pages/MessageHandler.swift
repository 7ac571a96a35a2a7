public import BridgeProtocol

/// The receiver of the messages that pages post to one name of `webkit.messageHandlers`.
///
/// It is called on the main actor, once for each message, in the order in which a document posted them.
public enum MessageHandler: Sendable {
    /// Handles a message and returns its verdict, like `WKScriptMessageHandler`.
    case plain(@MainActor (ScriptValue, ScriptMessageContext) -> Verdict)
    /// Replies to a message now or later, like `WKScriptMessageHandlerWithReply`.
    case replying(@MainActor (ScriptValue, ScriptMessageContext, Reply) -> Void)

    var replies: Bool {
        switch self {
        case .plain: false
        case .replying: true
        }
    }

    /// A handler that decodes messages by type; see `ScriptMessageDispatcher`.
    public static func dispatcher(_ dispatcher: ScriptMessageDispatcher) -> MessageHandler {
        .plain { body, context in dispatcher.dispatch(body, context: context) }
    }
}
