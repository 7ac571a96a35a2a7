public import BridgeProtocol
public import BridgeServer

extension Page {
    /// Runs a script, and returns its completion value.
    public func value(of script: String, in world: String? = nil, sourceURL: String? = nil) async throws -> ScriptValue
    {
        try await withCheckedContinuation { continuation in
            evaluate(script, sourceURL: sourceURL, world: world) { continuation.resume(returning: $0) }
        }.get()
    }

    /// Runs the body of an async function, and returns its value.
    public func call(
        _ body: String, _ arguments: ScriptValue = .emptyObject, in world: String? = nil
    ) async throws -> ScriptValue {
        try await withCheckedContinuation { continuation in
            callAsync(body, arguments: arguments, world: world) { continuation.resume(returning: $0) }
        }.get()
    }
}

extension ScriptValue {
    /// The value and its table of types, as they are sent.
    public var text: String { "\(json.description)\(types.map { " \($0.json.text)" } ?? "")" }
}
