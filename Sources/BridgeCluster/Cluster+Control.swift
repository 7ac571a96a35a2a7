package import BridgeProtocol
import BridgeServer
package import BridgeTraffic

/// The cluster as the control channel uses it.
extension Cluster: ControlCluster {
    package var traffic: TrafficLog { store.traffic }
    private var commits: CommitLog { store.commits }
    private var failure: String? { store.failure }

    package func node(for subject: CallSubject, within limit: Duration) async throws(RPCError) -> String? {
        switch subject {
        case .daemon: return nil
        case .page(.page(let id)): return try await node(ofPage: id)
        case .page(.webView(let name)): return try await node(showing: name, within: limit)
        // The ids of devices are those of one node.
        case .page(.device): return nil
        case .page(.visible): return try await node(showing: "main", within: limit)
        case .app:
            // Each node emulates an app. The one of a node without pages shows nothing, so a node with pages is asked.
            for name in ["main", "modal"] {
                if let node = try? await node(showing: name, within: .zero) { return node }
            }
            return nil
        }
    }

    /// A page's id begins with its node.
    private func node(ofPage id: String) async throws(RPCError) -> String? {
        let name = id.prefix { $0 != "." }
        guard name.count < id.count, name != node else { return nil }
        guard failure == nil else { throw .redisGone }
        guard registry.alive.contains(String(name)) else { throw .nodeGone(String(name)) }
        return String(name)
    }

    private func node(showing webView: String, within limit: Duration) async throws(RPCError) -> String? {
        // Without Redis only this node's pages are known, and the call itself waits for one of them.
        guard failure == nil else { return nil }
        let end = server.deadlines.now + limit
        let changes = PageChanges(self, server.parts.documents)
        defer { changes.end() }
        repeat {
            if server.mainPage(of: webView) != nil { return nil }
            let pages = try await otherPages()
            let found = pages.last { page in
                page["webView"]?.string == webView && page["attached"] == .bool(true)
                    && page["frame"]?["isMainFrame"] == .bool(true)
            }
            if let found { return found["node"]?.string }
        } while await changes.next(within: end - server.deadlines.now)
        return nil
    }

    package func call(
        _ method: String, _ params: [UInt8], on node: String, within limit: Duration
    ) async throws(RPCError) -> [UInt8] {
        let text = try await calls.call(method, params, on: node, within: limit)
        guard let response = try? JSON.parse(text) else {
            throw .invalidRequest("the node \(node) gave no answer that is JSON")
        }
        if let error = response["error"] { throw RPCError(json: error) }
        return Array((response["result"] ?? .null).text.utf8)
    }

    package func otherPages() async throws(RPCError) -> [JSONValue] {
        guard failure == nil, let nodes = await registry.list() else { return [] }
        return nodes.filter { $0.name != node }.flatMap(\.pages)
            .sorted { ($0["attachedAt"]?.string ?? "") < ($1["attachedAt"]?.string ?? "") }
    }

    package var objection: String? {
        failure.map { "The pages of other nodes are missing, because the cluster's Redis cannot be used: \($0)." }
    }

    package func nodes() async throws(RPCError) -> [JSONValue] {
        let others = failure == nil ? await registry.list() ?? [] : []
        return [server.nodeInfo(node)] + others.filter { $0.name != node }.map(\.info)
    }

    package func observePages(_ action: @escaping @MainActor () -> Void) -> TrafficSubscription {
        traffic.subscribe(TrafficFilter([.init(.kind, TrafficRecord.Kind.page.rawValue)])) { _ in action() }
    }

    package var info: JSONValue {
        [
            "name": .string(address.name), "node": .string(node), "redis": .string(address.description),
            "state": .string(failure.map { "unreachable: \($0)" } ?? "ready"), "durable": .bool(commits.isDurable),
            "nodes": .number(Double(registry.alive.count)), "waitingRecords": .number(Double(commits.waitingCount)),
            "missedRecords": .number(Double(commits.missed)),
        ]
    }

    package var metrics: String {
        let values: [(name: String, help: String, type: String, value: Int)] = [
            ("up", "Whether the cluster's Redis can be used.", "gauge", failure == nil ? 1 : 0),
            ("nodes", "Nodes with a heartbeat.", "gauge", registry.alive.count),
            ("waiting_records", "Records that Redis has not confirmed.", "gauge", commits.waitingCount),
            ("missed_records_total", "Records that were left out because too many waited.", "counter", commits.missed),
            ("failures_total", "How often Redis could not be used.", "counter", store.failures),
        ]
        return values.map { name, help, type, value in
            "# HELP bridged_cluster_\(name) \(help)\n# TYPE bridged_cluster_\(name) \(type)\n"
                + "bridged_cluster_\(name) \(value)\n"
        }.joined()
    }
}
