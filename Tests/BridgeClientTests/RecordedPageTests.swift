import BridgeClient
import BridgeProtocol
import BridgeTraffic
import Testing

@Suite struct RecordedPageTests {
    /// Only a page can call an interface object, so a replay leaves such calls out, but not similar messages.
    @Test func leavesOutCallsOfInterfaceObjects() {
        let lines = [
            #"{"record":1,"page":"p1","kind":"message","handler":"Device","name":"model","body":[],"seq":1}"#,
            #"{"record":2,"page":"p1","kind":"reply","handler":"Device","seq":1,"value":"Pixel 9"}"#,
            #"{"record":3,"page":"p1","kind":"message","handler":"log","body":["a","list"],"seq":2}"#,
        ]
        let messages = RecordedPage.pages(in: records(lines)).flatMap(\.messages)
        #expect(messages.map(\.handler) == ["log"])
        #expect(messages.first?.reply == nil)
    }

    @Test func leavesOutTheScriptsOfTools() {
        let lines = [
            #"{"record":1,"page":"p1","kind":"evaluate","id":1,"source":"document.title","by":"tool"}"#,
            #"{"record":2,"page":"p1","kind":"callAsync","id":2,"body":"return 1","arguments":{},"by":"tool"}"#,
            #"{"record":3,"page":"p1","kind":"evaluate","id":3,"source":"window.bridge.shared()"}"#,
            #"{"record":4,"page":"p1","kind":"result","id":1,"value":"Shop"}"#,
            #"{"record":5,"page":"p1","kind":"result","id":3,"value":7}"#,
        ]
        let calls = RecordedPage.pages(in: records(lines)).flatMap(\.calls)
        #expect(calls.map { $0.content.text } == [#"{"kind":"evaluate","source":"window.bridge.shared()"}"#])
        #expect(calls.first?.result.flatMap { try? $0.get() }?.number == 7)
    }

    @Test func tellsPagesWithTheSameIdApart_ifTheDaemonHasStartedAgain() {
        let line = #"{"record":1,"page":"p1","kind":"message","handler":"log","body":1,"seq":1}"#
        #expect(RecordedPage.pages(in: records([line, line])).map(\.page) == ["p1", "p1"])
    }

    /// - Parameter lines: records without time and direction.
    private func records(_ lines: [String]) -> [TrafficRecord] {
        let common = #"{"time":"2026-01-01T00:00:00.000Z","direction":"toNative","#
        let records = lines.compactMap { TrafficRecord(line: (common + $0.dropFirst()).utf8) }
        #expect(records.count == lines.count)
        return records
    }
}
