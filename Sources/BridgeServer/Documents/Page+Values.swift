public import BridgeProtocol

/// Scripts whose values are decoded.
extension Page {
    /// Runs a script in the page as a global indirect eval, and decodes its completion value.
    ///
    /// - Parameters:
    ///   - awaitingPromise: whether to wait until the value, if it is a promise, is fulfilled.
    ///   - timeout: nil for `Limits.evaluationTimeout`.
    /// - Throws: `ScriptError`, or `DecodingError` if the value is of another type.
    public func evaluate<Value: Decodable>(
        _ source: String, as type: Value.Type = Value.self, awaitingPromise: Bool = false, timeout: Duration? = nil
    ) async throws -> Value {
        guard awaitingPromise else { return try await evaluate(source, timeout: timeout).decode(type) }
        return try await callAsync(
            "return await (0, eval)(source)", arguments: ["source": .string(source)], as: type, timeout: timeout)
    }

    /// Runs the body of an async function in the page, like `callAsyncJavaScript`, and decodes its value.
    ///
    /// - Parameter arguments: an object. The body sees each member as a variable of that name.
    /// - Throws: `ScriptError`, or `DecodingError` if the value is of another type.
    public func callAsync<Value: Decodable>(
        _ body: String, arguments: ScriptValue = [:], as type: Value.Type = Value.self, timeout: Duration? = nil
    ) async throws -> Value {
        let result = await withCheckedContinuation { continuation in
            callAsync(body, arguments: arguments, timeout: timeout) { continuation.resume(returning: $0) }
        }
        return try result.get().decode(type)
    }
}
