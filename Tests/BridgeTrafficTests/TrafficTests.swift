import TestSupport
import Testing

@testable import BridgeProtocol
@testable import BridgeTraffic

private func record(
    _ event: TrafficRecord.Event, _ direction: TrafficRecord.Direction = .toNative, page: String? = "p1"
) -> TrafficRecord {
    TrafficRecord(
        record: 7, time: Timestamp(microseconds: 1_795_168_800_123_456), page: page,
        webView: page.map { _ in "main" }, url: page.map { _ in "http://localhost/" }, direction: direction,
        event: event)
}

private let start =
    #"{"record":7,"time":"2026-11-20T10:00:00.123456Z","page":"p1","webView":"main","url":"http://localhost/","#

private let failure = RPCError(.handlerRejected, "no")

@Suite struct TrafficWriting {
    @Test func writesMessage() throws {
        let body = try value(#"{"name":"A","n":"NaN"}"#, types: #"{"/n":"number"}"#)
        let verdict = Verdict(.dropped, reason: .undecodable, expected: "Int", found: "x", at: "/n", hint: "h")
        let record = record(.message(handler: "nativeApp", name: "A", body: body, seq: 3, verdict: verdict))
        #expect(
            written { record.write(to: &$0) } == start
                + #""direction":"toNative","kind":"message","handler":"nativeApp","name":"A","#
                + #""body":{"name":"A","n":"NaN"},"types":{"/n":"number"},"seq":3,"verdict":{"outcome":"dropped","#
                + #""reason":"undecodable","expected":"Int","found":"x","at":"/n","hint":"h. See docs/write-a-handler.md#types."}}"#
        )
    }

    @Test func omitsThePage_ifThereIsNone() {
        let record = record(.problem(code: "refused", text: "t", hint: nil), page: nil)
        #expect(
            written { record.write(to: &$0) }
                == #"{"record":7,"time":"2026-11-20T10:00:00.123456Z","direction":"toNative","kind":"problem","#
                + #""code":"refused","text":"t"}"#)
    }

