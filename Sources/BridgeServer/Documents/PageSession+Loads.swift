import BridgeProtocol

/// Loads that a page with the script tag begins. It asks by a synchronous call of `window.navigate`, in the way of an
/// interface object (ARCHITECTURE.md), and waits for the answer.
extension PageSession {
    /// Asks native code whether a load may begin. It is refused if there is no answer in time.
    /// - Parameter report: is called once, with whether it may.
    /// - Returns: false if the call is another one.
    func decideLoad(
        _ call: CallInterface, _ report: @escaping @MainActor (Result<ScriptValue, RPCError>) -> Void
    ) -> Bool {
        guard !page.isDriven, let question = call.load else { return false }
        guard let decide = documents.webViews.scope(of: page.webView).driverHandler else {
            report(.success(ScriptValue(.bool(true))))
            return true
        }
        let message = DriverMessage.decide(question)
        let reply = reply(to: message) { answer in
            report(.success(ScriptValue(.bool(answer == DriverReply.policy(isAllowed: true)))))
        }
        if let time = documents.limits.replyTimeout {
            documents.deadlines.schedule(after: time) { [weak reply] in reply?.refuse() }
        }
        decide(message, page, reply)
        return true
    }
}

extension CallInterface {
    /// The load that a page asks about: `window.navigate(url, type, isPost)`.
    fileprivate var load: NavigationQuestion? {
        guard message.handler == "window", method == "navigate", let url = message.body.child(index: 0)?.string,
            let type = message.body.child(index: 1)?.string.flatMap(NavigationQuestion.Kind.init)
        else { return nil }
        return NavigationQuestion(url, type, isPost: message.body.child(index: 2)?.bool)
    }
}
