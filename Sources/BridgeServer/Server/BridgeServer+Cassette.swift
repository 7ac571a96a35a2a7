public import BridgeProtocol

/// Answers from a cassette (docs/notes/cassettes.md).
extension BridgeServer {
    /// Lets a cassette answer for the handlers, bridge components and interface objects that it has, in place of native code.
    /// Stubs come before it. A message that it does not have is dropped, with the reason `notInCassette`.
    ///
    /// Call it before pages load. An emulated app has the components that `EmulatedApp.Configuration.recordedComponents`
    /// names.
    public func play(_ cassette: Cassette) {
        let player = CassettePlayer(cassette)
        var objects: [String: [String: JavascriptInterface.Method]] = [:]
        for (object, names) in player.methods {
            for name in names { objects[object, default: [:]][name] = method(name, of: object) }
        }
        parts.webViews.play(player, objects: objects)
    }

    /// The cassette that answers; nil if none does.
    public var cassette: Cassette? { parts.webViews.cassette }

    /// The method of an interface object that the cassette has.
    private func method(_ name: String, of object: String) -> JavascriptInterface.Method {
        JavascriptInterface.Method(parameters: nil) { [weak self] context, arguments in
            guard let self else { return .undefined }
            let message = Cassette.Message(.method(name, of: object), context.body)
            switch parts.webViews.play(message) {
            case .missing(let miss): throw DroppedMessage(parts.delivery.verdict(onMissing: message, miss))
            case .entry(_, let entry):
                let isInstant = cassette?.timing == .instant
                parts.delivery.make(isInstant ? entry.calls.map(\.atOnce) : entry.calls, in: context.evaluator)
                return try entry.reply.returned(to: arguments)
            }
        }
    }

    /// Notes that a declared response answers a message of a bridge component, and not the cassette.
    package func passInCassette(component: String, event: String, _ body: ScriptValue) {
        parts.webViews.pass(Cassette.Message(.component(component, event: event), body))
    }

    /// Finds what the cassette answers to a message of a bridge component, and counts its use.
    /// - Parameter body: the whole message.
    /// - Returns: the answers in their order; or the verdict if the cassette does not have the message.
    package func play(
        component: String, event: String, _ body: ScriptValue
    ) -> Result<[Cassette.Entry.ComponentAnswer], DroppedMessage> {
        let message = Cassette.Message(.component(component, event: event), body)
        switch parts.webViews.play(message) {
        case .missing(let miss): return .failure(DroppedMessage(parts.delivery.verdict(onMissing: message, miss)))
        case .entry(_, let entry): return .success(entry.componentAnswers)
        }
    }
}
