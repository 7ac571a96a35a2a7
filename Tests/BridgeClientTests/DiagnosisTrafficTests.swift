import BridgeProtocol
import Testing

@testable import BridgeClient

/// What the doctor makes of the recorded traffic.
@Suite struct DiagnosisTrafficTests {
    private func records(_ lines: [String]) throws -> [JSON] { try lines.map { try JSON.parse($0) } }

    private func time(_ seconds: Int64) -> Timestamp { Timestamp(microseconds: seconds * 1_000_000) }

    private func messages(_ lines: String..., at seconds: Int64 = 10) throws -> [String] {
        try Diagnosis.messages(records(lines), at: time(seconds)).map { "\($0.severity) \($0.text)" }
    }

    private static let asked =
        #"{"record":3,"time":"1970-01-01T00:00:00Z","kind":"message","handler":"never","seq":1,"verdict":{"outcome":"awaitingReply"}}"#

    @Test func findsRepliesThatDoNotCome() throws {
        let found = "warning A message to never (record 3) has waited 10 s for its reply."
        #expect(try messages(Self.asked) == [found])
        let second = Self.asked.replacing("\"seq\":1", with: "\"seq\":2")
        #expect(try messages(Self.asked, second) == [found + " 2 messages wait for replies."])
        #expect(try messages(Self.asked, at: 1) == [])
        let reply = #"{"kind":"reply","handler":"never","seq":1,"value":1,"verdict":{"outcome":"replied"}}"#
        #expect(try messages(Self.asked, reply) == [])
    }

    @Test func findsRejectedAndUnsentMessages() throws {
        let rejected =
            #"{"kind":"reply","handler":"camera","seq":2,"error":{"code":-32001,"message":"No camera"},"verdict":{"outcome":"rejected","reason":"rejectedByHandler"}}"#
        #expect(try messages(rejected) == ["warning A message to camera was rejected: No camera"])
        #expect(
            try messages(rejected, rejected).first?.hasSuffix("(2 times; see bridged tail --filter verdict:rejected)")
                == true)
        let console =
            #"{"kind":"console","level":"warn","text":"bridged: postMessage to \"h\": the value at /f is a function, which WebKit does not deliver."}"#
        #expect(
            try messages(console, #"{"kind":"console","text":"hello"}"#) == [
                "warning A message was not sent: postMessage to \"h\": the value at /f is a function, which WebKit does not deliver."
            ])
    }

    // MARK: No page

    private func withoutPage(_ records: [JSON], at seconds: Int64, _ pages: String..., address: [JSONValue.Member] = [])
        throws
        -> [String]
    {
        Diagnosis.withoutPage(address, try self.records(pages), records, "<script>", at: time(seconds)).map(\.text)
    }

    private static let away = #"{"page":"p1","webView":"main","attached":false}"#
    private static let other = #"{"page":"p2","webView":"http://localhost:3001","attached":true}"#

    @Test func reportsProblemsSinceTheLastPage_withTheirAge() throws {
        let problem = #"{"time":"1970-01-01T00:00:00Z","kind":"problem","code":"policy","text":"It is forbidden."}"#
        let attached = #"{"kind":"page","page":"p1","event":"attached"}"#
        let last = try records([attached, problem])
        #expect(try withoutPage(last, at: 59) == ["It is forbidden.", "No page is attached."])
        #expect(try withoutPage(last, at: 300).first == "It is forbidden. (5 min ago)")
        #expect(try withoutPage(records([problem, attached]), at: 1, Self.away) == ["No page is attached."])
    }

    @Test func reportsThatThePageHasAnotherOrigin() throws {
        let problem = #"{"kind":"problem","page":"p2","code":"otherOrigin","text":"p2 is of another origin."}"#
        #expect(
            try withoutPage(records([problem]), at: 1, Self.away, Self.other) == [
                "p2 is of another origin.",
                "No page is attached in the web view \"main\". Attached pages: p2 (http://localhost:3001). "
                    + "To examine one: bridged doctor --page p2",
            ])
        #expect(try withoutPage(records([problem]), at: 1, Self.away) == ["No page is attached."])
        #expect(
            try withoutPage([], at: 1, address: [.init("page", "p9")]) == ["The page \"p9\" is not attached."])
    }
}
