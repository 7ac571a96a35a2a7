import BridgeProtocol
public import BridgeServer

/// Makes a server a node of a cluster: daemons that find each other's pages and traffic with the help of a Redis.
///
/// If Redis cannot be reached, the node goes on with its own pages, and catches up later. On the main actor.
@MainActor public final class Cluster {
    /// The name of this node.
    public let node: String
    let address: RedisAddress
    let server: BridgeServer
    let store: NodeStore
    let registry: NodeRegistry
    let calls: NodeCalls

    /// - Parameter isDurable: whether pages may go on with other nodes without loss. Then they wait for Redis.
    public init(_ address: RedisAddress, isDurable: Bool, _ server: BridgeServer) throws {
        self.address = address
        self.server = server
        node = NodeName.random()
        store = try NodeStore(
            address, node: node, isDurable: isDurable, server.configuration.limits, server.traffic,
            server.parts.documents, server.parts.gate, server.deadlines
        ) { endpoint, tls, onEvent throws(RedisAddress.Mistake) in
            try RedisConnection(to: endpoint, tls, in: server, onEvent: onEvent)
        }
        registry = NodeRegistry(store.link, store.keys, node: node, server, server.deadlines)
        calls = NodeCalls(store.link, store.keys, node: node, server, server.deadlines)
        server.join(self)
        store.onReady = { [weak self] in self?.registry.linkIsReady() }
        registry.onGone = { [weak self] in self?.calls.lost($0) }
        registry.onRefusal = { [weak self] in self?.store.redisRefuses("heartbeats", $0) }
        store.reader.onInbox = { [weak self] in self?.calls.received($0) }
        store.reader.onHandled = { [weak self] ids in self?.forget(ids) }
    }

    /// Connects. The server must listen on the main thread.
    public func start() { store.start() }

    /// Tells the other nodes that this one leaves. The pages that it closes may go on with them.
    public func leave() { registry.leave() }

    /// Writes what waits, after the server has stopped.
    public func stop() { store.stop() }

    private func forget(_ ids: [String]) {
        guard !ids.isEmpty else { return }
        var command = RedisCommand("XDEL", store.keys.inbox(of: node))
        for id in ids { command.add(id) }
        store.link.send(command)
    }
}
