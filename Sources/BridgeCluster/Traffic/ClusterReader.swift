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
        begin()
    }

    /// Finds out where to begin. The stream itself says it, because the key of the latest number may hold anything.
    private func begin() {
        link.send(RedisCommand("XINFO", "STREAM", keys.traffic)) { [weak self] reply in
            guard let self else { return }
            if case .failure(let text) = reply, text.contains("no such key") { return read(after: "0-0") }
            guard !stops(at: reply) else { return }
            guard case .list = reply else {
                isReading = false
                return link.distrust(reply, to: "XINFO")
            }
            let fields = Dictionary(reply.pairs.map { ($0.name, $0.value) }) { first, _ in first }
            let last = EntryID.record(fields["last-generated-id"]?.string ?? "") ?? ClusterLimits.numbers.upperBound
            // A node that is new or was away for long begins with as many of the latest records as its log can have. The
            // stream may have begun anew meanwhile.
            let skipped = (fields["length"]?.number ?? 0) > kept ? last - kept : 0
            read(after: "\(max(skipped, min(traffic.lastRecord, last)))-0")
        }
    }

    private func read(after position: String) {
        let command = RedisCommand(
            "XREAD", "BLOCK", "\(ClusterReader.blockMilliseconds)", "COUNT", "\(ClusterReader.batch)", "STREAMS",
            keys.traffic, keys.inbox(of: node), position, inboxPosition)
        link.send(command) { [weak self] reply in
            guard let self, !stops(at: reply) else { return }
            onRefusal(nil)
            // If nothing comes, the stream may have been deleted, and its numbers may begin below the position.
            guard reply != .none else { return begin() }
            guard let next = takeOver(reply.list, after: position) else {
                isReading = false
                return link.distrust(reply, to: "XREAD")
            }
            read(after: next)
        }
    }

    /// Whether reading must begin again later, because the answer is an error.
    private func stops(at reply: RedisReply) -> Bool {
        switch reply {
        case .lost: isReading = false
        case .failure(let text):
            isReading = false
            onRefusal(text.hasPrefix("WRONGTYPE") ? "\(text) (the key \(keys.traffic))" : text)
            deadlines.schedule(after: .seconds(1)) { [weak self] in self?.linkIsReady() }
        default: return false
        }
        return true
    }

    /// - Returns: the ID of the last entry; nil if there is nothing new, so that reading on would not end.
    private func takeOver(_ streams: [RedisReply], after position: String) -> String? {
        var next: String?
        for stream in streams where stream.list.count == 2 {
            let entries = stream.list[1].list
            if stream.list[0].string == keys.traffic {
                next = takeOver(entries).flatMap { $0 == position ? nil : $0 } ?? next
            } else if handle(entries) {
                next = next ?? position
            }
        }
        return next
    }

    /// Takes over the entries that nodes have written. Somebody else may have written others.
    /// - Returns: the ID of the last entry.
    private func takeOver(_ entries: [RedisReply]) -> String? {
        var last: String?
        for entry in entries {
            guard entry.list.count == 2, let id = entry.list[0].string, id.contains("-") else { continue }
            last = id
            guard let number = EntryID.record(id), let record = StoredRecord(entry: entry.list[1], number) else {
                continue
            }
            traffic.takeOver(record)
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

/// The ID of an entry of a stream, such as `17-0`.
private enum EntryID {
    /// The number of the record; nil if no node counts so far.
    static func record(_ id: String) -> Int? {
        Int(id.prefix { $0 != "-" }).flatMap { ClusterLimits.numbers.contains($0) ? $0 : nil }
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
