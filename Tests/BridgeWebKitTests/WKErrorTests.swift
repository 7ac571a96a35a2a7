import BridgeProtocol
import BridgeWebKit
import Foundation
import Testing

/// The codes, texts and user info of WebKit's errors.
@Suite struct WKErrorTests {
    @Test(arguments: [
        (ScriptError.exception(JavaScriptException(message: "x")), 4, "A JavaScript exception occurred"),
        (.resultTypeUnsupported("Promise"), 5, "JavaScript execution returned a result of an unsupported type"),
        (.pageGone("p1"), 2, "The Web Content process was terminated"),
        (.timedOut(.seconds(1)), 1, ScriptError.timedOut(.seconds(1)).description),
        (.rejected(RPCError(.handlerRejected, "no")), 1, RPCError(.handlerRejected, "no").description),
    ])
    func hasApplesCodeAndText(_ script: ScriptError, _ code: Int, _ text: String) {
        let error: any Error = WKError(script)
        let cocoa = error as NSError
        #expect(cocoa.domain == "WKErrorDomain" && cocoa.code == code)
        #expect(error.localizedDescription == text && cocoa.localizedDescription == text)
    }

    @Test func hasZeros_ifTheEngineReportsNoPosition() {
        let info = WKError(.exception(JavaScriptException(message: "x"))).userInfo
        #expect(info["WKJavaScriptExceptionLineNumber"] as? Int == 0)
        #expect(info["WKJavaScriptExceptionColumnNumber"] as? Int == 0)
        #expect(info.keys.contains("WKJavaScriptExceptionSourceURL") == false)
    }

    @Test func hasNoScriptKeys_ifNoScriptThrew() {
        #expect(WKError(.resultTypeUnsupported("")).userInfo.keys.sorted() == [NSLocalizedDescriptionKey])
    }

    @Test func matchesItsCode_inACatchClause() {
        do {
            throw WKError(.javaScriptInvalidFrameTarget)
        } catch WKError.javaScriptInvalidFrameTarget {
        } catch {
            Issue.record("the code did not match")
        }
    }
}
