import TestSupport
import Testing

@testable import BridgeProtocol

@Suite struct PageParams {
    @Test func readsMessage_withTypes() throws {
        let message = try PostMessage(
            params: JSON.parse(#"{"seq":9007199254740992,"handler":"h","body":{"n":"NaN"},"types":{"/n":"number"}}"#))
        #expect(message.seq == 1 << 53 && message.handler == "h")
        #expect(message.body.child("n")?.number?.isNaN == true)
    }

    @Test(arguments: [
        ("[]", "expected an object, found array of 0"),
        (#"{"seq":0,"handler":"h","body":1}"#, "/seq: expected a whole number from 1 to 2^53, found number 0"),
        (#"{"seq":1.5,"handler":"h","body":1}"#, "/seq: expected a whole number from 1 to 2^53, found number 1.5"),
        (#"{"seq":1e300,"handler":"h","body":1}"#, "/seq: expected a whole number from 1 to 2^53, found number 1e+300"),
        (#"{"seq":1,"body":1}"#, "/handler: expected String, found nothing"),
        (#"{"seq":1,"handler":"h"}"#, "/body: expected a value, found nothing"),
        (#"{"seq":1,"handler":"h","body":1,"types":3}"#, "/types: expected an object, found number 3"),
    ])
    func rejectsMessage_whenParamsAreWrong(json: String, text: String) throws {
        let params = try JSON.parse(json)
        #expect(throws: RPCError(.invalidParams, "Invalid params: \(text)")) { try PostMessage(params: params) }
    }

    @Test func readsAttach() throws {
        let attach = try AttachPage(
            params: JSON.parse(
                #"{"document":"d","webView":"main","frame":{"url":"u","origin":"o","isMainFrame":true},"#
                    + #""title":"t","readyState":"loading","userAgent":"a","resume":false}"#))
        #expect(attach.frame == FrameInfo(url: "u", origin: "o", isMainFrame: true))
        #expect(attach.document == "d" && !attach.resume)
    }

    /// Reading half a million numbers took a quarter of a second.
    @Test func rejectsAttach_whenItWaitsForTooMany() throws {
        let numbers = [String](repeating: "1", count: 110_001).joined(separator: ",")
        let params = try JSON.parse("{\"waiting\":[\(numbers)]}")
        #expect(
            throws: RPCError(.invalidParams, "Invalid params: /waiting: expected at most 110000 numbers, found 110001")
        ) { try AttachPage(params: params) }
    }

    @Test func rejectsAttach_whenFrameIsWrong() throws {
        let params = try JSON.parse(#"{"document":"d","webView":"main","frame":{"url":3}}"#)
        #expect(throws: RPCError(.invalidParams, "Invalid params: /frame/url: expected String, found number 3")) {
            try AttachPage(params: params)
        }
    }

    @Test func readsUpdate_ofOneMember() throws {
        let update = try UpdatePage(params: JSON.parse(#"{"status":404}"#))
        #expect(update.status == 404 && update.url == nil)
    }

    @Test func readsConsoleEntry() throws {
        let entry = try ConsoleEntry(params: JSON.parse(#"{"level":"error","text":"x","kind":"rejection","line":3}"#))
        #expect(entry == ConsoleEntry(level: "error", text: "x", kind: .rejection, line: 3))
    }

    @Test(arguments: [
        (#"{"url":"/x"}"#, PageNavigation.url("/x")), (#"{"reload":true}"#, .reload), (#"{"delta":-2}"#, .delta(-2)),
    ])
    func readsNavigation(json: String, navigation: PageNavigation) throws {
        #expect(try read(JSON.parse(json)).navigation == navigation)
    }

    @Test(arguments: ["{}", #"{"url":3}"#, #"{"reload":false}"#, #"{"delta":1.5}"#, #"{"url":"x","reload":true}"#])
    func rejectsNavigation_whenAmbiguous(json: String) throws {
        let params = try JSON.parse(json)
        #expect(throws: RPCError.self) { try read(params) }
    }

    private func read(_ params: JSON) throws(RPCError) -> NavigatePage {
        try ControlMethodDescription(NavigatePage.self).read(NavigatePage.self, from: params).method
    }
}

@Suite struct PageWriting {
    @Test func writesAttachResult() {
        let result = AttachResult(
            page: "p3", run: 7, isResumed: false, lastSeq: 0,
            settings: WebViewSettings(handlers: [HandlerInfo(name: "nativeApp", replies: false)]), maxMessageBytes: 16)
        #expect(
            written { $0.result(id: .number(1), result) }
                == #"{"jsonrpc":"2.0","id":1,"result":{"page":"p3","run":7,"resumed":false,"lastSeq":0,"#
                + #""handlers":[{"name":"nativeApp","replies":false}],"maxMessageBytes":16}}"#)
    }

    @Test func writesCalls() throws {
        let arguments = try value(#"{"d":"NaN"}"#, types: #"{"/d":"number"}"#)
        let text = written { writer in
            PageScript.write(id: .number(1), source: "1+1", sourceURL: "x", world: nil, to: &writer)
            writer.call(
                PageScript(.asyncFunction(body: "return d", arguments: arguments), world: nil), id: .number(2))
        }
        #expect(
            text == #"{"jsonrpc":"2.0","id":1,"method":"script.evaluate","params":{"source":"1+1","sourceURL":"x"}},"#
                + #"{"jsonrpc":"2.0","id":2,"method":"script.callAsync","params":{"body":"return d","#
                + #""arguments":{"d":"NaN"},"types":{"/d":"number"}}}"#)
    }

    @Test func writesNotifications() {
        let text = written { writer in
            writer.call(DaemonMessage.handlersChanged(WebViewSettings()))
            DaemonMessage.writeAcknowledgement(seq: 4, to: &writer)
            writer.call(DaemonMessage.navigate(.delta(-1)))
        }
        #expect(
            text == #"{"jsonrpc":"2.0","method":"handlers.changed","params":{"handlers":[]}},"#
                + #"{"jsonrpc":"2.0","method":"page.ack","params":{"seq":4}},"#
                + #"{"jsonrpc":"2.0","method":"page.navigate","params":{"delta":-1}}"#)
    }

    @Test func writesValueResult() {
        #expect(
            written { $0.valueResult(id: .number(1), .undefined) }
                == #"{"jsonrpc":"2.0","id":1,"result":{"value":null,"types":{"":"undefined"}}}"#)
    }
}
