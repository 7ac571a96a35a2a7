import BridgeProtocol
import BridgeServer
import BridgeTraffic

/// When a visit began and ended, and the number of its record.
struct VisitTime {
    let record: Int
    let began: Timestamp
    var ended: Timestamp?

    /// Whether the visit caused a request that has just finished.
    func caused(_ request: FinishedRequest, at now: Timestamp) -> Bool {
        let milliseconds = min(max(0, request.milliseconds ?? 0), 86_400_000)
        let requested = now.microseconds - Int64(milliseconds * 1_000)
        // A visit may adopt a load that the browser began before the visit.
        guard requested >= began.microseconds || request.type == "document" else { return false }
        return ended.map { requested <= $0.microseconds } ?? true
    }
}

/// Finds the visit that caused a request of a driven page.
extension EmulatedApp {
    func nameVisitsOfRequests(in views: TabViews) {
        for name in views.sessions.values.map(\.webView.bridgedName) {
            server.scope(for: name)?.visitOfRequest = { [weak self] request, page in
                guard let self, page.webView == name, let visit = visitTimes[name] else { return nil }
                return visit.caused(request, at: server.traffic.clock.timestamp) ? visit.record : nil
            }
        }
    }

    func beginVisit(_ record: Int, _ session: Session) {
        visitTimes[session.webView.bridgedName] = VisitTime(record: record, began: server.traffic.clock.timestamp)
    }

    func endVisit(_ session: Session) {
        visitTimes[session.webView.bridgedName]?.ended = server.traffic.clock.timestamp
    }
}
