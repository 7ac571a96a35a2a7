public import BridgeProtocol

/// A message type that is declared in a file, and not written in Swift.
public struct DeclaredMessage: Sendable {
    /// What native code does with a message that fits.
    public enum Answer: Sendable {
        case nothing
        /// Calls a function of the page, with the message's body where no arguments are given.
        case call(String, [ScriptValue]?)
        /// Answers the page's promise.
        case reply(StubReply)
    }

    /// What the body's discriminator says.
    public let name: String
    /// Nil where any body will do.
    public let schema: JSONSchema?
    public let answer: Answer
    /// Where the schema stands, for hints: `bridged.yml, messages.ShareSheet.schema`.
    public let origin: String

    public init(name: String, schema: JSONSchema?, answer: Answer, origin: String) {
        self.name = name
        self.schema = schema
        self.answer = answer
        self.origin = origin
    }

    /// Checks a body, and calls the page's function where there is one.
    @MainActor public func handle(_ body: ScriptValue, _ context: ScriptMessageContext) -> Verdict {
        if let mismatch = schema?.mismatch(in: body) { return verdict(mismatch) }
        if case .call(let function, let arguments) = answer {
            context.evaluate(JavaScriptCall(function, arguments: arguments ?? [body]))
        }
        return .handled
    }

    private func verdict(_ mismatch: JSONSchema.Mismatch) -> Verdict {
        Verdict(
            .dropped, reason: .schemaMismatch, expected: mismatch.expected, found: mismatch.found,
            at: mismatch.place.description,
            hint: "\(origin)\(mismatch.schemaPlace) asks for it. Correct the message, or the schema.")
    }
}

extension MessageHandler {
    /// Handles declared messages, told apart by a member of their bodies. It replies where any of them does.
    @MainActor public static func declared(_ messages: [DeclaredMessage], discriminator: String) -> MessageHandler {
        let dispatcher = ScriptMessageDispatcher(discriminator: discriminator)
        var replies: [String: StubReply] = [:]
        for message in messages {
            dispatcher.on(named: message.name, message.handle)
            if case .reply(let reply) = message.answer { replies[message.name] = reply }
        }
        guard !replies.isEmpty else { return .dispatcher(dispatcher) }
        return .replying { [replies] body, context, reply in
            let verdict = dispatcher.dispatch(body, context: context)
            guard verdict.outcome == .handled else { return reply.drop(verdict) }
            let name = ScriptMessageDispatcher.messageName(of: body, discriminator: discriminator) ?? ""
            replies[name].map { $0.give(reply, body) } ?? reply.resolve(.undefined)
        }
    }
}
