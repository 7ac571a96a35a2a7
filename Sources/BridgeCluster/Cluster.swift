import BridgeProtocol
public import BridgeServer
package import BridgeTraffic
import Logging

/// Makes a server a node of a cluster: daemons that find each other's pages and traffic with the help of a Redis.
///
/// Two connections lead to Redis: one for commands, and one that waits for the traffic and for calls of other nodes. If
/// Redis cannot be reached, the node goes on with its own pages, and catches up later. On the main actor.
@MainActor public final class Cluster {
    /// The name of this node.
    public let node: String
    let address: RedisAddress
    package let traffic: TrafficLog
    let server: BridgeServer
    let registry: NodeRegistry
    let calls: NodeCalls
    let commits: CommitLog
    let link: RedisLink
    private let readerLink: RedisLink
    private let reader: ClusterReader
    private let keys: Keys
    private let claims: PageClaims
    /// Why Redis cannot be used; nil if it can.
    private(set) var failure: String? = "it has not been reached yet"
    /// How often Redis could not be used.
    private(set) var failures = 0
    private var hasWarned = false
    /// The kinds of commands that Redis refuses now.
    private var refused: Set<String> = []

    /// - Parameter isDurable: whether pages may go on with other nodes without loss. Then they wait for Redis.
    public init(_ address: RedisAddress, isDurable: Bool, _ server: BridgeServer) throws {
        self.address = address
        self.server = server
        node = NodeName.random()
        keys = Keys(cluster: address.name)
        link = RedisLink(address, server, server.deadlines)
        readerLink = RedisLink(address, server, server.deadlines)
        traffic = try TrafficLog(path: nil, kept: server.configuration.limits.kept, logger: Logger(label: "cluster"))
        registry = NodeRegistry(link, keys, node: node, server, server.deadlines)
        calls = NodeCalls(link, keys, node: node, server, server.deadlines)
        reader = ClusterReader(
            readerLink, keys, node: node, traffic: traffic, kept: server.configuration.limits.records, server.deadlines)
        commits = server.traffic.keep { [link, keys, node] record, context in
            CommitLog(link, keys, node: node, isDurable: isDurable, after: record, context)
        }
        claims = PageClaims(link, keys, node: node, server.deadlines)
        server.join(self)
        if isDurable { server.parts.gate.keeper = self }
        connectParts()
    }

    private func connectParts() {
        link.onReady = { [weak self] in self?.linkIsReady($0) }
        link.onFailure = { [weak self] in self?.linkFailed($0, isNew: $1) }
        link.onRecovery = { [weak self] in self?.linkRecovered() }
        link.onRoundEnd = { [weak self] in self?.commits.roundEnds() }
        readerLink.onReady = { [weak self] _ in self?.reader.linkIsReady() }
        registry.onGone = { [weak self] in self?.calls.lost($0) }
        reader.onInbox = { [weak self] in self?.calls.received($0) }
        reader.onHandled = { [weak self] ids in self?.forget(ids) }
        commits.lastKnown = { [weak self] in self?.traffic.lastRecord ?? 0 }
        commits.onConfirmed = { [weak self] in self?.server.parts.gate.openForConfirmed() }
        commits.onLost = { [weak self] in self?.server.parts.documents.lost($0) }
        commits.onForgotten = { [weak self] in self?.redisForgot() }
        commits.onRefusal = { [weak self] in self?.redisRefuses("records", $0) }
        claims.onRefusal = { [weak self] in self?.redisRefuses("the states of pages", $0) }
        registry.onRefusal = { [weak self] in self?.redisRefuses("heartbeats", $0) }
        reader.onRefusal = { [weak self] in self?.redisRefuses("to give the traffic", $0) }
    }

    /// Prevents Redis from forgetting pages that do nothing.
    private func touchPages() {
        for document in server.parts.documents.documents {
            link.send(RedisCommand("EXPIRE", keys.pageState + document, "\(ClusterLimits.pageSeconds)"))
        }
        server.deadlines.schedule(after: .seconds(ClusterLimits.pageSeconds / 4)) { [weak self] in self?.touchPages() }
    }

    /// Connects. The server must listen on the main thread.
    public func start() {
        link.connect()
        readerLink.connect()
        if commits.isDurable { touchPages() }
    }

    /// Tells the other nodes that this one leaves. The pages that it closes may go on with them.
    public func leave() { registry.leave() }

    /// Writes what waits, after the server has stopped.
    public func stop() {
        commits.finish(before: .now + .seconds(2))
        link.close()
        readerLink.close()
    }

    private func forget(_ ids: [String]) {
        guard !ids.isEmpty else { return }
        var command = RedisCommand("XDEL", keys.inbox(of: node))
        for id in ids { command.add(id) }
        link.send(command)
    }

    // MARK: Redis

    private func linkIsReady(_ info: RedisInfo) {
        failure = nil
        warn(info)
        registry.linkIsReady()
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
        server.traffic.problem(
            .clusterUnreachable, "The cluster's Redis at \(address) cannot be used: \(reason).", hint: hint)
        server.traffic.flush()
    }

    private func linkRecovered() {
        server.traffic.problem(
            .clusterReachable, "The cluster's Redis at \(address) can be used again.",
            hint: "The records that waited are written.")
        server.traffic.flush()
    }

    /// - Parameter error: the error of Redis; nil when it accepts these commands again.
    private func redisRefuses(_ what: String, _ error: String?) {
        let refusedBefore = refused
        guard let error else {
            guard refused.remove(what) != nil, refused.isEmpty else { return }
            server.traffic.problem(
                .clusterReachable, "The cluster's Redis at \(address) refuses nothing any more.",
                hint: "The records that waited are written.")
            return server.traffic.flush()
        }
        refused.insert(what)
        // Only the first refusal is logged. The others have the same cause.
        guard refusedBefore.isEmpty else { return }
        server.traffic.problem(
            .clusterRefused, "The cluster's Redis at \(address) refuses \(what): \(error)",
            hint: "\(RedisRemedy.text(for: error) ?? "Look at its log.") This node tries again each second.")
        server.traffic.flush()
    }

    private func redisForgot() {
        server.traffic.problem(
            .clusterForgot, "The cluster's Redis at \(address) has lost records that it had confirmed.",
            hint: "This node writes the states of its pages again. Start Redis with --appendonly yes.")
        server.parts.documents.noteAll()
    }

    private func warn(_ info: RedisInfo) {
        guard !hasWarned else { return }
        hasWarned = true
        if commits.isDurable, !info.keepsCommands {
            server.traffic.problem(
                .clusterNotDurable, "The cluster's Redis at \(address) forgets everything when it is restarted.",
                hint:
                    "Start it with --appendonly yes --appendfsync always. Otherwise --cluster-durable promises nothing "
                    + "if Redis fails.")
        }
        if info.evictionPolicy != "noeviction" {
            server.traffic.problem(
                .clusterEvicts,
                "The cluster's Redis at \(address) deletes keys when its memory is full (\(info.evictionPolicy)).",
                hint: "Set maxmemory-policy noeviction: pages and traffic of the cluster must not disappear.")
        }
    }
}

extension Cluster: PageKeeper {
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
    static let clusterUnreachable = Self("clusterUnreachable", page: "scale.md#if-redis-fails")
}
