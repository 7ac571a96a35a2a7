public import BridgeProtocol
public import BridgeTraffic

/// Reading the traffic, and waiting for records.
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
        let timeout = timeout ?? self.timeout
        let deadline = ContinuousClock.now + timeout
        var others: [StoredRecord] = []
        var after = 0
        while true {
            let left = max(.zero, deadline - ContinuousClock.now)
            let record: StoredRecord
            do {
                record = try await endingOnDialog("a message \(type.name)") { [after, server] in
                    try await server.traffic.next(filter, match: nil, after: after, timeout: left)
                }
            } catch let error as RPCError where error.code == .waitTimedOut {
                throw missing(type.name, within: timeout, others)
            }
            after = record.number
            guard !taken.contains(record.number) else { continue }
            let message: Message
            do { message = try record.payload.decode(type) } catch {
                throw failure("a message \(type.name)", "record \(record.number) does not decode: \(error)")
            }
            guard try !fits(message) else {
                taken.insert(record.number)
                return message
            }
            others.append(record)
        }
    }

    private func missing(_ name: String, within timeout: Duration, _ others: [StoredRecord]) -> BridgedAppFailure {
        guard !others.isEmpty else {
            return failure("a message \(name) within \(timeout)", "none came", isTimeOut: true)
        }
        let came = others.suffix(5).map { "record \($0.number) \($0.payload)" }.joined(separator: ", ")
        return failure("a message \(name) that fits within \(timeout)", "these came: \(came)", isTimeOut: true)
    }

    /// Returns the earliest matching record that no earlier call returned, or waits for one.
    ///
    /// - Parameters:
    ///   - match: a subset of the record's value; see `TrafficLog.next`.
    ///   - what: the name of the record in the error message.
    public func nextRecord(
        _ filter: TrafficFilter, match: ScriptValue? = nil, _ what: String? = nil, within timeout: Duration? = nil
    ) async throws -> StoredRecord {
        let timeout = timeout ?? self.timeout
        let deadline = ContinuousClock.now + timeout
        var after = 0
        while true {
            let left = max(.zero, deadline - ContinuousClock.now)
            let record = try await wait(what ?? "a record that matches \(filter)", within: timeout) { [server, after] in
                try await server.traffic.next(filter, match: match, after: after, timeout: left)
            }
            if taken.insert(record.number).inserted { return record }
            after = record.number
        }
    }

    /// Throws if there is a matching record that no earlier call returned, or if one comes within this time.
    public func expectNone(
        _ filter: TrafficFilter, match: ScriptValue? = nil, _ what: String? = nil, for duration: Duration
    ) async throws {
        do {
            let record = try await nextRecord(filter, match: match, within: duration)
            throw failure(
                "no \(what ?? "record that matches \(filter)")", "record \(record.number) came: \(record.text)")
        } catch let failure as BridgedAppFailure where failure.isTimeOut {
            return
        }
    }

    /// Runs `body`, which waits for a record. If its time is over, throws a failure that names `what`.
    func wait<Value: Sendable>(
        _ what: String, within timeout: Duration, _ body: @escaping @MainActor () async throws -> Value
    ) async throws -> Value {
        do { return try await endingOnDialog(what, body) } catch let error as RPCError where error.code == .waitTimedOut
        {
            throw failure("\(what) within \(timeout)", "none came", isTimeOut: true)
        }
    }

    /// Makes an error with the latest traffic.
    public func failure(_ expected: String, _ found: String) -> BridgedAppFailure {
        failure(expected, found, isTimeOut: false)
    }

    func failure(_ expected: String, _ found: String, isTimeOut: Bool) -> BridgedAppFailure {
        BridgedAppFailure(expected: expected, found: found, records: latestRecords.all, isTimeOut: isTimeOut)
    }
}
