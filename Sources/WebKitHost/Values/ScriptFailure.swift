import BridgeProtocol
import CWebKitGTK

/// An error with which WebKit ends an evaluation, as the wire has it.
enum ScriptFailure {
    /// - Parameters:
    ///   - hasPosition: whether the text may begin with a position. WebKit gives none for an asynchronous function.
    static func error(_ error: UnsafePointer<GError>, hasPosition: Bool) -> ScriptError {
        let text = error.pointee.message.map { String(cString: $0) } ?? ""
        guard bridged_is_script_error(error) != 0 else { return .rejected(RPCError(.internalError, text)) }
        switch error.pointee.code {
        case Int32(WEBKIT_JAVASCRIPT_ERROR_INVALID_RESULT.rawValue): return .resultTypeUnsupported("")
        case Int32(WEBKIT_JAVASCRIPT_ERROR_SCRIPT_FAILED.rawValue) where hasPosition:
            return .exception(exception(text))
        default: return .exception(JavaScriptException(message: text))
        }
    }

    /// Reads `URL:LINE:COLUMN: MESSAGE`, in which WebKit leaves out what it does not know.
    static func exception(_ text: String) -> JavaScriptException {
        guard let match = try? /(\S+?):(\d+)(?::(\d+))?: (.*)/.dotMatchesNewlines().wholeMatch(in: text) else {
            return JavaScriptException(message: text)
        }
        let (_, url, line, column, message) = match.output
        return JavaScriptException(
            message: String(message), line: Int(line), column: column.flatMap { Int($0) }, sourceURL: String(url))
    }
}
