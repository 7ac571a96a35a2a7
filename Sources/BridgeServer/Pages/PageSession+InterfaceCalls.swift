import BridgeProtocol
import BridgeTraffic

/// Calls of interface objects.
extension PageSession {
    /// Calls the method, and records the call and its outcome.
    func perform(_ call: CallInterface) -> Result<ScriptValue, RPCError> {
        let started = hub.deadlines.now
        let message = call.message
        let object = hub.webViews.interfaceObject(for: message, in: page.webView)
        let outcome = InterfaceCallOutcome(call, of: object, context(of: message))
        let carried = object?.methods[call.method]?.message(in: call.arguments)
        let verdict = traffic.redaction.redacted(outcome.verdict)
        let number = traffic.append(
            .message(
                handler: message.handler, name: carried.flatMap(messageName) ?? call.method,
                body: carried ?? message.body, seq: message.seq, verdict: verdict), .toNative, page)
        if verdict.reason != nil {
            recordProblem(verdict, PostMessage(seq: message.seq, handler: call.title, body: message.body), number)
        }
        for coercion in outcome.coercions {
            traffic.problem("argumentCoerced", coercion.text, hint: coercion.hint, page: page, about: number)
        }
        if case .success(let value) = outcome.result, value.kind != .undefined {
            traffic.append(
                .reply(
                    handler: message.handler, seq: message.seq, result: .success(value),
                    duration: hub.deadlines.now - started, verdict: .replied), .toWeb, page)
        }
        return outcome.result
    }
}
