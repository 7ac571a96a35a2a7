public import BridgeProtocol
import BridgeServer

/// Running scripts in the page, and tapping on its elements.
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
        let wait = ConditionWait(expression, until: .now + timeout) { [weak self] in self?.shownPage }
        let found: String?
        do { found = try await endingOnDialog("\(expression) to be true", wait.run) } catch let error as ScriptError {
            throw failure("\(expression) to have a value", "\(error)")
        }
        guard let found else { return }
        throw latestRecords.failure("\(expression) to be true within \(timeout)", found, isTimeOut: true)
    }
}
