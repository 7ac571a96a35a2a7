import BridgeClient
import BridgeProtocol
import BridgeTraffic

/// The records of a device's pages since a flow began. Only the thread of the flow uses it.
final class DeviceTraffic {
    private let daemon: DaemonClient
    private let device: FlowDevice
    /// When the daemon was started. Another run of it knows nothing of the flow.
    private let startedAt: String
    /// The number of the last record before the flow.
    private let start: Int
    private var pages: Set<String> = []
    /// Those that the device had before the flow.
    private var pagesBefore: Set<String> = []
    /// The last record in which a page of the device was looked for.
    private var lookedThrough = 0
    /// The messages that steps have counted.
    var taken: Set<Int> = []

    init(_ daemon: DaemonClient, _ device: FlowDevice) throws(ClientError) {
        (self.daemon, self.device) = (daemon, device)
        let info = try daemon.call("daemon.info", expecting: ["startedAt", "counters"])
        startedAt = info["startedAt"]?.string ?? ""
        start = info["counters"]?["records"]?.wholeNumber ?? 0
        lookedThrough = start
        for page in try daemon.call("pages.list", expecting: ["pages"])["pages"]?.elements ?? []
        where page["deviceId"]?.string == device.id {
            if let page = page["page"]?.string { pages.insert(page) }
        }
        pagesBefore = pages
    }

    /// The number of the latest record of the daemon.
    func lastRecord() throws(ClientError) -> Int {
        try daemon.call("daemon.info")["counters"]?["records"]?.wholeNumber ?? start
    }

    /// Why the daemon cannot go on with the flow; nil if it can.
    func whyOver() -> String? {
        let startedAgain = "the daemon was started again in the middle of the flow"
        do {
            return try daemon.call("daemon.info")["startedAt"]?.string == startedAt ? nil : startedAgain
        } catch {
            if case .wrongToken = error { return startedAgain }
            return "the daemon has gone in the middle of the flow: \(error)"
        }
    }

    private func isOfDevice(_ record: JSON) throws(ClientError) -> Bool {
        guard let page = record["page"]?.string else { return false }
        if !pages.contains(page), record["record"]?.wholeNumber ?? 0 > lookedThrough {
            // The device may have another document now.
            let (found, next) = try records("kind:page", after: lookedThrough)
            lookedThrough = next
            for record in found where record["deviceId"]?.string == device.id {
                if let page = record["page"]?.string { pages.insert(page) }
            }
        }
        return pages.contains(page)
    }

    /// - Returns: the records, and the number of the last record that was looked at.
    private func records(_ filter: String?, after: Int) throws(ClientError) -> (found: [JSON], next: Int) {
        var (found, after): ([JSON], Int) = ([], after)
        while true {
            let answer = try daemon.call(
                "traffic.query",
                [.init("after", .number(Double(after))), .init("limit", 1_000)]
                    + (filter.map { [.init("filter", .string($0))] } ?? []))
            found += answer["records"]?.elements ?? []
            let next = answer["next"]?.wholeNumber ?? after
            guard answer["more"]?.bool == true, next > after else { return (found, max(next, after)) }
            after = next
        }
    }

    private func ofDevice(_ filter: String?, after: Int) throws(ClientError) -> [JSON] {
        var found: [JSON] = []
        for record in try records(filter, after: max(start, after)).found where try isOfDevice(record) {
            found.append(record)
        }
        return found
    }

    /// All records of the device since the flow began.
    /// - Parameter opensPage: whether the flow begins in a document of its own, so that those before it do not belong to it.
    func all(opensPage: Bool) throws(ClientError) -> [JSON] {
        let records = try ofDevice(nil, after: start)
        guard opensPage else { return records }
        return records.filter { !pagesBefore.contains($0["page"]?.string ?? "") }
    }

    /// Records of one kind.
    func all(_ kind: TrafficRecord.Kind, after: Int = 0) throws(ClientError) -> [JSON] {
        try ofDevice("kind:\(kind.rawValue)", after: after)
    }

    /// The latest records, as failures show them. Scripts mostly are those of the flow.
    func latest() -> [TrafficRecord] {
        let found = try? ofDevice("-kind:evaluate -kind:callAsync -kind:result", after: lastRecord() - 500)
        return (found ?? []).suffix(10).compactMap { TrafficRecord(json: $0) }
    }

    /// - Returns: nil if no record comes in time.
    private func wait(
        for params: [JSONValue.Member], after: Int, within timeout: Duration
    ) throws(ClientError) -> JSON? {
        let others = [
            JSONValue.Member("after", .number(Double(after))),
            JSONValue.Member("timeoutMs", .number((timeout / .milliseconds(1)).rounded())),
        ]
        do {
            return try daemon.call("messages.wait", params + others)
        } catch {
            if case .error(let error) = error, error.code == .waitTimedOut { return nil }
            throw error
        }
    }

    /// Waits for a record that no step has counted.
    /// - Parameters:
    ///   - params: of `messages.wait`.
    ///   - onPause: is called each second, and may throw.
    ///   - take: says whether it is the record.
    /// - Returns: false if the time is over.
    func next(
        _ params: [JSONValue.Member], before deadline: ContinuousClock.Instant, onPause: () throws -> Void,
        where take: (JSON) throws -> Bool
    ) throws -> Bool {
        var after = start
        while true {
            let left = min(.seconds(1), max(.zero, deadline - .now))
            guard let record = try wait(for: params, after: after, within: left) else {
                guard ContinuousClock.now < deadline else { return false }
                try onPause()
                continue
            }
            after = record["record"]?.wholeNumber ?? after + 1
            if try isOfDevice(record), try take(record) { return true }
        }
    }
}
