public import BridgeProtocol
import BridgeServer
public import BridgeTraffic

/// Reading the traffic, waiting for records, and faults of requests.
extension BridgedApp {
    /// All records that the server keeps.
    public var traffic: [TrafficRecord] {
        server.traffic.query(limit: .max).records.compactMap { TrafficRecord(json: $0.json) }
    }

    /// Returns the earliest message of this type that no earlier call returned, or waits for one. If none comes, the
    /// failure shows the messages of that type that did.
    ///
    /// - Parameter fits: whether this is the message to wait for. Others stay for later calls.
    public func nextMessage<Message: ScriptMessage>(
        _ type: Message.Type, within timeout: Duration? = nil, where fits: (Message) throws -> Bool = { _ in true }
    ) async throws -> Message {
        let filter = TrafficFilter([.init(.kind, "message"), .init(.name, type.name)])
        var others: [StoredRecord] = []
        do {
            return try await next(filter, "a message \(type.name)", within: timeout) { record in
                let message: Message
                do { message = try record.payload.decode(type) } catch {
                    throw failure("a message \(type.name)", "record \(record.number) does not decode: \(error)")
                }
                guard try !fits(message) else {
                    taken.insert(record.number)
                    return message
                }
                others.append(record)
                return nil
            }
        } catch let error as BridgedAppFailure where error.isTimeOut && !others.isEmpty {
            let came = others.suffix(5).map { "record \($0.number) \($0.payload)" }.joined(separator: ", ")
            let expected = "a message \(type.name) that fits within \(timeout ?? self.timeout)"
            throw latestRecords.failure(expected, "these came: \(came)", isTimeOut: true)
        }
    }

    /// Returns the earliest matching record that no earlier call returned, or waits for one.
    ///
    /// - Parameters:
    ///   - match: a subset of the record's value; see `TrafficLog.next`.
    ///   - what: the name of the record in the error message.
    public func nextRecord(
        _ filter: TrafficFilter, match: ScriptValue? = nil, _ what: String? = nil, within timeout: Duration? = nil
    ) async throws -> StoredRecord {
        try await next(filter, match: match, what ?? "a record that matches \(filter)", within: timeout) { record in
            taken.insert(record.number)
            return record
        }
    }

    /// Waits for matching records that no earlier call has taken, until `take` has a value for one.
    func next<Value>(
        _ filter: TrafficFilter, match: ScriptValue? = nil, _ what: String, within timeout: Duration?,
        take: (StoredRecord) throws -> Value?
    ) async throws -> Value {
        let timeout = timeout ?? self.timeout
        let deadline = ContinuousClock.now + timeout
        var after = 0
        while true {
            let left = max(.zero, deadline - ContinuousClock.now)
            let record: StoredRecord
            do {
                record = try await endingOnDialog(what) { [server, after] in
                    try await server.traffic.next(filter, match: match, after: after, timeout: left)
                }
            } catch let error as RPCError where error.code == .waitTimedOut {
                throw latestRecords.failure("\(what) within \(timeout)", "none came", isTimeOut: true)
            }
            after = record.number
            if !taken.contains(after), let value = try take(record) { return value }
        }
    }

    /// Throws if there is a matching record that no earlier call returned, or if one comes within this time.
    public func expectNone(
        _ filter: TrafficFilter, match: ScriptValue? = nil, _ what: String? = nil, for duration: Duration
    ) async throws {
        do {
            let record = try await nextRecord(filter, match: match, within: duration)
            throw failure(
                "no \(what ?? "record that matches \(filter)")",
                "record \(record.number) came: \(TrafficRecord(json: record.json)?.problemText ?? record.text)")
        } catch let failure as BridgedAppFailure where failure.isTimeOut {
            return
        }
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

    // MARK: Requests, which only a browser that bridged drives reports

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
        let expected = ExpectedRequests(url: url, method: method, status: status, count: count)
        try await expected.check(in: self, within: timeout)
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
        try add(Fault(url: URLPattern(url), kind: kind, times: times))
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

    /// Makes an error with the latest traffic.
    public func failure(_ expected: String, _ found: String) -> BridgedAppFailure {
        latestRecords.failure(expected, found)
    }
}

extension TrafficRecord {
    /// What a problem says, without its place in the traffic; nil if the record is another one.
    var problemText: String? {
        guard case .problem(let code, let text, let hint, _, _) = event else { return nil }
        return "\(code): \(text)\(hint.map { " \($0)" } ?? "")"
    }
}
