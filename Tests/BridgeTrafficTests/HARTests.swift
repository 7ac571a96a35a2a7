import TestSupport
import Testing

@testable import BridgeProtocol
@testable import BridgeTraffic

@Suite struct HARTests {
    private func archive(_ events: [(milliseconds: Int, event: TrafficRecord.Event)]) throws -> JSON {
        var document = HARDocument(version: "1")
        for (index, (milliseconds, event)) in events.enumerated() {
            document.add(
                TrafficRecord(
                    record: index + 1, time: Timestamp(microseconds: Int64(milliseconds) * 1_000), page: "p1",
                    webView: "main", url: "http://h/", direction: .toNative, event: event))
        }
        return try #require(try JSON.parse(document.text)["log"])
    }

    private func request(_ url: String, milliseconds: Double? = nil) -> TrafficRecord.Event {
        .request(
            FinishedRequest(url: url, method: "GET", type: "fetch", status: 200, milliseconds: milliseconds), visit: nil
        )
    }

    @Test(arguments: [
        ("http://h/x", "[]"), ("http://h/x?", "[]"), ("http://h/x#?a=1", "[]"),
        ("http://h/x?q=a+b%20c&page=2#f", #"[{"name":"q","value":"a b c"},{"name":"page","value":"2"}]"#),
        (
            "/x?a&b=&=c&&a=1=2",
            ##"[{"name":"a","value":""},{"name":"b","value":""},{"name":"","value":"c"},"##
                + ##"{"name":"a","value":"1=2"}]"##
        ),
        ("http://h/?n=%C3%A9%zz%2", #"[{"name":"n","value":"é%zz%2"}]"#),
    ]) func listsTheQuery(url: String, expected: String) throws {
        let query = try archive([(1, request(url))])["entries"]?[0]?["request"]?["queryString"]
        #expect(query?.description == expected)
    }

    /// The page begins with the request for its document.
    @Test func saysWhenThePageHadLoaded() throws {
        let log = try archive([
            (1_000, request("http://h/", milliseconds: 200)), (1_050, .page(.attached)), (1_300, .page(.loaded)),
            (2_000, .page(.updated)),
        ])
        #expect(log["pages"]?[0]?["startedDateTime"]?.string == "1970-01-01T00:00:00.800000Z")
        #expect(log["pages"]?[0]?["pageTimings"]?.description == #"{"onContentLoad":-1,"onLoad":500}"#)
        let starts = log["entries"]?.elements.map { $0["startedDateTime"]?.string }
        #expect(starts == ["1970-01-01T00:00:00.800000Z", "1970-01-01T00:00:01.050000Z"])
    }

    @Test func saysThatTheLoadIsUnknown() throws {
        let log = try archive([(1_000, .page(.attached)), (2_000, .page(.updated))])
        #expect(log["pages"]?[0]?["pageTimings"]?.description == #"{"onContentLoad":-1,"onLoad":-1}"#)
    }

    /// Readers take a page's first entry for its document.
    @Test func entriesAreInTheOrderOfTheirBeginning() throws {
        let log = try archive([
            (1_000, .page(.attached)), (1_100, request("http://h/a.js", milliseconds: 50)),
            (1_200, request("http://h/", milliseconds: 300)),
        ])
        let urls = log["entries"]?.elements.map { $0["request"]?["url"]?.string }
        #expect(urls == ["http://h/", "ws://localhost/page#p1", "http://h/a.js"])
    }

    @Test func hasNoSocketForAPageThatOnlyRequests() throws {
        let log = try archive([(1_000, request("http://h/", milliseconds: 200))])
        #expect(log["entries"]?.count == 1)
        #expect(log["pages"]?[0]?["startedDateTime"]?.string == "1970-01-01T00:00:00.800000Z")
    }
}
