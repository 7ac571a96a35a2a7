import BridgeProtocol
import TestSupport
import Testing

@testable import WebKitHost

@Suite struct ScriptFailureTests {
    @Test func readsThePositionOfAnException() {
        #expect(
            ScriptFailure.exception("http://localhost:1/index.html:2:33: TypeError: a: b\nc")
                == JavaScriptException(
                    message: "TypeError: a: b\nc", line: 2, column: 33, sourceURL: "http://localhost:1/index.html"))
        #expect(
            ScriptFailure.exception("about:blank:1: SyntaxError: Unexpected end of script")
                == JavaScriptException(
                    message: "SyntaxError: Unexpected end of script", line: 1, sourceURL: "about:blank"))
        #expect(
            ScriptFailure.exception("undefined:3:16: Error: in eval")
                == JavaScriptException(message: "Error: in eval", line: 3, column: 16, sourceURL: "undefined"))
    }

    @Test(arguments: ["URIError: URI error", "", "5", "InvalidCharacterError: The string contains invalid characters."])
    func keepsAMessageWithoutPosition(_ text: String) {
        #expect(ScriptFailure.exception(text) == JavaScriptException(message: text))
    }
}

@Suite struct FunctionCallTests {
    @Test func carriesNumbersAndStrings() throws {
        let call = FunctionCall(body: "return a + b", arguments: try value(#"{"a":1,"b":"x"}"#))
        #expect(call.body == "return a + b")
        #expect(call.makeArguments() != nil)
    }

    @Test func writesOtherArgumentsAsLiterals() throws {
        let arguments = try value(#"{"a":true,"b":"/a","c":"NaN"}"#, types: #"{"/c":"number"}"#)
        let call = FunctionCall(body: "return a", arguments: arguments)
        #expect(call.body.hasPrefix(#"return await ((f,o)=>f(o["a"],o["b"],o["c"]))(async function(a,b,c){return a},"#))
        #expect(call.makeArguments() == nil)
    }
}
