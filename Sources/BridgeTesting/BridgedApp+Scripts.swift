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
    /// of a promise counts. It evaluates the expression every 20 ms, and continues with the new page if another one
    /// replaces the page.
    public func wait(until expression: String, within timeout: Duration? = nil) async throws {
        let timeout = timeout ?? self.timeout
        let deadline = ContinuousClock.now + timeout
        var last = "nothing"
        var condition = Condition.expression
        while ContinuousClock.now < deadline {
            do {
                let left = max(.milliseconds(1), deadline - ContinuousClock.now)
                let value = try await failingOnDialog("\(expression) to be true") {
                    try await self.value(of: expression, as: condition, within: left)
                }
                if value.isTruthy { return }
                last = value.summary
            } catch ScriptError.pageGone {
                last = "gone with its page"
            } catch ScriptError.timedOut where condition == .expression && ContinuousClock.now >= deadline {
                last = last == "nothing" ? "a promise that is not settled, or a script that does not end" : last
                break
            } catch ScriptError.exception(let exception)
                where exception.name == "SyntaxError" && condition == .expression
            {
                condition = .statements
                continue
            } catch ScriptError.resultTypeUnsupported(let type) where condition == .statements {
                guard type.lowercased() == "promise" else { return }
                throw failure("\(expression) to have a value", "statements end with a promise: write one expression")
            } catch let error as ScriptError {
                throw failure("\(expression) to have a value", "\(error)")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw failure(
            "\(expression) to be true within \(timeout)", "the last time it was \(last)", isTimeOut: true)
    }

    /// How the text of a condition can be evaluated.
    private enum Condition { case expression, statements }

    /// What decides whether a condition is true. Its value need not cross the bridge.
    private func value(
        of text: String, as condition: Condition, within timeout: Duration
    ) async throws -> ScriptValue {
        guard let page = try? page() else { throw ScriptError.pageGone("") }
        return try await ToolScripts.$areRunning.withValue(true) {
            switch condition {
            case .expression:
                let body = """
                    const value = await (\(text)
                    )
                    return value ? true : typeof value === "bigint" ? 0 : value
                    """
                return try await page.callAsync(body, as: ScriptValue.self, timeout: timeout)
            case .statements: return try await page.evaluate(text, timeout: timeout)
            }
        }
    }
}

extension ScriptValue {
    /// Whether JavaScript converts the value to true (ECMAScript, ToBoolean).
    var isTruthy: Bool {
        switch kind {
        case .undefined, .null: false
        case .bool: bool ?? false
        case .number: number.map { $0 != 0 && !$0.isNaN } ?? false
        case .string: string?.isEmpty == false
        default: true
        }
    }
}
