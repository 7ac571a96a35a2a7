import BridgeProtocol
import BridgeServer
import BridgeTraffic

/// Reads the traffic of all nodes and the inbox of this one, with a connection that does nothing else. On the main
/// actor.
@MainActor final class ClusterReader {
    private static let batch = 512
    private static let blockMilliseconds = 2_000

    private let node: String
    private let keys: Keys
    private let link: RedisLink
    private let traffic: TrafficLog
    private let deadlines: Deadlines
    private let kept: Int
    /// The ID of the last entry of the inbox.
    private var inboxPosition = "0"
    private var isReading = false
    /// Called with each entry of the inbox.
    var onInbox: @MainActor (RedisReply) -> Void = { _ in }
    /// Called with the IDs of entries that have been handled.
    var onHandled: @MainActor ([String]) -> Void = { _ in }
    /// Called with an error of Redis; nil when it gives the traffic again.
    var onRefusal: @MainActor (String?) -> Void = { _ in }

    /// - Parameters:
    ///   - traffic: gets the records, with their numbers in the cluster.
    ///   - kept: how many of the latest records the traffic log has.
    init(
        _ link: RedisLink, _ keys: Keys, node: String, traffic: TrafficLog, kept: Int, _ deadlines: Deadlines
    ) {
        self.link = link
        self.keys = keys
        self.node = node
        self.traffic = traffic
        self.kept = kept
        self.deadlines = deadlines
    }

    func linkIsReady() {
        guard !isReading else { return }
        isReading = true
        // A node that is new or was away for long begins with as many of the latest records as its log can have.
        link.send(RedisCommand("GET", keys.count)) { [weak self] reply in
            guard let self, !stops(at: reply) else { return }
            let last = min(max(0, reply.number ?? 0), ClusterLimits.numbers.upperBound)
            read(after: max(last - kept, min(traffic.lastRecord, last)))
        }
    }

    private func read(after record: Int) {
        let command = RedisCommand(
            "XREAD", "BLOCK", "\(ClusterReader.blockMilliseconds)", "COUNT", "\(ClusterReader.batch)", "STREAMS",
            keys.traffic, keys.inbox(of: node), "\(record)-0", inboxPosition)
        link.send(command) { [weak self] reply in
            guard let self, !stops(at: reply) else { return }
            onRefusal(nil)
            guard let position = reply == .none ? record : takeOver(reply.list, after: record) else {
                isReading = false
                return link.distrust(reply, to: "XREAD")
            }
            read(after: position)
        }
    }

    /// Whether reading must begin again later, because the answer is an error.
    private func stops(at reply: RedisReply) -> Bool {
        switch reply {
        case .lost: isReading = false
        case .failure(let text):
            isReading = false
            onRefusal(text)
            deadlines.schedule(after: .seconds(1)) { [weak self] in self?.linkIsReady() }
        default: return false
        }
        return true
    }

    /// - Returns: the number of the last record; nil if there is nothing new, so that reading on would not end.
    private func takeOver(_ streams: [RedisReply], after record: Int) -> Int? {
        var position: Int?
        for stream in streams where stream.list.count == 2 {
            let entries = stream.list[1].list
            if stream.list[0].string == keys.traffic {
                position = takeOver(entries).flatMap { $0 > record ? $0 : nil } ?? position
            } else if handle(entries) {
                position = position ?? record
            }
        }
        return position
    }

    /// - Returns: the number of the last record.
    private func takeOver(_ entries: [RedisReply]) -> Int? {
        var last: Int?
        for entry in entries {
            guard entry.list.count == 2, let number = Int(entry.list[0].string?.prefix { $0 != "-" } ?? ""),
                ClusterLimits.numbers.contains(number)
            else { continue }
            last = number
            if let record = StoredRecord(entry: entry.list[1], number) { traffic.takeOver(record) }
        }
        return last
    }

    /// - Returns: whether there were any.
    private func handle(_ entries: [RedisReply]) -> Bool {
        var ids: [String] = []
        for entry in entries where entry.list.count == 2 {
            guard let id = entry.list[0].string else { continue }
            ids.append(id)
            inboxPosition = id
            onInbox(entry.list[1])
        }
        onHandled(ids)
        return !ids.isEmpty
    }
}

extension StoredRecord {
    /// Makes the cluster's record of a node's: with a number of the cluster, and the node and its own number besides.
    fileprivate convenience init?(entry: RedisReply, _ number: Int) {
        var fields: [String: RedisReply] = [:]
        for (name, value) in entry.pairs { fields[name] = value }
        guard let node = fields["node"]?.string, let record = fields["record"]?.number, let line = fields["line"]?.bytes
        else { return nil }
        // Every record's line begins with its number.
        guard let comma = line.firstIndex(of: UInt8(ascii: ",")) else { return nil }
        let start = "{\"record\":\(number),\"node\":\"\(node)\",\"nodeRecord\":\(record)"
        self.init(line: Array(start.utf8) + line[comma...])
    }
}
