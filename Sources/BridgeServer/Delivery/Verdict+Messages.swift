import BridgeProtocol

extension Verdict {
    static func noHandler(_ message: PostMessage, _ names: [String]) -> Verdict {
        let handler = message.handler
        let receive = HandlerAdvice.receive(handler)
        return Verdict(
            .dropped, reason: .noHandler,
            expected: names.isEmpty ? "a registered handler" : "a handler: \(names.joined(separator: ", "))",
            found: handler, at: "/handler",
            hint: Dialog.Kind(handler: handler).map { _ in onlyDialogs }
                ?? ForeignMessage(message.body, to: handler)?.hint
                ?? (names.isEmpty ? receive : "Post to \(names.joined(separator: " or ")). Or: \(receive)"))
    }

    private static let onlyDialogs =
        "Only the dialog itself reaches a stub of this name, and no message does. Give a handler another name."

    static func noStubFits(_ message: PostMessage) -> Verdict {
        let body =
            switch message.body.kind {
            case .string where message.body.parsedText != nil:
                "The body is JSON text, and match looks at the value in it. "
            case .string: "The body is a string: a match of it is the whole string. "
            default: ""
            }
        return Verdict(
            .dropped, reason: .noStubFits, expected: "a body that one of the handler's stubs fits",
            found: message.body.summary,
            hint:
                "\(body)Change a stub's match (--match of bridged stub, match of a flow's or of Swift's stub). Or add a "
                + "stub of '\(message.handler)' without a match, and then the others again, because the newest that fits "
                + "answers.")
    }

    static func noRoomForReply(_ limit: Int) -> Verdict {
        Verdict(
            .dropped, reason: .memoryUsedUp, expected: "room for its reply among the \(limit) bytes for replies",
            found: "none",
            hint:
                "Too many handlers or stubs with a delay have not replied yet. Wait for replies, or raise \(setting("max-memory-bytes", "limits.memoryBytes"))."
        )
    }

    static func tooManyOwedReplies(_ limit: Int) -> Verdict {
        Verdict(
            .dropped, reason: .memoryUsedUp, expected: "at most \(limit) messages of a page that wait for replies",
            found: "one more",
            hint: "Wait for replies before you post more, or look at the handler that does not reply.")
    }

    func sentence(about message: PostMessage) -> String { sentence(aboutMessageTo: message.handler) }

    private func sentence(aboutMessageTo handler: String) -> String {
        BridgeProtocol.sentence("A message to \(handler) was \(self)")
    }

    /// The error that explains why the handler could not use the message; nil if it could.
    ///
    /// The page's promise is fulfilled nevertheless, as in WebKit. The error goes to the page's console, or to the tool
    /// that posted the message.
    /// - Parameters:
    ///   - seq: the message's number.
    ///   - handler: the handler that it was posted to.
    func error(aboutMessage seq: Int, to handler: String) -> RPCError? {
        guard let reason else { return nil }
        return RPCError(
            .handlerRejected, [sentence(aboutMessageTo: handler), hint].compactMap(\.self).joined(separator: " "),
            data: ["handler": .string(handler), "seq": .number(Double(seq)), "reason": .string(reason.rawValue)])
    }

    /// - Parameter stub: the id of the stub that has answered; nil if none has.
    func answered(by stub: String?) -> Verdict {
        guard let stub else { return self }
        var verdict = self
        verdict.stub = stub
        return verdict
    }
}
