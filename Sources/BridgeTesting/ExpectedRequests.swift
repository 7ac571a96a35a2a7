import BridgeProtocol
import BridgeTraffic

/// The requests that a test expects. A property that is nil matches anything.
public struct ExpectedRequests: Sendable, CustomStringConvertible {
    /// A path, or else a whole URL, with `*` for anything.
    public let url: String
    public let method: String?
    public let status: Int?
    /// Nil for one or more.
    public let count: Int?

    public var description: String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("url", url)
            writer.member("method", ifPresent: method)
            writer.member("status", ifPresent: status)
            writer.member("count", ifPresent: count)
        }
        return writer.text
    }

    private func match(_ request: FinishedRequest) -> Bool {
        (method?.uppercased() ?? request.method) == request.method && (status ?? request.status) == request.status
            && URLPattern(url).matches(request.url)
    }
}

@MainActor extension ExpectedRequests {
    private typealias Found = (record: Int, request: FinishedRequest)

    /// How long to wait for requests that should not come, unless the test says it.
    private static let quietTime = Duration.milliseconds(500)

    /// Waits until so many requests have finished that no earlier expectation has counted.
    /// - Parameter limit: how long to wait for them; if none is expected, how long none may come.
    func check(in app: BridgedApp, within limit: Duration?) async throws {
        guard app.isDriven else {
            throw app.failure(
                "requests \(self)",
                "this browser does not report its requests: run the test in one that bridged drives, \(app.form.driving)"
            )
        }
        let timeout = limit ?? app.timeout
        let deadline = ContinuousClock.now + timeout
        while matching(in: app).count < count ?? 1 {
            guard try await nextRequest(in: app, until: deadline) else {
                throw app.failure("requests \(self) within \(timeout)", whatCame(in: app))
            }
        }
        if let count {
            let quietTime = count == 0 ? limit ?? ExpectedRequests.quietTime : ExpectedRequests.quietTime
            let end = ContinuousClock.now + quietTime
            while matching(in: app).count == count, try await nextRequest(in: app, until: end) {}
            guard matching(in: app).count == count else { throw app.failure("requests \(self)", whatCame(in: app)) }
        }
        app.taken.formUnion(matching(in: app).map(\.record))
    }

    private func requests(in app: BridgedApp) -> [Found] {
        app.traffic.compactMap { record in
            if case .request(let request, _) = record.event { (record.record, request) } else { nil }
        }
    }

    private func matching(in app: BridgedApp) -> [Found] {
        requests(in: app).filter { !app.taken.contains($0.record) && match($0.request) }
    }

    /// - Returns: false if no further request finishes in time.
    private func nextRequest(in app: BridgedApp, until end: ContinuousClock.Instant) async throws -> Bool {
        let (after, left) = (app.server.traffic.lastRecord, end - ContinuousClock.now)
        do {
            _ = try await app.endingOnDialog("a request") { [server = app.server] in
                try await server.traffic.next(
                    TrafficFilter([.init(.kind, "request")]), match: nil, after: after, timeout: max(.zero, left))
            }
            return true
        } catch let error as RPCError where error.code == .waitTimedOut {
            return false
        }
    }

    private func whatCame(in app: BridgedApp) -> String {
        let found = matching(in: app)
        let others = requests(in: app).filter { request in !found.contains { $0.record == request.record } }
        func list(_ requests: [Found]) -> String {
            requests.suffix(5).map { record, request in
                "record \(record) \(request.method) \(request.url) \(request.failure ?? request.status.map(String.init) ?? "")"
            }.joined(separator: ", ")
        }
        let came = found.isEmpty ? "none came" : "\(found.count) came: \(list(found))"
        return others.isEmpty ? came : "\(came); other requests: \(list(others))"
    }
}
