public import BridgeProtocol
import Foundation

/// The receiver of the messages that pages post to one name of `webkit.messageHandlers`.
///
/// It is called on the main actor, once for each message, in the order in which a document posted them.
public enum MessageHandler: Sendable {
    /// Handles a message and returns its verdict, like `WKScriptMessageHandler`.
    case plain(@MainActor (ScriptValue, ScriptMessageContext) -> Verdict)
    /// Replies to a message now or later, like `WKScriptMessageHandlerWithReply`.
    case replying(@MainActor (ScriptValue, ScriptMessageContext, Reply) -> Void)
    /// Decodes messages by type, and replies to those of some types; see `ScriptMessageDispatcher`.
    case dispatcher(ScriptMessageDispatcher)

    @MainActor var replies: Bool {
        switch self {
        case .plain: false
        case .replying: true
        case .dispatcher(let dispatcher): dispatcher.replies
        }
    }
}

extension Reply {
    /// Fulfills the page's promise, or rejects it with the text of the error.
    func settle(_ result: Result<ScriptValue, any Error>) {
        switch result {
        case .success(let value): resolve(value)
        case .failure(let dropped as DroppedMessage): drop(dropped.verdict)
        case .failure(let error): reject((error as? any LocalizedError)?.errorDescription ?? "\(error)")
        }
    }
}
