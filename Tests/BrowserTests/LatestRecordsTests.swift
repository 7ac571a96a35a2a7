import BridgeProtocol
import BridgeTraffic
import Testing

@testable import BridgeTesting

/// What a failed flow shows of the traffic.
@Suite struct LatestRecordsTests {
    private func record(_ request: FinishedRequest) -> TrafficRecord {
        TrafficRecord(
            record: 1, time: Timestamp(microseconds: 0), page: "p1", webView: "main", url: "http://h/",
            direction: .toNative, event: .request(request, visit: nil))
    }

    @Test(arguments: [
        FinishedRequest(url: "http://h/a.js", method: "GET", type: "script", status: 200),
        FinishedRequest(url: "http://h/a.png", method: "GET", type: "image", status: 304),
        // WebKit tells no type.
        FinishedRequest(url: "http://h/a.css", method: "GET", status: 200, mimeType: "text/css"),
    ])
    func partsOfPages_areLeftOut(_ request: FinishedRequest) {
        let latest = LatestRecords()
        latest.append(record(request))
        #expect(latest.all.isEmpty)
    }

    @Test(arguments: [
        FinishedRequest(url: "http://h/", method: "GET", type: "document", status: 200),
        FinishedRequest(url: "http://h/", method: "GET", status: 200, mimeType: "text/html"),
        FinishedRequest(url: "http://h/a.json", method: "GET", type: "fetch", status: 200),
        FinishedRequest(url: "http://h/a.js", method: "GET", type: "script", status: 404),
        FinishedRequest(url: "http://h/a.js", method: "GET", type: "script", failure: "net::ERR_FAILED"),
        FinishedRequest(url: "http://h/a.js", method: "GET", type: "script", status: 200, fault: "f1"),
    ])
    func othersAreKept(_ request: FinishedRequest) {
        let latest = LatestRecords()
        latest.append(record(request))
        #expect(latest.all.count == 1)
    }
}
