public import BridgeProtocol
import BridgeServer

/// Running scripts in the page, and clicking on its elements.
extension BridgedApp {
    /// Runs a script in the page, and decodes its completion value. A `ScriptValue` takes any value.
    ///
    /// - Parameter awaitingPromise: whether to wait until the value, if it is a promise, is fulfilled.
    public func evaluate<Value: Decodable>(
        _ script: String, as type: Value.Type = Value.self, awaitingPromise: Bool = false,
        within timeout: Duration? = nil
    ) async throws -> Value {
        try await describingFailure(of: script, as: type) {
            let page = try page()
            return try await ToolScripts.$areRunning.withValue(true) {
                try await page.evaluate(
                    script, as: type, awaitingPromise: awaitingPromise, timeout: timeout ?? self.timeout)
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
            let page = try page()
            return try await ToolScripts.$areRunning.withValue(true) {
                try await page.callAsync(body, arguments: arguments, as: type, timeout: timeout ?? self.timeout)
            }
        }
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
                let page = try page()
                return try await ToolScripts.$areRunning.withValue(true) {
                    try await page.evaluate(script, timeout: timeout ?? self.timeout)
                }
            }
        } catch ScriptError.resultTypeUnsupported {
            return
        } catch let error as ScriptError {
            throw failure("\(script) to run", "\(error)")
        }
    }

    /// Waits until an expression is true in the page. It evaluates the expression every 20 ms, and continues with the
    /// new page if another one replaces the page.
    public func wait(until expression: String, within timeout: Duration? = nil) async throws {
        let timeout = timeout ?? self.timeout
        let deadline = ContinuousClock.now + timeout
        var last = "nothing"
        while ContinuousClock.now < deadline {
            do {
                let value = try await failingOnDialog("\(expression) to be true") {
                    let page = try? page()
                    return try await ToolScripts.$areRunning.withValue(true) {
                        try await page?.evaluate(expression, timeout: timeout)
                    }
                }
                guard let value else { throw ScriptError.pageGone("") }
                if value.isTruthy { return }
                last = value.summary
            } catch ScriptError.pageGone {
                last = "gone with its page"
            } catch let error as ScriptError {
                throw failure("\(expression) to have a value", "\(error)")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw failure(
            "\(expression) to be true within \(timeout)", "the last time it was \(last)", isTimeOut: true)
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
