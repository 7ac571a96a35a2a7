import TestSupport
import Testing

@testable import BridgeProtocol

@Suite struct RPCFrames {
    @Test func readsNotification() throws {
        let frame = try RPCFrame(JSON.parse(#"{"jsonrpc":"2.0","method":"message.post","params":{"seq":1}}"#))
        guard case .notification("message.post", let params?) = frame.messages.first else {
            Issue.record("found \(frame)")
            return
        }
        #expect(params["seq"]?.number == 1)
        #expect(!frame.isBatch)
    }

    @Test func keepsOrder_ofBatch() throws {
        let frame = try RPCFrame(
            JSON.parse(
                #"[{"jsonrpc":"2.0","id":"a","method":"x"},{"jsonrpc":"2.0","id":2,"result":null},7]"#))
        #expect(frame.isBatch)
        #expect(frame.messages.map(\.text) == ["request \"a\" x", "success 2", "malformed null"])
    }

    @Test func keepsErrorData_untouched() throws {
        let json = try JSON.parse(#"{"jsonrpc":"2.0","id":1,"error":{"code":4,"message":"m","data":{"line":3}}}"#)
        guard case .failure(.number(1), let error) = RPCMessage(json) else {
            Issue.record("not a failure")
            return
        }
        #expect(error == RPCError(.javaScriptException, "m", data: ["line": 3]))
    }

    @Test(arguments: [
        ("[]", "an empty batch"),
        ("3", "expected an object, found number 3"),
        (#"{"id":1,"method":"x"}"#, #"jsonrpc must be "2.0", found nothing"#),
        (#"{"jsonrpc":2,"method":"x"}"#, #"jsonrpc must be "2.0", found number 2"#),
        (#"{"jsonrpc":"2.0","method":3}"#, "method must be a string, found number 3"),
        (#"{"jsonrpc":"2.0","method":"x","params":3}"#, "params must be an object or an array, found number 3"),
        (#"{"jsonrpc":"2.0","method":"x","id":[]}"#, "id must be a string, a number or null, found array of 0"),
        (#"{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1}}"#, "there are both a result and an error"),
        (#"{"jsonrpc":"2.0","id":1,"method":"x","result":1}"#, "there is a method with a result or an error"),
        (#"{"jsonrpc":"2.0","id":1}"#, "there is no method, result or error"),
        (#"{"jsonrpc":"2.0","result":1}"#, "a response needs an id"),
        (
            #"{"jsonrpc":"2.0","id":1,"error":"x"}"#,
            #"error must be an object with a whole number as code, found string "x""#
        ),
    ])
    func givesReason_whenMessageIsMalformed(text: String, reason: String) throws {
        let frame = try RPCFrame(JSON.parse(text))
        guard case .malformed(_, let error) = frame.messages.first else {
            Issue.record("found \(frame)")
            return
        }
        #expect(error == RPCError(.invalidRequest, "Invalid request: \(reason)"))
    }

    /// A client compares the id of a response with its own, so an id that a double would round must not be.
    @Test(arguments: [
        "0", "-7", "9007199254740993", "-9007199254740993", "1234567890123456789", "9223372036854775807",
        "-9223372036854775808",
    ])
    func returnsIds_withoutRounding(_ id: String) throws {
        guard case .request(let read, _, _) = RPCMessage(try JSON.parse(#"{"jsonrpc":"2.0","id":\#(id),"method":"x"}"#))
        else {
            Issue.record("\(id) was not taken")
            return
        }
        #expect(read.text == id)
        #expect(read.wholeNumber.map(String.init) == id)
    }

    @Test(arguments: [("3.0", "3"), ("2e3", "2000"), ("-0", "0"), ("9e15", "9000000000000000")])
    func returnsIds_asWholeNumbers(_ id: String, _ text: String) throws {
        guard case .request(let read, _, _) = RPCMessage(try JSON.parse(#"{"jsonrpc":"2.0","id":\#(id),"method":"x"}"#))
        else {
            Issue.record("\(id) was not taken")
            return
        }
        #expect(read.text == text)
    }

    @Test(arguments: ["9223372036854775808", "-9223372036854775809", "1e30", "1.5", "9007199254740993.0", "1e400"])
    func refusesIds_thatWouldNotComeBackAsTheyAre(_ id: String) throws {
        let message = RPCMessage(try JSON.parse(#"{"jsonrpc":"2.0","id":\#(id),"method":"x"}"#))
        guard case .malformed(.null, let error) = message else {
            Issue.record("\(id) was taken")
            return
        }
        #expect(
            error.message.hasPrefix(
                "Invalid request: id must be a string, null, or a whole number of 64 bits, which this is not: "))
    }

    @Test func keepsId_whenRequestIsMalformed() throws {
        let message = try RPCMessage(JSON.parse(#"{"jsonrpc":"2.0","method":3,"id":"q"}"#))
        #expect(message.text == "malformed \"q\"")
    }

    @Test func writesMessages_asBatch() {
        let text = written { writer in
            writer.array { writer in
                writer.notification("page.ack") { $0.member("seq", 3) }
                writer.request(id: .number(7), "x") { _ in }
                writer.result(id: .string("a")) { $0.member("value", 1) }
                writer.error(id: .null, RPCError(.queueFull, "full", data: ["limit": 2]))
            }
        }
        #expect(
            text == #"[{"jsonrpc":"2.0","method":"page.ack","params":{"seq":3}},"#
                + #"{"jsonrpc":"2.0","id":7,"method":"x","params":{}},"#
                + #"{"jsonrpc":"2.0","id":"a","result":{"value":1}},"#
                + #"{"jsonrpc":"2.0","id":null,"error":{"code":-32006,"message":"full","data":{"limit":2}}}]"#)
    }
}

extension RPCMessage {
    fileprivate var text: String {
        switch self {
        case .request(let id, let method, _): "request \(id) \(method)"
        case .notification(let method, _): "notification \(method)"
        case .success(let id, _): "success \(id)"
        case .failure(let id, let error): "failure \(id) \(error.code.rawValue)"
        case .malformed(let id, _): "malformed \(id)"
        }
    }
}
