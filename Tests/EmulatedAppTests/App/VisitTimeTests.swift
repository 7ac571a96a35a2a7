import BridgeProtocol
import BridgeServer
import TestSupport
import Testing

@testable import EmulatedApp

/// Which visit caused a request.
@MainActor @Suite(.timeLimit(.minutes(4))) struct VisitTimeTests {
    @Test(arguments: [
        ("fetch", 500.0, true), ("fetch", 1_500, false), ("document", 1_500, true), ("fetch", 1e300, false),
        ("fetch", -1, false), ("image", 0, false),
    ])
    func requestBeganInTheVisit(type: String, milliseconds: Double, isCause: Bool) {
        let second: Int64 = 1_000_000
        let visit = VisitTime(
            record: 1, began: Timestamp(microseconds: 10 * second),
            ended: Timestamp(microseconds: 10 * second + second / 2)
        )
        let request = FinishedRequest(url: "http://localhost/", method: "GET", type: type, milliseconds: milliseconds)
        let now = Timestamp(microseconds: 10 * second + second * 4 / 5)
        #expect(visit.caused(request, at: now) == isCause)
    }

    @Test func requestNamesItsVisit() async throws {
        try await withServer { server, address in
            let app = try EmulatedApp(server: server)
            let recorder = Recorder(server)
            let (page, _) = try await PageClient.attachDriven(port: address.port, token: server.token)
            page.tell("request.finished", #"{"url":"http://localhost:3000/","method":"GET","type":"document"}"#)
            let visit = try await recorder.first { if case .app("visit", _) = $0.event { true } else { false } }
            let record = try await recorder.first { $0.event.kind == .request }
            guard case .request(_, visit.record) = record.event else {
                Issue.record("\(record)")
                return
            }
            _ = app
        }
    }
}
