public import BridgeProtocol

/// A message type that is declared in a file instead of in Swift.
public struct DeclaredMessage: Sendable {
    /// The response to a message that matches the schema.
    public enum Answer: Sendable {
        case nothing
        /// Calls a function of the page. Without arguments, the function gets the message's body.
        case call(String, [ScriptValue]?)
        /// Settles the page's promise.
        case reply(StubReply)
    }

    /// The message's name, which is the value of the body's discriminator.
    public let name: String
    /// The schema of the body; nil if any body fits.
    public let schema: JSONSchema?
    public let answer: Answer
    /// The place of the schema, for hints: `bridged.yml, messages.ShareSheet.schema`.
    public let origin: String

    public init(name: String, schema: JSONSchema?, answer: Answer, origin: String) {
        self.name = name
        self.schema = schema
        self.answer = answer
        self.origin = origin
    }

    /// Checks a body, and calls the page's function if the answer is a call.
    @MainActor public func handle(_ body: ScriptValue, _ context: ScriptMessageContext) -> Verdict {
        if let mismatch = mismatch(in: body) { return mismatch }
        if case .call(let function, let arguments) = answer {
            context.evaluate(JavaScriptCall(function, arguments: arguments ?? [body]))
        }
        return .handled
    }

    fileprivate func mismatch(in body: ScriptValue) -> Verdict? { schema?.mismatch(in: body).map(verdict) }

    private func verdict(_ mismatch: JSONSchema.Mismatch) -> Verdict {
        Verdict(
            .dropped, reason: .schemaMismatch, expected: mismatch.expected, found: mismatch.found,
            at: mismatch.place.description,
            hint: "\(origin)\(mismatch.schemaPlace) requires it. Correct the message or the schema.")
    }
}

extension ScriptMessageDispatcher {
    package func on(_ message: DeclaredMessage) {
        on(named: message.name, message.handle)
        check(named: message.name, message.mismatch)
    }
}

extension MessageHandler {
    /// Makes a handler for declared messages. It finds the declaration of a message by the value of the member
    /// `discriminator` in its body. The handler replies if any of the messages is declared with a reply.
    @MainActor public static func declared(_ messages: [DeclaredMessage], discriminator: String) -> MessageHandler {
        let dispatcher = ScriptMessageDispatcher(discriminator: discriminator)
        var replies: [String: StubReply] = [:]
        for message in messages {
            dispatcher.on(message)
            if case .reply(let reply) = message.answer { replies[message.name] = reply }
        }
        guard !replies.isEmpty else { return .dispatcher(dispatcher) }
        return .replying { [replies] body, context, reply in
            let verdict = dispatcher.dispatch(body, context: context)
            guard verdict.outcome == .handled else { return reply.drop(verdict) }
            let name = ScriptMessageDispatcher.messageName(of: body, discriminator: discriminator) ?? ""
            replies[name].map { $0.settle(reply, body) } ?? reply.resolve(.undefined)
        }
    }
}
