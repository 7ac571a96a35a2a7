package import BridgeProtocol

/// A script that native code runs in a page.
package struct PageScript: Sendable {
    package enum Program: Sendable {
        /// A global program, like that of `evaluateJavaScript`.
        case script(source: String, sourceURL: String?)
        /// The body of an async function, like that of `callAsyncJavaScript`. The arguments are an object.
        case asyncFunction(body: String, arguments: ScriptValue)
    }

    package let program: Program
    /// The name of a content world; nil for the page's own.
    package let world: String?

    package init(_ program: Program, world: String?) {
        self.program = program
        self.world = world
    }

    /// Reads the params of `script.evaluate` or `script.callAsync`.
    init(method: String, _ params: JSON) throws(RPCError) {
        world = params["world"]?.string
        if method == "script.evaluate" {
            program = .script(source: params["source"]?.string ?? "", sourceURL: params["sourceURL"]?.string)
        } else {
            program = .asyncFunction(
                body: params["body"]?.string ?? "", arguments: try ScriptValue(params: params, key: "arguments"))
        }
    }
}

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
