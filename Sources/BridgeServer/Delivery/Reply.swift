public import BridgeProtocol

/// The reply to one message. Only the first call of a method has an effect.
///
/// If the reply is deallocated without a call, the page's promise is rejected with WebKit's text
/// (`WKUserContentController.mm`).
@MainActor public final class Reply {
    private var end: ReplyEnd?
    private var deliver: (@MainActor (ReplyEnd) -> Void)?

    /// Fulfills the page's promise.
    public func resolve(_ value: ScriptValue) { settle(.value(value)) }

    /// Rejects the page's promise with an `Error` that has this message.
    public func reject(_ message: String) { settle(.rejected(message)) }

    /// Rejects a message that the handler cannot use, with the reason.
    public func drop(_ verdict: Verdict) { settle(.dropped(verdict)) }

    func settle(_ end: ReplyEnd) {
        guard self.end == nil else { return }
        self.end = end
        deliver?(end)
        deliver = nil
    }

    /// Calls `deliver` when the reply is settled, or immediately if it is settled already.
    func onSettled(_ deliver: @escaping @MainActor (ReplyEnd) -> Void) {
        if let end { deliver(end) } else { self.deliver = deliver }
    }

    isolated deinit { settle(.unanswered) }
}

/// The outcome of a message to a replying handler.
enum ReplyEnd {
    case value(ScriptValue)
    /// The handler rejected the message, with this text.
    case rejected(String)
    /// The handler could not use the message.
    case dropped(Verdict)
    /// The reply was deallocated without a call.
    case unanswered
    /// The handler did not reply within this time.
    case timedOut(Duration)
    /// The page with this id is gone and cannot receive the reply.
    case pageGone(String)
    case daemonStopped

    /// The result of the page's promise.
    var result: Result<ScriptValue, RPCError> {
        switch self {
        case .value(let value): .success(value)
        case .rejected(let text): .failure(RPCError(.handlerRejected, text))
        case .dropped(let verdict): .failure(RPCError(.handlerRejected, sentence("The message was \(verdict)")))
        case .unanswered:
            .failure(RPCError(.handlerRejected, "WKWebView API client did not respond to this postMessage"))
        case .timedOut(let time):
            .failure(RPCError(.handlerRejected, "The handler did not reply within \(time.inMilliseconds)"))
        case .pageGone(let page):
            .failure(RPCError(.documentGone, "The page is gone.", data: ["page": .string(page)]))
        case .daemonStopped: .failure(RPCError(.handlerRejected, "The daemon stopped before the handler replied"))
        }
    }

    var verdict: Verdict {
        switch self {
        case .value: .replied
        case .rejected(let text):
            Verdict(.rejected, reason: .rejectedByHandler, expected: "a value", found: "the rejection \(text.forText)")
        case .dropped(let verdict): verdict
        case .unanswered:
            Verdict(
                .rejected, reason: .noReply, expected: "a call of the reply handler",
                found: "none: the handler released it",
                hint: "Call the reply handler on every path through the handler, with an error if there is no value.")
        case .timedOut(let time):
            Verdict(
                .timedOut, reason: .replyTimedOut, expected: "a reply within \(time.inMilliseconds)", found: "none",
                hint:
                    "Look at what the handler waits for, or give it more time with \(setting("reply-timeout", "limits.replyTimeout"))."
            )
        case .pageGone(let page):
            Verdict(
                .pageGone, reason: .pageGone, expected: "a page to reply to", found: "\(page) is gone",
                hint: "The page was left, closed, or away for too long before the handler replied.")
        case .daemonStopped:
            Verdict(
                .rejected, reason: .daemonStopped, expected: "a reply", found: "none before the daemon stopped",
                hint: "The page's promise is rejected when the page attaches to the next daemon.")
        }
    }
}
