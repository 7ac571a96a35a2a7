public import Foundation

/// Receives what pages post to a handler. Called on the main actor, in the order in which a document posted.
@preconcurrency @MainActor public protocol WKScriptMessageHandler: NSObjectProtocol {
    func userContentController(
        _ userContentController: WKUserContentController, didReceive message: WKScriptMessage)
}

/// Answers what pages post to a handler. Implement one of the two forms.
@preconcurrency @MainActor public protocol WKScriptMessageHandlerWithReply: NSObjectProtocol {
    /// - Parameter replyHandler: takes a value, or the text of the `Error` that the page's promise is rejected with.
    ///   The first call counts. Let go of uncalled, it rejects.
    func userContentController(
        _ userContentController: WKUserContentController, didReceive message: WKScriptMessage,
        replyHandler: @escaping @MainActor @Sendable (Any?, String?) -> Void)

    /// - Returns: a value, or the text of an error.
    func userContentController(
        _ userContentController: WKUserContentController, didReceive message: WKScriptMessage
    ) async -> (Any?, String?)
}

extension WKScriptMessageHandlerWithReply {
    public func userContentController(
        _ userContentController: WKUserContentController, didReceive message: WKScriptMessage,
        replyHandler: @escaping @MainActor @Sendable (Any?, String?) -> Void
    ) {
        Task {
            let (value, error) = await self.userContentController(userContentController, didReceive: message)
            replyHandler(value, error)
        }
    }

    public func userContentController(
        _ userContentController: WKUserContentController, didReceive message: WKScriptMessage
    ) async -> (Any?, String?) {
        (nil, "\(type(of: self)) implements no method of WKScriptMessageHandlerWithReply")
    }
}
