import BridgeProtocol
import BridgeServer
import BridgeTraffic

/// Tells the cluster that this node is alive and what pages it has, and knows the same of the other nodes. On the main
/// actor.
@MainActor final class NodeRegistry {
    /// A node as the latest answer of Redis describes it.
    struct Node: Sendable {
        let name: String
        let info: JSONValue
        /// The pages, as `pages.list` describes them, oldest first.
        let pages: [JSONValue]
    }

    private let node: String
    private let keys: Keys
    private let link: RedisLink
    private let server: BridgeServer
    private let deadlines: Deadlines
    private let beatScript = RedisScript(NodeScripts.beat)
    private let listScript = RedisScript(NodeScripts.list)
    /// Tells this daemon from another one that has the same name.
    private let instance = String(UInt64.random(in: 0 ... .max), radix: 36)
    private var nextBeat: Deadlines.Token?
    /// The nodes that were alive at the latest heartbeat.
    private(set) var alive: Set<String> = []
    /// Until then nodes may be silent, because Redis was gone for all of them.
    private var settled = ContinuousClock.now
    /// Called when nodes have gone.
    var onGone: @MainActor (Set<String>) -> Void = { _ in }
    /// Called with an error of Redis; nil when it takes heartbeats again.
    var onRefusal: @MainActor (String?) -> Void = { _ in }

    init(_ link: RedisLink, _ keys: Keys, node: String, _ server: BridgeServer, _ deadlines: Deadlines) {
        self.link = link
        self.keys = keys
        self.node = node
        self.server = server
        self.deadlines = deadlines
        link.add(beatScript)
        link.add(listScript)
        server.observePages { [weak self] event, page in self?.publish(event, page) }
    }

    // MARK: This node

    func linkIsReady() {
        settled = deadlines.now + .milliseconds(ClusterLimits.silenceMilliseconds)
        link.send(RedisCommand("DEL", keys.pages(of: node)))
        for page in server.pages { publish(.attached, page) }
        beat()
    }

    private func publish(_ event: TrafficRecord.PageEvent, _ page: Page) {
        let key = keys.pages(of: node)
        guard event != .gone else { return link.send(RedisCommand("HDEL", key, page.id)) }
        var writer = JSONWriter()
        PageDescription(page, node: node).write(to: &writer)
        var command = RedisCommand("HSET", key, page.id)
        command.add(writer.bytes)
        link.send(command)
    }

    private func beat() {
        deadlines.cancel(nextBeat.take())
        var command = beatScript.call(keys.nodes, keys.node(node), keys.pages(of: node), keys.inbox(of: node))
        command.add(node)
        command.add(server.nodeInfo(node).text)
        command.add(ClusterLimits.silenceMilliseconds)
        command.add(ClusterLimits.pageSeconds)
        command.add(ClusterLimits.nodeSeconds)
        command.add(instance)
        link.send(command) { [weak self] in self?.answered($0) }
        nextBeat = deadlines.schedule(after: ClusterLimits.heartbeat) { [weak self] in self?.beat() }
    }

    private func answered(_ reply: RedisReply) {
        switch reply {
        case .list(let list):
            onRefusal(nil)
            update(Set(list.compactMap(\.string)))
        // Redis would take this node's commits for the other one's.
        case .failure(let text) where text.hasPrefix(NodeScripts.nameTaken):
            link.fail("\(text): another daemon has the name \(node)")
        case .failure(let text): onRefusal(text)
        default: link.distrust(reply, to: "a heartbeat")
        }
    }

    private func update(_ now: Set<String>) {
        guard deadlines.now >= settled else { return alive.formUnion(now) }
        let gone = alive.subtracting(now)
        alive = now
        if !gone.isEmpty { onGone(gone) }
    }

    /// Says that this node is gone, because its daemon ends.
    func leave() {
        deadlines.cancel(nextBeat.take())
        link.send(RedisCommand("ZREM", keys.nodes, node))
        link.send(RedisCommand("DEL", keys.pages(of: node), keys.inbox(of: node)))
    }

    // MARK: All nodes

    /// - Returns: the nodes that are alive, in the order of their names; nil if Redis does not answer.
    func list() async -> [Node]? {
        let reply = await withCheckedContinuation { continuation in
            var command = listScript.call(keys.nodes)
            command.add(keys.node(""))
            command.add(keys.pages(of: ""))
            command.add(ClusterLimits.silenceMilliseconds)
            link.send(command) { continuation.resume(returning: $0) }
        }
        guard case .list(let nodes) = reply else { return nil }
        return nodes.compactMap(Node.init).sorted { $0.name < $1.name }
    }
}

extension NodeRegistry.Node {
    fileprivate init?(_ reply: RedisReply) {
        let list = reply.list
        guard list.count == 3, let name = list[0].string else { return nil }
        self.name = name
        info = (list[1].bytes.flatMap { try? JSON.parse($0) }).map(JSONValue.init) ?? [:]
        pages = list[2].list.compactMap { $0.bytes.flatMap { try? JSON.parse($0) } }.map(JSONValue.init)
            .sorted { ($0["attachedAt"]?.string ?? "") < ($1["attachedAt"]?.string ?? "") }
    }
}
