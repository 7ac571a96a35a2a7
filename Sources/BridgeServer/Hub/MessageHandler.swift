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
    enum Outcome: Sendable {
        case value(ScriptValue)
        case error(String)
    }

    private var outcome: Outcome?
    private var deliver: (@MainActor (Outcome) -> Void)?

    /// Fulfils the page's promise.
    public func resolve(_ value: ScriptValue) { settle(.value(value)) }

    /// Rejects the page's promise with an `Error` of that message.
    public func reject(_ message: String) { settle(.error(message)) }

    /// From now on, and at once if it is answered already, the outcome goes to `deliver`.
    func onSettled(_ deliver: @escaping @MainActor (Outcome) -> Void) {
        if let outcome { deliver(outcome) } else { self.deliver = deliver }
    }

    /// How the message stands as its handler returns.
    var verdict: Verdict {
        switch outcome {
        case .value: Verdict(.replied)
        case .error: Verdict(.rejected)
        case nil: Verdict(.awaitingReply)
        }
    }

    private func settle(_ outcome: Outcome) {
        guard self.outcome == nil else { return }
        self.outcome = outcome
        deliver?(outcome)
        deliver = nil
    }

    isolated deinit {
        settle(.error("WKWebView API client did not respond to this postMessage"))
    }
}
