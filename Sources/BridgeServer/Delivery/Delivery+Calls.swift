import BridgeProtocol
import BridgeTraffic

/// Calls for which the page waits: methods of interface objects, and dialogs.
extension Delivery {
    // MARK: Interface objects

    /// Calls the method of an interface object, and records the call and its outcome.
    func perform(_ call: CallInterface, from page: Page) -> Result<ScriptValue, RPCError> {
        let started = deadlines.now
        let message = call.message
        let object = webViews.interfaceObject(for: message, in: page.webView)
        let outcome = InterfaceCallOutcome(call, of: object, context(of: message, page))
        let carried = object?.methods[call.method]?.message(in: call.arguments)
        let verdict = traffic.redaction.redacted(outcome.verdict)
        let number = traffic.append(
            .message(
                handler: message.handler, name: carried.flatMap(messageName) ?? call.method,
                body: carried ?? message.body, seq: message.seq, verdict: verdict), .toNative, page)
        if verdict.reason != nil {
            let message = PostMessage(seq: message.seq, handler: call.title, body: message.body)
            recordProblem(verdict, message, page, number)
        }
        for coercion in outcome.coercions {
            traffic.problem("argumentCoerced", coercion.text, hint: coercion.hint, page: page, about: number)
        }
        if case .success(let value) = outcome.result, value.kind != .undefined {
            traffic.append(
                .reply(
                    handler: message.handler, seq: message.seq, result: .success(value),
                    duration: deadlines.now - started, verdict: .replied), .toWeb, page)
        }
        return outcome.result
    }

    // MARK: Dialogs

    /// Shows a dialog to native code. A page opens one with a synchronous call of `window.alert`, `window.confirm` or
    /// `window.prompt`, in the way of an interface object (docs/protocol.md, "Interface calls").
    ///
    /// - Parameter report: is called once, with the value for the page.
    /// - Returns: false if the call does not open a dialog, or if native code answers no dialogs.
    func showDialog(
        _ call: CallInterface, from page: Page, _ report: @escaping @MainActor (Result<ScriptValue, RPCError>) -> Void
    ) -> Bool {
        guard let kind = call.dialogKind else { return false }
        let message = PostMessage(seq: call.message.seq, handler: call.title, body: call.message.body)
        return showDialog(kind, message, from: page, report)
    }

    /// Shows a dialog to native code. It is recorded like a message to a replying handler, and a stub of that name
    /// answers it, too.
    ///
    /// - Parameter message: the dialog as a message to `window.alert`, `window.confirm` or `window.prompt`.
    func showDialog(
        _ kind: Dialog.Kind, _ message: PostMessage, from page: Page,
        _ report: @escaping @MainActor (Result<ScriptValue, RPCError>) -> Void
    ) -> Bool {
        let finish = { @MainActor (outcome: PostOutcome) in
            switch outcome {
            case .settled(let result): report(result)
            case .handled: report(.success(.undefined))
            }
        }
        if let stub = webViews.stub(answering: kind, message.body, of: page.webView) {
            deliver(message, from: page, to: stub, finish)
        } else if let show = webViews.dialogHandler(of: page.webView) {
            deliver(message, from: page, nil, to: { body, _, reply in show(Dialog(kind, body, page, reply)) }, finish)
        } else {
            return false
        }
        return true
    }
}

extension CallInterface {
    /// The kind of the dialog that a page opens by a call; nil if the call is another one. Only a browser opens panels
    /// and asks for media.
    var dialogKind: Dialog.Kind? {
        guard message.handler == "window", let kind = Dialog.Kind(rawValue: method),
            [.alert, .confirm, .prompt].contains(kind)
        else { return nil }
        return kind
    }
}
