import BridgeProtocol

/// Dialogs of pages, which native code answers. A page opens one with a synchronous call of `window.alert`,
/// `window.confirm` or `window.prompt`, in the way of an interface object (docs/protocol.md).
extension PageSession {
    /// Shows a dialog to native code. It is recorded like a message to a replying handler, and a stub of that name
    /// answers it, too.
    ///
    /// - Parameter report: is called once, with the value for the page.
    /// - Returns: false if the call is not one of a dialog, or if native code answers no dialogs.
    func showDialog(
        _ call: CallInterface, _ report: @escaping @MainActor (Result<ScriptValue, RPCError>) -> Void
    ) -> Bool {
        guard let kind = call.dialogKind else { return false }
        let message = PostMessage(seq: call.message.seq, handler: call.title, body: call.message.body)
        return showDialog(kind, message, report)
    }

    /// - Parameter message: the dialog as a message to `window.alert`, `window.confirm` or `window.prompt`.
    func showDialog(
        _ kind: Dialog.Kind, _ message: PostMessage,
        _ report: @escaping @MainActor (Result<ScriptValue, RPCError>) -> Void
    ) -> Bool {
        let finish = { @MainActor (outcome: PostOutcome) in
            switch outcome {
            case .settled(let result): report(result)
            case .handled: report(.success(.undefined))
            }
        }
        if let stub = hub.webViews.stub(answering: kind, message.body, of: page.webView) {
            deliver(message, to: stub.rule.messageHandler(hub), stub.id, finish)
        } else if let show = hub.webViews.dialogHandler(of: page.webView) {
            deliver(message, nil, to: { [page] body, _, reply in show(Dialog(kind, body, page, reply)) }, finish)
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
