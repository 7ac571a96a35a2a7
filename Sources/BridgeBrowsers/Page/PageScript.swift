package import BridgeProtocol

package typealias EvaluationResult = Result<EncodedValue, ScriptError>

extension EvaluationResult {
    /// Reads what `encode` and `callAsync` of `web/driven.js` return.
    init(driven text: String) {
        switch text.first {
        case "!": self = .failure(.resultTypeUnsupported(String(text.dropFirst())))
        case "?":
            let error = try? JSON.parse(text.dropFirst())
            self = .failure(
                .exception(
                    JavaScriptException(
                        name: error?["name"]?.string ?? "", message: error?["message"]?.string ?? "", line: 0,
                        column: 0, stack: error?["stack"]?.string)))
        default: self = .success(.members(text))
        }
    }
}

/// A script's value on its way to the daemon.
package enum EncodedValue: Sendable {
    case value(ScriptValue)
    /// The members `"value":…` and, if needed, `"types":…`, as a page's script has written them.
    case members(String)
}
