public import BridgeProtocol
import BridgeTraffic

/// The requests that a test expects. A property that is nil matches anything.
public struct ExpectedRequests: Sendable, CustomStringConvertible {
    /// A path, or else a whole URL, with `*` for anything.
    public let url: String
    public internal(set) var method: String?
    public internal(set) var status: Int?
    /// Nil for one or more.
    public internal(set) var count: Int?

    init(url: String) { self.url = url }

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

    func match(_ request: FinishedRequest) -> Bool {
        (method ?? request.method) == request.method && (status ?? request.status) == request.status
            && RequestPattern(url).matches(request.url)
    }
}

/// The requests of the pages, which only a browser that bridged drives reports.
extension BridgedApp {
    /// Waits until so many requests have finished that no earlier call has counted. Fails if there are more, or if
    /// another one comes within half a second.
    ///
    /// ```swift
    /// try await app.tap("#posts")
    /// try await app.expectRequests(to: "/posts", count: 1)
    /// ```
    /// - Parameters:
    ///   - url: a path, or else a whole URL. `*` matches anything. The query counts only if it has one.
    ///   - count: nil for one or more.
    public func expectRequests(
        to url: String, method: String? = nil, status: Int? = nil, count: Int? = nil, within timeout: Duration? = nil
    ) async throws {
        var expected = ExpectedRequests(url: url)
        (expected.method, expected.status, expected.count) = (method, status, count)
        try await expect(expected, within: timeout)
    }

    /// Lets the requests of pages fail, take long or get another response.
    ///
    /// ```swift
    /// try app.fault("/posts", .status(503), times: 1)
    /// ```
    /// - Parameter url: a path, or else a whole URL. `*` matches anything. The query counts only if it has one.
    /// - Returns: the fault's id, for `server.removeFault`.
    @discardableResult
    public func fault(_ url: String, _ kind: Fault.Kind, times: Int? = nil) throws -> String {
        try add(Fault(url: RequestPattern(url), kind: kind, times: times))
    }

    @discardableResult
    func add(_ fault: Fault) throws -> String {
        let expected = "a browser that can have the fault \(fault.kind.name.rawValue) for \(fault.url)"
        guard isDriven else {
            throw failure(
                expected,
                "the script tag cannot change requests: run the test in a browser that bridged drives, \(form.driving)"
            )
        }
        do { return try server.add(fault) } catch { throw failure(expected, error.message) }
    }

    /// How long to wait for requests that should not come.
    private static let quietTime = Duration.milliseconds(500)

    func expect(_ expected: ExpectedRequests, within timeout: Duration?) async throws {
        guard isDriven else {
            throw failure(
                "requests \(expected)",
                "this browser does not report its requests: run the test in one that bridged drives, \(form.driving)"
            )
        }
        let timeout = timeout ?? self.timeout
        let deadline = ContinuousClock.now + timeout
        while matching(expected).count < expected.count ?? 1 {
            guard try await nextRequest(until: deadline) else {
                throw failure("requests \(expected) within \(timeout)", whatCame(insteadOf: expected))
            }
        }
        if let count = expected.count {
            let end = ContinuousClock.now + BridgedApp.quietTime
            while matching(expected).count == count, try await nextRequest(until: end) {}
            guard matching(expected).count == count else {
                throw failure("requests \(expected)", whatCame(insteadOf: expected))
            }
        }
        taken.formUnion(matching(expected).map(\.record))
    }

    private var requests: [(record: Int, request: FinishedRequest)] {
        traffic.compactMap { record in
            if case .request(let request, _) = record.event { (record.record, request) } else { nil }
        }
    }

    private func matching(_ expected: ExpectedRequests) -> [(record: Int, request: FinishedRequest)] {
        requests.filter { !taken.contains($0.record) && expected.match($0.request) }
    }

    /// - Returns: false if no further request finishes in time.
    private func nextRequest(until end: ContinuousClock.Instant) async throws -> Bool {
        let (after, left) = (server.traffic.lastRecord, end - ContinuousClock.now)
        do {
            _ = try await endingOnDialog("a request") { [server] in
                try await server.traffic.next(
                    TrafficFilter([.init(.kind, "request")]), match: nil, after: after, timeout: max(.zero, left))
            }
            return true
        } catch let error as RPCError where error.code == .waitTimedOut {
            return false
        }
    }

    private func whatCame(insteadOf expected: ExpectedRequests) -> String {
        let found = matching(expected)
        let others = requests.filter { request in !found.contains { $0.record == request.record } }
        func list(_ requests: [(record: Int, request: FinishedRequest)]) -> String {
            requests.suffix(5).map { record, request in
                "record \(record) \(request.method) \(request.url) \(request.failure ?? request.status.map(String.init) ?? "")"
            }.joined(separator: ", ")
        }
        let came = found.isEmpty ? "none came" : "\(found.count) came: \(list(found))"
        return others.isEmpty ? came : "\(came); other requests: \(list(others))"
    }

    /// Fails if there is a `problem` record that no earlier call has returned, or one comes within the time. What a page
    /// lacks that has loaded and does not end its visit counts at the end of the time, too.
    /// - Parameter code: that of the problem; nil for any.
    public func expectNoProblem(_ code: String? = nil, for duration: Duration = .milliseconds(500)) async throws {
        let terms = [TrafficFilter.Term(.kind, "problem")] + (code.map { [TrafficFilter.Term(.reason, $0)] } ?? [])
        let name = "problem\(code.map { " \($0)" } ?? "")"
        try await expectNone(TrafficFilter(terms), name, for: duration)
        await app?.findProblems()
        try await expectNone(TrafficFilter(terms), name, for: .zero)
    }
}
