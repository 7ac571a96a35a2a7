import Foundation
import Testing

@testable import BridgeProtocol

/// Frames of the page channel: those that read as `bridge.js` writes them, and all others.
@Suite struct PageFrameTests {
    private func messages(_ text: String) throws -> [PageFrame.Message] {
        var messages: [PageFrame.Message] = []
        try Array(text.utf8).withUnsafeBytes { try PageFrame($0).forEach { messages.append($0) } }
        return messages
    }

    /// One line a message: what it is, and whether only its values were parsed.
    private func summary(_ text: String) throws -> [String] {
        try messages(text).map { message in
            switch message {
            case .post(let post, let id):
                "post \(post.seq) \(post.handler) \(post.body.json) \(id.map(\.description) ?? "-")"
            case .result(let id, let value): "result \(id) \(value.kind) \(value.json)"
            case .other(let message): "other \(message)".prefix(17).description
            }
        }
    }

    private func post(_ body: String) -> String {
        #"{"jsonrpc":"2.0","method":"message.post","params":{"seq":1,"handler":"nativeApp","body":\#(body)}}"#
    }

    @Test(arguments: [
        "null", "true", "-1.5e3", #""""#, #""a\"}}b""#, #""\\""#, #""[{""#, "{}", "[]",
        #"{"a":[1,{"b":"]}"}],"c":"é"}"#,
        #"{"jsonrpc":"2.0","method":"message.post"}"#, #""\u0000""#,
    ])
    func parsesTheValuesAlone_inWhatBridgeJSWrites(body: String) throws {
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

    /// A fuzzer found that they were passed over.
    @Test func refusesTypesThatCantBeParsed() {
        let start = #"{"jsonrpc":"2.0","id":7,"result":{"value":1,"types":{""#
        let text = Array(start.utf8) + [0xeb] + Array(#"":"undefined"}}}"#.utf8)
        #expect(throws: JSONParseError.self) { try text.withUnsafeBytes { try PageFrame($0).forEach { _ in } } }
    }

    /// Written in another way, with another order, twice, or not a message that pages send often.
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
    func parsesTheWholeText_ofAnyOther(text: String) throws {
        let messages = try summary(text)
        #expect(messages.allSatisfy { $0.hasPrefix("other") })
        #expect(messages.count == RPCFrame(try JSON.parse(text)).messages.count)
    }

    /// What is broken anywhere gets the error that parsing the whole text gives.
    @Test func refusesWhatIsNotJSON_withThePlaceInTheWholeText() throws {
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
