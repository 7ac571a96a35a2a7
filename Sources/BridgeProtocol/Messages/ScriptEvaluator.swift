/// Runs scripts in one page. Scripts run in the order in which they were asked for.
@MainActor public protocol ScriptEvaluator: AnyObject, Sendable {
    /// - Parameters:
    ///   - source: evaluated as a global script; its completion value is the result.
    ///   - timeout: how long to wait for the result; `nil` for the evaluator's own limit.
    ///   - completion: called once, on the main actor, never before this method has returned.
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

    /// Calls a function of the page and waits for what it returns.
    @discardableResult
    public func evaluate(_ call: JavaScriptCall, timeout: Duration? = nil) async throws(ScriptError) -> ScriptValue {
        try await evaluate(call.source, timeout: timeout)
    }

    /// Calls a function of the page. What it returns or throws goes to `completion`, and to the traffic log.
    public func evaluate(
        _ call: JavaScriptCall, timeout: Duration? = nil,
        completion: (@MainActor (Result<ScriptValue, ScriptError>) -> Void)? = nil
    ) {
        evaluate(call.source, timeout: timeout, completion: completion)
    }
}

/// Where a script message came from, and the way back.
public struct ScriptMessageContext: Sendable {
    /// The handler that the page posted to.
    public let handler: String
    /// The document's id, such as `p7`.
    public let page: String
    public let webView: String
    /// The document's URL when it posted.
    public let url: String
    public let seq: Int
    /// Runs scripts in the page that posted.
    public let evaluator: any ScriptEvaluator

    public init(
        handler: String, page: String, webView: String, url: String, seq: Int, evaluator: any ScriptEvaluator
    ) {
        self.handler = handler
        self.page = page
        self.webView = webView
        self.url = url
        self.seq = seq
        self.evaluator = evaluator
    }

    /// Calls a function of the page without waiting for it: `context.evaluate(JavaScriptCall("alert", "Saved"))`.
    @MainActor public func evaluate(_ call: JavaScriptCall) {
        evaluator.evaluate(call.source, timeout: nil, completion: nil)
    }

    /// Calls a function of the page and waits for what it returns.
    @MainActor @discardableResult
    public func evaluate(_ call: JavaScriptCall, timeout: Duration? = nil) async throws(ScriptError) -> ScriptValue {
        try await evaluator.evaluate(call, timeout: timeout)
    }
}