    static let events: [(TrafficRecord.Event, String)] = [
        (
            .reply(handler: "h", seq: 1, result: .success(.null), duration: .microseconds(1_500), verdict: .replied),
            #""kind":"reply","handler":"h","seq":1,"value":null,"durationMs":1.5,"verdict":{"outcome":"replied"}}"#
        ),
        (
            .reply(handler: "h", seq: 1, result: .failure(failure), duration: .zero, verdict: Verdict(.rejected)),
            #""kind":"reply","handler":"h","seq":1,"error":{"code":-32003,"message":"no"},"durationMs":0,"#
                + #""verdict":{"outcome":"rejected"}}"#
        ),
        (.evaluate(id: .number(4), source: "1"), #""kind":"evaluate","id":4,"source":"1"}"#),
        (
            .callAsync(id: .number(4), body: "1", arguments: .null),
            #""kind":"callAsync","id":4,"body":"1","arguments":null}"#
        ),
        (
            .result(id: .number(4), result: .success(.undefined), duration: .seconds(1)),
            #""kind":"result","id":4,"value":null,"types":{"":"undefined"},"durationMs":1000}"#
        ),
        (
            .console(ConsoleEntry(level: "log", text: "x", kind: .console, url: "a.js", line: 1)),
            #""kind":"console","level":"log","text":"x","entry":"console","sourceURL":"a.js","line":1}"#
        ),
        (
            .request(FinishedRequest(url: "http://h/x", method: "GET", status: 200, milliseconds: 1.5), visit: 3),
            #""kind":"request","method":"GET","requestURL":"http://h/x","status":200,"durationMs":1.5,"visit":3}"#
        ),
        (.page(.attached), #""kind":"page","event":"attached"}"#),
        (
            .app(event: "visit", fields: [.init("path", "/x")]), #""kind":"app","event":"visit","path":"/x"}"#
        ),
        (.gap(count: 3), #""kind":"gap","count":3}"#),
    ]

    /// Each kind of record with every member that it can have.
    private static let fullest: [TrafficRecord.Event] = {
        let verdict = Verdict(.dropped, reason: .undecodable, expected: "Int", found: "x", at: "/n", hint: "h")
        let value = (try? value(#"{"url":"u","page":"p"}"#, types: #"{"/n":"number"}"#)) ?? .null
        return [
            .message(handler: "h", name: "url", body: value, seq: 1, verdict: verdict),
            .reply(handler: "h", seq: 1, result: .success(value), duration: .zero, verdict: verdict),
            .evaluate(id: .number(1), source: "1"), .callAsync(id: .number(1), body: "1", arguments: value),
            .result(id: .number(1), result: .failure(failure), duration: .zero),
            .console(
                ConsoleEntry(level: "log", text: "x", kind: .console, url: "a.js", line: 1, column: 2, stack: "s")),
            .page(.loaded),
            .request(
                FinishedRequest(
                    url: "http://h/x", method: "GET", type: "fetch", status: 200, mimeType: "text/html",
                    milliseconds: 1.5, failure: "f", fault: "block"), visit: 3),
            .app(event: "visit", fields: [.init("location", "/x"), .init("visit", "cold boot")]),
            .problem(code: "c", text: "t", hint: "h", about: 1, count: 2), .gap(count: 1),
        ]
    }()

    @Test func writesNoNameTwice() {
        #expect(Self.fullest.map(\.kind) == TrafficRecord.Kind.allCases)
        for event in Self.fullest {
            let line = written {
                TrafficRecord(
                    record: 1, node: NodeRecord(node: "n", record: 2), time: Timestamp(microseconds: 0), page: "p1",
                    webView: "main", url: "http://localhost/", world: "w", isByTool: true, direction: .toWeb,
                    event: event
                ).write(to: &$0)
            }
            #expect(RepeatedName.first(in: Array(line.utf8)) == nil, "\(line)")
            #expect(TrafficRecord(line: Array(line.utf8)).map { r in written { r.write(to: &$0) } } == line)
        }
    }

    @Test(arguments: [
        (#"{"a":1,"b":{"a":1},"c":[{"a":1},{"a":2}]}"#, nil), (#"{"a":1,"a":2}"#, "a"), (#"{"a":"\"a\":","b":1}"#, nil),
        (#"{"x":[{"a":{},"b":[],"a":2}]}"#, "a"), (#"{"\"":1,"\\":2}"#, nil), (#"{"b\"":1,"b\"":2}"#, #"b\""#),
    ]) func findsARepeatedName(text: String, name: String?) {
        #expect(RepeatedName.first(in: Array(text.utf8)) == name)
    }

    /// Fields are read from a log as they were written, beside all members that records have in common.
    @Test func readsAnAppRecordOfACluster() throws {
        let line =
            #"{"record":1,"node":"n","nodeRecord":2,"time":"1970-01-01T00:00:00.000000Z","page":"p1","url":"http://h/","#
            + #""direction":"toNative","kind":"app","event":"visit","location":"/x"}"#
        guard case .app(_, let fields) = try #require(TrafficRecord(line: Array(line.utf8))).event else {
            return #expect(Bool(false), "the record has another kind")
        }
        #expect(fields == [.init("location", "/x")])
    }

    @Test(arguments: events) func writesKind(event: TrafficRecord.Event, text: String) {
        #expect(written { record(event, .toWeb).write(to: &$0) } == start + #""direction":"toWeb","# + text)
    }
}

@Suite struct TrafficReading {
    @Test func formatsAMessageAsOneLine() throws {
        let body = try value(#"{"name":"ActionButton","path":"/customers/new","icon":"plus"}"#)
        let record = record(
            .message(handler: "nativeApp", name: "ActionButton", body: body, seq: 1, verdict: .handled))
        #expect(
            ReadableTraffic().text(record)
                == #"10:00:00.123  p1 → nativeApp  ActionButton {"path":"/customers/new","icon":"plus"}   handled"#)
    }

    @Test func formatsAnEvaluation() {
        let record = record(.evaluate(id: .number(1), source: #"window.bridge.register("x")"#), .toWeb)
        #expect(ReadableTraffic().text(record) == #"10:00:00.123  p1 ← evaluate window.bridge.register("x")"#)
    }

    @Test func formatsARequest() {
        let request = FinishedRequest(
            url: "http://h/x", method: "GET", status: 404, mimeType: "text/html", milliseconds: 12)
        #expect(
            ReadableTraffic().text(record(.request(request, visit: nil)))
                == "10:00:00.123  p1 → GET http://h/x 404 text/html (12.0 ms)")
    }

    @Test func formatsTheHintAsASecondLine() {
        let record = record(.problem(code: "refused", text: "origin x", hint: "Use --allow-origin x"), page: nil)
        #expect(
            ReadableTraffic().text(record)
                == "10:00:00.123  ! refused: origin x\n              Use --allow-origin x")
        #expect("\(record)" == ReadableTraffic().text(record))
    }

    @Test func escapesControlCharacters() {
        let entry = ConsoleEntry(level: "log\u{1B}", text: "\u{1B}[2J\n\u{9B}1m\u{202E}\r\u{7}é", kind: .console)
        #expect(
            ReadableTraffic().text(record(.console(entry)))
                == #"10:00:00.123  p1 → console log\u{1b}: \u{1b}[2J\n\u{9b}1m\u{202e}\u{d}\u{7}é"#)
    }

    @Test func shortensLongBodies() throws {
        let body = try value("\"\(String(repeating: "x", count: 1_000))\"")
        let record = record(.message(handler: "h", name: nil, body: body, seq: 1, verdict: .handled))
        #expect(ReadableTraffic(width: 5).text(record) == #"10:00:00.123  p1 → h  "xxxx…   handled"#)
    }

    @Test func usesColours() {
        let text = ReadableTraffic(usesColor: true).text(record(.page(.gone)))
        #expect(text == "\u{1B}[2m10:00:00.123\u{1B}[0m  p1 \u{1B}[36m→\u{1B}[0m page gone")
    }

    @Test func formatsLocalTime() {
        #expect(ReadableTraffic(secondsFromUTC: 3_600).text(record(.page(.gone))).hasPrefix("11:00:00.123"))
    }
}
