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
                    switch try await self.outcome(of: condition, in: page) {
                    case nil: continue
                    case .isTrue: return String?.none
                    case .isForbidden: form = .forbidden
                    case .isFalse(let last):
                        let last = last?.summary ?? "a promise that is not settled"
                        found = "the last time it was \(last), in \(page.url)"
                        if form == .forbidden { try await Task.sleep(for: .milliseconds(20)) }
                    }
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
    /// - Returns: nil if another page has taken the place of the page.
    private func outcome(of condition: Condition, in page: Page) async throws -> Condition.Outcome? {
        if condition.form == .forbidden { return try await look(at: condition, in: page) }
        let (results, result) = AsyncStream.makeStream(of: Result<ScriptValue, ScriptError>?.self)
        ToolScripts.$areRunning.withValue(true) {
            // The page keeps the time itself, unless a script keeps it from that.
            page.callAsync(condition.body, timeout: condition.limit + .seconds(1)) { result.yield($0) }
        }
        let watch = Task {
            while shownPage == nil || shownPage === page { try await Task.sleep(for: .milliseconds(20)) }
            result.yield(nil)
        }
        var goesOn = true
        defer {
            watch.cancel()
            if goesOn {
                ToolScripts.$areRunning.withValue(true) {
                    page.evaluate(PageWait.end(of: condition.name), completion: nil)
                }
            }
        }
        for await first in results {
            guard let first else { return nil }
            // A page that does not keep the time may wait for ever.
            if case .failure(.timedOut) = first { goesOn = true } else { goesOn = false }
            return Condition.Outcome(try first.get())
        }
        throw CancellationError()
    }

    /// Evaluates a condition once.
    private func look(at condition: Condition, in page: Page) async throws -> Condition.Outcome {
        do {
            let value: ScriptValue = try await ToolScripts.$areRunning.withValue(true) {
                try await page.evaluate(condition.text, timeout: condition.limit + .seconds(1))
            }
            return value.isTruthy ? .isTrue : .isFalse(last: value)
        } catch ScriptError.resultTypeUnsupported(let type) where type.lowercased() != "promise" {
            // No such value is false.
            return .isTrue
        }
    }
}

/// A condition that is evaluated in a page.
private struct Condition {
    /// What the text of the condition is.
    enum Form {
        case expression, statements
        /// Statements that the page's policy lets no script evaluate, but the browser does.
        case forbidden
    }

    enum Outcome {
        case isTrue
        /// The last value; nil if there was none.
        case isFalse(last: ScriptValue?)
        case isForbidden

        /// - Parameter value: what ``PageWait`` returns, or an empty array.
        init(_ value: ScriptValue) {
            switch value.child(index: 0)?.bool {
            case true: self = .isTrue
            case false: self = .isFalse(last: value.child(index: 1))
            default: self = .isForbidden
            }
        }
    }

    @MainActor private static var count = 0

    let text: String
    let form: Form
    /// How long the page waits.
    let limit: Duration
    /// What ends the wait early.
    let name: String

    @MainActor init(text: String, form: Form, limit: Duration) {
        (self.text, self.form, self.limit) = (text, form, limit)
        Condition.count += 1
        name = "bridged.wait.\(Condition.count)"
    }

    /// The body of an async function that waits. The text sees none of its other names.
    var body: String {
        let function =
            switch form {
            case .expression: "async () => (\(text)\n)"
            case .statements, .forbidden: "async () => \(JavaScriptCall("(0, eval)", text).source)"
            }
        let milliseconds = Int((limit / .milliseconds(1)).rounded())
        let probe = form == .statements ? "try { (0, eval)('') } catch { return [] }\n" : ""
        return """
            \(probe)const bridgedCondition = \(function)
            return \(PageWait.function)(bridgedCondition, \(milliseconds), "\(name)")
            """
    }
}

extension ScriptValue {
    /// Whether JavaScript converts the value to true (ECMAScript, ToBoolean).
    fileprivate var isTruthy: Bool {
        switch kind {
        case .undefined, .null: false
        case .bool: bool ?? false
        case .number: number.map { $0 != 0 && !$0.isNaN } ?? false
        case .string: string?.isEmpty == false
        default: true
        }
    }
}
