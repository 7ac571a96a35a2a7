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

/// The answer to one message. The first call counts.
///
/// One that is let go of unanswered rejects, with WebKit's words (`WKUserContentController.mm`).
@MainActor public final class Reply {
    private var outcome: PostOutcome?
    private var deliver: (@MainActor (PostOutcome) -> Void)?

    /// Fulfils the page's promise.
    public func resolve(_ value: ScriptValue) { settle(.replied(value)) }

    /// Rejects the page's promise with an `Error` of that message.
    public func reject(_ message: String) { settle(.rejected(message)) }

    /// From now on, and at once if it is answered already, the outcome goes to `deliver`.
    func onSettled(_ deliver: @escaping @MainActor (PostOutcome) -> Void) {
        if let outcome { deliver(outcome) } else { self.deliver = deliver }
    }

    /// How the message stands as its handler returns.
    var verdict: Verdict {
        switch outcome {
        case .replied: Verdict(.replied)
        case .rejected: Verdict(.rejected)
        default: Verdict(.awaitingReply)
        }
    }

    private func settle(_ outcome: PostOutcome) {
        guard self.outcome == nil else { return }
        self.outcome = outcome
        deliver?(outcome)
        deliver = nil
    }

    isolated deinit {
        settle(.rejected("WKWebView API client did not respond to this postMessage"))
    }
}
