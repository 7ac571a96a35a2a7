/// Runs scripts in one page, in the order of the calls.
@MainActor public protocol ScriptEvaluator: AnyObject, Sendable {
    /// Runs a script.
    ///
    /// - Parameters:
    ///   - source: a global script, whose completion value is the result.
    ///   - timeout: the longest wait for the result, or `nil` for the evaluator's default.
    ///   - completion: is called once, on the main actor, after this method has returned.
    func evaluate(
        _ source: String, timeout: Duration?, completion: (@MainActor (Result<ScriptValue, ScriptError>) -> Void)?)
}

extension ScriptEvaluator {
    /// Runs a script and waits for its result.
    @discardableResult
    public func evaluate(_ source: String, timeout: Duration? = nil) async throws(ScriptError) -> ScriptValue {
        let result = await withCheckedContinuation { continuation in
            evaluate(source, timeout: timeout) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    /// Calls a function of the page and waits for its return value.
    @discardableResult
    public func evaluate(_ call: JavaScriptCall, timeout: Duration? = nil) async throws(ScriptError) -> ScriptValue {
        try await evaluate(call.source, timeout: timeout)
    }

    /// Calls a function of the page. Its result or error goes to `completion` and to the traffic log.
    public func evaluate(
        _ call: JavaScriptCall, timeout: Duration? = nil,
        completion: (@MainActor (Result<ScriptValue, ScriptError>) -> Void)? = nil
    ) {
        evaluate(call.source, timeout: timeout, completion: completion)
    }
}

/// A script message: its body and origin, and an evaluator to answer it with.
public struct ScriptMessageContext: Sendable {
    /// The name of the handler that the page posted to.
    public let handler: String
    /// The content world of the script that posted; nil for the page's own.
    public let world: String?
    /// The document's id, such as `p7`.
    public let page: String
    /// The name of the web view that shows the document.
    public let webView: String
    /// The document's URL at the time of the post.
    public let url: String
    /// The number of the message in its document, from 1. It is negative if a tool posted the message.
    public let seq: Int
    /// What the page posted.
    public let body: ScriptValue
    /// The evaluator that runs scripts in the page that posted.
    public let evaluator: any ScriptEvaluator

    public init(
        handler: String, world: String? = nil, page: String, webView: String, url: String, seq: Int,
        body: ScriptValue = .undefined, evaluator: any ScriptEvaluator
    ) {
        self.handler = handler
        self.world = world
        self.page = page
        self.webView = webView
        self.url = url
        self.seq = seq
        self.body = body
        self.evaluator = evaluator
    }

    /// Calls a function of the page without waiting for it: `context.evaluate(JavaScriptCall("alert", "Saved"))`.
    @MainActor public func evaluate(_ call: JavaScriptCall) {
        evaluator.evaluate(call.source, timeout: nil, completion: nil)
    }

    /// Calls a function of the page and waits for its return value.
    @MainActor @discardableResult
    public func evaluate(_ call: JavaScriptCall, timeout: Duration? = nil) async throws(ScriptError) -> ScriptValue {
        try await evaluator.evaluate(call, timeout: timeout)
    }
}
