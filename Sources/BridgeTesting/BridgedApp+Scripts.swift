public import BridgeProtocol
import BridgeServer

/// Running scripts in the page, and clicking on its elements.
extension BridgedApp {
    /// Runs a script in the page, and decodes its completion value. A `ScriptValue` takes any value.
    ///
    /// If the screen's page is still to come, as after an action that opens a modal, waits for it.
    ///
    /// - Parameter awaitingPromise: whether to wait until the value, if it is a promise, is fulfilled.
    public func evaluate<Value: Decodable>(
        _ script: String, as type: Value.Type = Value.self, awaitingPromise: Bool = false,
        within timeout: Duration? = nil
    ) async throws -> Value {
        try await describingFailure(of: script, as: type) {
            try await self.withPage(within: timeout) { page, left in
                try await page.evaluate(script, as: type, awaitingPromise: awaitingPromise, timeout: left)
            }
        }
    }

    /// Runs the body of an async function in the page, like `callAsyncJavaScript`, and decodes its value.
    ///
    /// - Parameter arguments: the body sees each member as a variable of that name.
    public func callAsync<Value: Decodable>(
        _ body: String, arguments: ScriptValue = [:], as type: Value.Type = Value.self, within timeout: Duration? = nil
    ) async throws -> Value {
        try await describingFailure(of: body, as: type) {
            try await self.withPage(within: timeout) { page, left in
                try await page.callAsync(body, arguments: arguments, as: type, timeout: left)
            }
        }
    }

    /// Runs `body`, which evaluates something, with the screen's page and the time that is left.
    private func withPage<Value>(
        within timeout: Duration?, _ body: (Page, Duration) async throws -> Value
    ) async throws -> Value {
        let deadline = ContinuousClock.now + (timeout ?? self.timeout)
        let page = try await page(before: deadline)
        let left = max(.milliseconds(1), deadline - ContinuousClock.now)
        return try await ToolScripts.$areRunning.withValue(true) { try await body(page, left) }
    }

    private func describingFailure<Value>(
        of script: String, as type: Value.Type, _ body: () async throws -> Value
    ) async throws -> Value {
        do { return try await failingOnDialog("\(script) to have a value", body) } catch let error as ScriptError {
            throw failure("\(script) to have a value", "\(error)")
        } catch let error as DecodingError {
            let problem = Verdict.undecodable(error, .undefined, as: type)
            let place = problem.at.map { $0.isEmpty ? "" : " at \($0)" } ?? ""
            throw failure("\(script) to give a \(type)", problem.found.map { "it gave \($0)\(place)" } ?? "\(error)")
        }
    }

    /// Runs a script in the page, and ignores its value, which may be of a type that cannot be sent, such as a promise.
    public func run(_ script: String, within timeout: Duration? = nil) async throws {
        do {
            _ = try await failingOnDialog("\(script) to run") {
                try await self.withPage(within: timeout) { page, left in
                    try await page.evaluate(script, timeout: left)
                }
            }
        } catch ScriptError.resultTypeUnsupported {
            return
        } catch let error as ScriptError {
            throw failure("\(script) to run", "\(error)")
        }
    }

    /// Waits until an expression is true in the page, as `if` takes it: any object is, an element for example. The value
    /// of a promise counts.
    ///
    /// The page itself evaluates the expression, whenever it changes and every 20 ms. If another page replaces the page, the
    /// wait goes on there.
    public func wait(until expression: String, within timeout: Duration? = nil) async throws {
        let timeout = timeout ?? self.timeout
        let deadline = ContinuousClock.now + timeout
        let found = try await endingOnDialog("\(expression) to be true") {
            var form = Condition.Form.expression
            var found = "no page is there"
            repeat {
                guard let page = self.shownPage else {
                    try await Task.sleep(for: .milliseconds(20))
                    continue
                }
                let condition = Condition(text: expression, form: form, limit: max(.zero, deadline - .now))
                do {
                    guard let outcome = try await self.outcome(of: condition, in: page) else { continue }
                    if outcome.child(index: 0)?.bool == true { return String?.none }
                    let last = outcome.child(index: 1)?.summary ?? "a promise that is not settled"
                    found = "the last time it was \(last), in \(page.url)"
                } catch ScriptError.pageGone {
                    found = "its page has gone"
                    try await Task.sleep(for: .milliseconds(20))
                } catch ScriptError.timedOut {
                    found = "a script in \(page.url) does not end"
                } catch ScriptError.exception(let exception)
                    // WebKit has the class in the message.
                    where exception.description.hasPrefix("SyntaxError") && form == .expression
                {
                    form = .statements
                } catch let error as ScriptError {
                    throw self.failure("\(expression) to have a value", "\(error)")
                }
            } while ContinuousClock.now < deadline
            return found
        }
        guard let found else { return }
        throw failure("\(expression) to be true within \(timeout)", found, isTimeOut: true)
    }

    /// Waits in a page for a condition.
    /// - Returns: what ``PageWait`` says; nil if another page has taken the place of the page.
    private func outcome(of condition: Condition, in page: Page) async throws -> ScriptValue? {
        let (results, result) = AsyncStream.makeStream(of: Result<ScriptValue, ScriptError>?.self)
        ToolScripts.$areRunning.withValue(true) {
            // The page keeps the time itself, unless a script keeps it from that.
            page.callAsync(condition.body, timeout: condition.limit + .seconds(1)) { result.yield($0) }
        }
        let watch = Task {
            while shownPage == nil || shownPage === page { try await Task.sleep(for: .milliseconds(20)) }
            result.yield(nil)
        }
        defer { watch.cancel() }
        for await first in results { return try first?.get() }
        throw CancellationError()
    }
}

/// A condition that is evaluated in a page.
private struct Condition {
    /// What the text of the condition is.
    enum Form { case expression, statements }

    let text: String
    let form: Form
    /// How long the page waits.
    let limit: Duration

    /// The body of an async function that waits. The text sees none of its other names.
    var body: String {
        let function =
            switch form {
            case .expression: "async () => (\(text)\n)"
            case .statements: "async () => \(JavaScriptCall("(0, eval)", text).source)"
            }
        let milliseconds = Int((limit / .milliseconds(1)).rounded())
        return "const bridgedCondition = \(function)\nreturn \(PageWait.function)(bridgedCondition, \(milliseconds))"
    }
}
