package import BridgeServer
package import BridgeTraffic
import Logging

/// What a node has in the cluster's Redis: it writes the node's records and the states of its pages, claims pages, and
/// reads the traffic of all nodes. It knows nothing about sockets, so that the simulation can use it. On the main actor.
///
/// Two connections lead to Redis: one for commands, and one that waits for the traffic and for calls of other nodes.
@MainActor package final class NodeStore {
    let address: RedisAddress
    let node: String
    let keys: Keys
    /// The records of all nodes, as far as they have been read.
    package let traffic: TrafficLog
    /// The node's own records.
    private let own: TrafficLog
    private let documents: Documents
    private let gate: Gate
    private let deadlines: Deadlines
    let link: RedisLink
    let reader: ClusterReader
    private let readerLink: RedisLink
    let commits: CommitLog
    private let claims: PageClaims
    /// Why Redis cannot be used; nil if it can.
    private(set) var failure: String? = "it has not been reached yet"
    /// How often Redis could not be used.
    private(set) var failures = 0
    private var hasWarned = false
    /// The kinds of commands that Redis refuses now.
    private var refused: Set<String> = []
    /// Called when Redis can be used, before records and the states of pages are written.
    var onReady: @MainActor () -> Void = {}

    /// - Parameters:
    ///   - isDurable: whether pages may go on with other nodes without loss. Then they wait for Redis.
    ///   - limits: those of the server.
    ///   - own: the node's own records.
    ///   - connect: opens a connection.
    package init(
        _ address: RedisAddress, node: String, isDurable: Bool, _ limits: BridgeServer.Configuration.Limits,
        _ own: TrafficLog, _ documents: Documents, _ gate: Gate, _ deadlines: Deadlines,
        connect: @escaping RedisLink.Connect
    ) throws {
        (self.address, self.node, self.own) = (address, node, own)
        (self.documents, self.gate, self.deadlines) = (documents, gate, deadlines)
        keys = Keys(cluster: address.name)
        link = RedisLink(address, deadlines, connect)
        readerLink = RedisLink(address, deadlines, connect)
        traffic = try TrafficLog(path: nil, kept: limits.kept, logger: Logger(label: "cluster"), clock: own.clock)
        reader = ClusterReader(readerLink, keys, node: node, traffic: traffic, kept: limits.records, deadlines)
        commits = own.keep { [link, keys] record, context in
            CommitLog(link, keys, node: node, isDurable: isDurable, after: record, context)
        }
        claims = PageClaims(link, keys, node: node, deadlines)
        if isDurable { gate.keeper = self }
        connectParts()
    }

    private func connectParts() {
        link.onReady = { [weak self] in self?.linkIsReady($0) }
        link.onFailure = { [weak self] in self?.linkFailed($0, isNew: $1) }
        link.onRecovery = { [weak self] in self?.linkRecovered() }
        link.onRoundEnd = { [weak self] in self?.commits.roundEnds() }
        readerLink.onReady = { [weak self] _ in self?.reader.linkIsReady() }
        commits.lastKnown = { [weak self] in self?.traffic.lastRecord ?? 0 }
        commits.onConfirmed = { [weak self] in self?.gate.openForConfirmed() }
        commits.onLost = { [weak self] in self?.lost($0) }
        commits.onForgotten = { [weak self] in self?.redisForgot($0) }
        commits.onRefusal = { [weak self] in self?.redisRefuses("records", $0) }
        claims.onRefusal = { [weak self] in self?.redisRefuses("the states of pages", $0) }
        reader.onRefusal = { [weak self] in self?.redisRefuses("to give the traffic", $0) }
    }

    /// How many records Redis has not confirmed.
    package var waitingCount: Int { commits.waitingCount }

    /// Prevents Redis from forgetting pages that do nothing.
    private func touchPages() {
        for document in documents.documents {
            link.send(RedisCommand("EXPIRE", keys.pageState + document, "\(ClusterLimits.pageSeconds)"))
        }
        deadlines.schedule(after: .seconds(ClusterLimits.pageSeconds / 4)) { [weak self] in self?.touchPages() }
    }

    package func start() {
        link.connect()
        readerLink.connect()
        if commits.isDurable { touchPages() }
    }

    /// Writes what waits, after the server has stopped.
    package func stop() {
        commits.finish(before: .now + .seconds(2))
        link.close()
        readerLink.close()
    }

    // MARK: Pages

    /// Ends the pages that other daemons own now, and takes back what this daemon's log has of them: the other daemons
    /// handle the same messages.
    private func lost(_ parts: [LeftOut]) {
        documents.lost(parts.map { ($0.page.document, $0.page.epoch) })
        for part in parts {
            guard let first = part.messages.first else { continue }
            own.problem(
                .clusterTookOver,
                "The messages of \(part.page.page) with the \(NodeStore.list(part.messages)) count for nothing: another "
                    + "node has taken the page over, and they are not in the cluster's traffic.",
                hint: "The page has sent them to the other node, whose log has them.", about: first)
        }
        own.flush()
    }

    /// `record 3` or `records 3, 5-8`.
    private static func list(_ numbers: [Int]) -> String {
        var ranges: [ClosedRange<Int>] = []
        for number in numbers {
            if let last = ranges.last, last.upperBound == number - 1 {
                ranges[ranges.count - 1] = last.lowerBound...number
            } else {
                ranges.append(number...number)
            }
        }
        let texts = ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
        return "record\(numbers.count == 1 ? "" : "s") \(texts.joined(separator: ", "))"
    }

    /// Writes the whole states of pages that Redis does not have any more.
    /// - Parameter documents: nil for all, because Redis has also lost records.
    private func redisForgot(_ documents: [String]?) {
        own.problem(
            .clusterForgot,
            documents.map { "The cluster's Redis at \(address) has lost the states of \($0.count) pages." }
                ?? "The cluster's Redis at \(address) has lost records that it had confirmed.",
            hint: "This node writes the states of its pages again. Start Redis with --appendonly yes.")
        self.documents.noteAll(documents)
    }

    // MARK: Redis

    private func linkIsReady(_ info: RedisInfo) {
        failure = nil
        warn(info)
        onReady()
        commits.linkIsReady()
        claims.linkIsReady()
    }

    private func linkFailed(_ reason: String, isNew: Bool) {
        failure = reason
        guard isNew else { return }
        failures += 1
        let promise =
            commits.isDurable
            ? "Pages get replies, scripts and acknowledgements when it can be used again. One that may have been with "
                + "another node is sent away meanwhile, and tries again."
            : "This node goes on with its own pages; tools see no others until it can be used again."
        let hint = [RedisRemedy.text(for: reason), promise].compactMap(\.self).joined(separator: " ")
        own.problem(.clusterUnreachable, "The cluster's Redis at \(address) cannot be used: \(reason).", hint: hint)
        own.flush()
    }

    private func linkRecovered() {
        own.problem(
            .clusterReachable, "The cluster's Redis at \(address) can be used again.",
            hint: "The records that waited are written.")
        own.flush()
    }

    /// - Parameter error: the error of Redis; nil when it accepts these commands again.
    func redisRefuses(_ what: String, _ error: String?) {
        let refusedBefore = refused
        guard let error else {
            guard refused.remove(what) != nil, refused.isEmpty else { return }
            own.problem(
                .clusterReachable, "The cluster's Redis at \(address) refuses nothing any more.",
                hint: "The records that waited are written.")
            return own.flush()
        }
        refused.insert(what)
        // Only the first refusal is logged. The others have the same cause.
        guard refusedBefore.isEmpty else { return }
        own.problem(
            .clusterRefused, "The cluster's Redis at \(address) refuses \(what): \(error)",
            hint: "\(RedisRemedy.text(for: error) ?? "Look at its log.") This node tries again each second.")
        own.flush()
    }

    private func warn(_ info: RedisInfo) {
        guard !hasWarned else { return }
        hasWarned = true
        if commits.isDurable, !info.keepsCommands {
            own.problem(
                .clusterNotDurable, "The cluster's Redis at \(address) forgets everything when it is restarted.",
                hint:
                    "Start it with --appendonly yes --appendfsync always. Otherwise --cluster-durable promises nothing "
                    + "if Redis fails.")
        }
        if info.evictionPolicy != "noeviction" {
            own.problem(
                .clusterEvicts,
                "The cluster's Redis at \(address) deletes keys when its memory is full (\(info.evictionPolicy)).",
                hint: "Set maxmemory-policy noeviction: pages and traffic of the cluster must not disappear.")
        }
    }
}

extension NodeStore: PageKeeper {
    package var confirmedRecord: Int { commits.confirmed }

    package func note(_ change: PageChange, of page: KeptPage) { commits.note(change, of: page) }

    package func claim(
        _ document: String, epoch: Int?, origin: String?, within limit: Duration,
        _ answer: @escaping @MainActor (PageClaim) -> Void
    ) {
        claims.claim(document, epoch: epoch, origin: origin, within: limit, answer)
    }
}

extension ProblemCode {
    static let clusterEvicts = Self("clusterEvicts", page: "scale.md#durable")
    static let clusterForgot = Self("clusterForgot", page: "scale.md#if-redis-fails")
    static let clusterNotDurable = Self("clusterNotDurable", page: "scale.md#durable")
    static let clusterReachable = Self("clusterReachable", page: "scale.md#if-redis-fails")
    static let clusterRefused = Self("clusterRefused", page: "scale.md#if-redis-fails")
    static let clusterTookOver = Self("clusterTookOver", page: "scale.md#durable")
    static let clusterUnreachable = Self("clusterUnreachable", page: "scale.md#if-redis-fails")
}
