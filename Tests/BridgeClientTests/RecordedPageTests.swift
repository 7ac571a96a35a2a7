import BridgeClient
import BridgeProtocol
import Testing

@Suite struct RecordedPageTests {
    /// Nobody but a page can call an interface object, so a replay leaves its calls out, and keeps what looks alike.
    @Test func passesOverCallsOfInterfaceObjects() throws {
        let records = try [
            #"{"record":1,"page":"p1","kind":"message","handler":"Device","name":"model","body":[],"seq":1}"#,
            #"{"record":2,"page":"p1","kind":"reply","handler":"Device","seq":1,"value":"Pixel 9"}"#,
            #"{"record":3,"page":"p1","kind":"message","handler":"log","body":["a","list"],"seq":2}"#,
        ].map { try JSON.parse($0) }
        let messages = RecordedPage.pages(in: records).flatMap(\.messages)
        #expect(messages.map(\.handler) == ["log"] && messages[0].reply == nil)
    }
}
