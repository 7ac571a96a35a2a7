import Foundation
import Testing

@testable import BridgeProtocol

/// Frames in the form that `bridge.js` writes, and frames in any other form.
@Suite struct PageFrameTests {
    private func messages(_ text: String) throws -> [PageMessage] {
        var messages: [PageMessage] = []
        try Array(text.utf8).withUnsafeBytes { try PageFrame($0).forEach { messages.append($0) } }
        return messages
    }

    private func isReadQuickly(_ text: String) -> Bool {
        Array(text.utf8).withUnsafeBytes { EnvelopeReader.messages(of: $0) } != nil
    }

    /// One line per message.
    private func summary(_ text: String) throws -> [String] { try messages(text).map(summary) }

    private func summary(_ message: PageMessage) -> String {
        switch message {
        case .post(let post, let id):
            "post \(post.seq) \(post.handler) \(post.body.json) \(id.map(\.description) ?? "-")"
        case .result(let id, .success(let value)): "result \(id) \(value.kind) \(value.json)"
        case .malformed(let message): "malformed \(message.error)"
        default: "\(message)"
        }
    }

    private func post(_ body: String) -> String {
        #"{"jsonrpc":"2.0","method":"message.post","params":{"seq":1,"handler":"nativeApp","body":\#(body)}}"#
    }

    /// A frame that is read can be read again within a record, and within the answer to a tool.
    @Test func leavesRoomForOtherLevelsAroundADeepValue() throws {
        for space in ["", " "] {
            let deepest = String(repeating: "[", count: 2_038) + String(repeating: "]", count: 2_038)
            let body = try #require(try summary(space + post(deepest)).first).split(separator: " ")[3]
            #expect(try JSON.parse("[[[[[[[[[[\(body)]]]]]]]]]]").count == 1)
            let error = #expect(throws: JSONParseError.self) { try messages(space + post("[\(deepest)]")) }
            #expect(error?.cause == .tooDeep)
        }
    }

    @Test(arguments: [
        "null", "true", "-1.5e3", #""""#, #""a\"}}b""#, #""\\""#, #""[{""#, "{}", "[]",
        #"{"a":[1,{"b":"]}"}],"c":"é"}"#,
        #"{"jsonrpc":"2.0","method":"message.post"}"#, #""\u0000""#,
        // These are printed with other bytes than they were read with.
        #""\u0041\/""#, "-0", "[-0.0,1.0,1e2]", #"{"a" : 1}"#, "[1, 2]", #"{"a":1,"b":3,"a":2}"#,
        #"[{"a":1,"\u0061":2}]"#,
        #""a text of more than 32 bytes, which are read at once, and \u002f after them""#,
        // And these with the same.
        #""\"\\\b\f\n\r\t""#, #"{"a":[0,10,123456789012345,-7]}"#,
        #""a text of more than 32 bytes, which are read at once, and \n after them""#,
    ])
    func readsTheFormOfBridgeJS_withoutParsingTheEnvelope(body: String) throws {
        #expect(isReadQuickly(post(body)))
        #expect(try summary(post(body)) == ["post 1 nativeApp \(try JSON.parse(body)) -"])
        #expect(
            try summary("[\(post(body)),\(post(body))]")
                == [String](repeating: "post 1 nativeApp \(try JSON.parse(body)) -", count: 2))
        #expect(
            try summary(#"{"jsonrpc":"2.0","id":7,"result":{"value":\#(body)}}"#).first?.hasPrefix("result 7") == true)
    }

    @Test func readsTypesAndIDs() throws {
        let text =
            #"{"jsonrpc":"2.0","id":12,"method":"message.post","params":{"seq":3,"handler":"echo","#
            + #""body":{"at":"2026-11-20T10:00:00.000Z"},"types":{"/at":"date"}}}"#
        guard case .post(let post, let id) = try messages(text).first else { return #expect(Bool(false)) }
        #expect(id == .number(12))
        #expect(post.body.child("at")?.kind == .date)
    }

    /// A fuzzer found that such types were ignored.
    @Test func refusesTypesThatCannotBeParsed() {
        let start = #"{"jsonrpc":"2.0","id":7,"result":{"value":1,"types":{""#
        let text = Array(start.utf8) + [0xeb] + Array(#"":"undefined"}}}"#.utf8)
        #expect(throws: JSONParseError.self) { try text.withUnsafeBytes { try PageFrame($0).forEach { _ in } } }
    }

    /// Messages in another form, with members in another order or twice, and messages that pages do not send often.
    @Test(arguments: [
        #" {"jsonrpc":"2.0","id":7,"result":{"value":1}}"#,
        #"{"jsonrpc":"2.0","id":7,"result":{"value":1}} "#,
        #"{"jsonrpc":"2.0","id":"7","result":{"value":1}}"#,
        #"{"jsonrpc":"2.0","id":07,"result":{"value":1}}"#.replacing("07", with: "7.5"),
        #"{"jsonrpc":"2.0","id":7,"result":{"value":1,"value":2}}"#,
        #"{"jsonrpc":"2.0","id":7,"result":{"value":1},"result":{"value":2}}"#,
        #"{"id":7,"jsonrpc":"2.0","result":{"value":1}}"#,
        #"{"jsonrpc":"2.0","id":7,"result":{"value":"x","types":{"":"wrong"}}}"#,
        #"{"jsonrpc":"2.0","method":"message.post","params":{"seq":0,"handler":"a","body":1}}"#,
        #"{"jsonrpc":"2.0","method":"message.post","params":{"seq":1,"handler":"\u0061","body":1}}"#,
        #"{"jsonrpc":"2.0","method":"message.post","params":{"seq":1,"handler":"é","body":1}}"#,
        #"{"jsonrpc":"2.0","method":"message.post","params":{"handler":"a","seq":1,"body":1}}"#,
        #"{"jsonrpc":"2.0","method":"page.update","params":{"title":"x"}}"#,
        #"{"jsonrpc":"2.0","id":7,"error":{"code":4,"message":"x"}}"#,
        "[]", "1", #"[{"jsonrpc":"2.0","id":7,"result":{"value":1}},5]"#,
    ])
    func parsesTheWholeText_inAnyOtherForm(text: String) throws {
        #expect(!isReadQuickly(text))
        #expect(try summary(text) == RPCFrame(try JSON.parse(text)).messages.map { summary(PageMessage($0)) })
    }

    /// A frame that is broken anywhere gets the same error as from parsing the whole text.
    @Test func refusesInvalidJSON_withThePositionInTheWholeText() throws {
        let text = "[\(post(#"{"a":"b\"}"}"#)),\(post("[1,2]"))]"
        var refused = 0
        for position in text.utf8.indices {
            for replacement in ["\"", "}", "]", "\\", ",", "\u{1}", ""] {
                let broken = text.replacingCharacters(
                    in: position..<text.utf8.index(after: position), with: replacement)
                let expected = Result { () throws(JSONParseError) in try JSON.parse(broken) }
                let found = Result { try messages(broken) }
                switch (expected, found) {
                case (.success(let json), .success(let messages)):
                    #expect(messages.count == RPCFrame(json).messages.count, "\(broken)")
                case (.failure(let expected), .failure(let error)):
                    refused += 1
                    #expect("\(expected)" == "\(error)")
                default: Issue.record("\(broken): \(expected), \(found)")
                }
            }
        }
        #expect(refused > 100)
    }
}
