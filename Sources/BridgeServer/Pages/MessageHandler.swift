public import BridgeProtocol

/// Who receives the messages that a page posts to one name of `webkit.messageHandlers`. Called on the main actor,
/// once for each message, in the order in which a document posted them.
public enum MessageHandler: Sendable {
    /// Handles a message and says how that ended, like `WKScriptMessageHandler`.
    case plain(@MainActor (ScriptValue, ScriptMessageContext) -> Verdict)
    /// Answers a message now or later, like `WKScriptMessageHandlerWithReply`.
    case replying(@MainActor (ScriptValue, ScriptMessageContext, Reply) -> Void)

    var replies: Bool {
        switch self {
        case .plain: false
        case .replying: true
        }
    }

    /// Decodes messages by type; see `ScriptMessageDispatcher`.
    public static func dispatcher(_ dispatcher: ScriptMessageDispatcher) -> MessageHandler {
        .plain { body, context in dispatcher.dispatch(body, context: context) }
    }
}
