import BridgeProtocol
import WebFiles

/// Calls `web/elements.js` in a page. A document gets the script with the first call.
struct ElementScript {
    private static let object = "globalThis[Symbol.for('bridged.elements')]"

    let page: Page

    /// - Parameters:
    ///   - call: a call of a method, whose arguments are members of `arguments`.
    ///   - timeout: how long the method waits by itself. It is the member `milliseconds` of the arguments.
    /// - Returns: what the method returns.
    @MainActor func call(
        _ call: String, _ arguments: [JSONValue.Member], within timeout: Duration = .zero
    ) async throws(ScriptError) -> ScriptValue {
        let milliseconds = JSONValue.Member("milliseconds", .number((timeout / .milliseconds(1)).rounded()))
        let arguments = ScriptValue(.object(arguments + [milliseconds]))
        let call = "return { value: await \(ElementScript.object).\(call) }"
        let first = try await run("if (!\(ElementScript.object)) return {}\n\(call)", arguments, timeout)
        if let value = first.child("value") { return value }
        let source: String
        do { source = try WebFiles.elements.get() } catch {
            throw .rejected(RPCError(.internalError, "\(error)"))
        }
        let load = "\(ElementScript.object) ??= \(source)"
        return try await run("\(load)\n\(call)", arguments, timeout).child("value") ?? .undefined
    }

    @MainActor private func run(
        _ body: String, _ arguments: ScriptValue, _ timeout: Duration
    ) async throws(ScriptError) -> ScriptValue {
        let result: Result<ScriptValue, ScriptError> = await withCheckedContinuation { continuation in
            ToolScripts.$areRunning.withValue(true) {
                // The page keeps the time itself, unless a script keeps it from that.
                page.callAsync(
                    body, arguments: arguments, world: page.isDriven ? WebFiles.elementsWorld : nil,
                    timeout: timeout + .seconds(5)
                ) { continuation.resume(returning: $0) }
            }
        }
        return try result.get()
    }
}
