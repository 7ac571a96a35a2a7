import BridgeProtocol
import Foundation

/// Describes the daemon: its methods, state and counters. On the main actor.
@MainActor final class DaemonMethods {
    /// The daemon's address while it listens.
    var address: BridgeServer.Address?
    let startedAt = Timestamp.now
    private let documents: Documents
    private let nodes: ClusterNodes
    private let metrics: Metrics

    init(_ documents: Documents, _ nodes: ClusterNodes, _ metrics: Metrics) {
        (self.documents, self.nodes, self.metrics) = (documents, nodes, metrics)
    }

    func install(in dispatcher: ControlDispatcher) {
        dispatcher.on(DiscoverMethods.self) { [self, unowned dispatcher] _, _ in
            ControlResult(openRPC(of: dispatcher.methods))
        }
        dispatcher.on(DaemonInfo.self) { [self] _, _ in ControlResult(JSONValue.object(info)) }
        dispatcher.on(ListNodes.self) { [nodes] _, _ throws(RPCError) in
            guard let cluster = nodes.cluster else {
                throw .invalidRequest("this daemon is in no cluster: start it with --cluster redis://…")
            }
            let nodes = try await cluster.nodes()
            return ControlResult(["nodes": .array(nodes)] as JSONValue)
        }
    }

    /// The OpenRPC document of all control methods.
    func openRPC(of methods: [ControlMethodDescription]) -> OpenRPCDocument {
        OpenRPCDocument(
            methods: methods, version: BridgeServer.version, url: (address?.url ?? "http://localhost/") + "rpc")
    }

    private var uptime: Duration { .microseconds(Timestamp.now.microseconds - startedAt.microseconds) }

    private var info: [JSONValue.Member] {
        [
            .init("name", "bridged"),
            .init("version", .string(BridgeServer.version)),
            .init("pid", .number(Double(getpid()))),
            .init("startedAt", .string(startedAt.description)),
            .init("uptimeMs", .number((uptime / .milliseconds(1)).rounded())),
            .init("url", .string(address?.url ?? "")),
            .init("addresses", .array((address?.addresses ?? []).map(JSONValue.string))),
            .init("appOrigins", .array(documents.origins.app.texts.map(JSONValue.string))),
            .init("limits", limitsInfo),
            .init("counters", .object(counters.map { JSONValue.Member($0.name, .number($0.value)) })),
        ] + (nodes.cluster.map { [.init("cluster", $0.info)] } ?? [])
    }

    private var limitsInfo: JSONValue {
        let limits = documents.limits
        return [
            "messageBytes": .number(Double(limits.messageBytes)),
            "nesting": .number(Double(limits.nesting)),
            "values": .number(Double(limits.values)),
            "memoryBytes": .number(Double(limits.memoryBytes)),
            "headerBytes": .number(Double(limits.headerBytes)),
            "connections": .number(Double(limits.connections)),
            "connectionsPerAddress": .number(Double(limits.connectionsPerAddress ?? limits.connections)),
            "waitingCalls": .number(Double(limits.waitingCalls)),
            "errors": .number(Double(limits.errors)),
            "handshakeTimeoutMs": .number(Double(limits.handshakeSeconds) * 1_000),
            "waitingMessages": .number(Double(limits.waitingMessages)),
            "waitingBytes": .number(Double(limits.waitingBytes)),
            "awayTimeoutMs": .number(limits.awayTimeout / .milliseconds(1)),
            "evaluationTimeoutMs": .number(limits.evaluationTimeout / .milliseconds(1)),
            "pageTimeoutMs": .number(limits.pageTimeout / .milliseconds(1)),
        ]
    }

    private var counters: [(name: String, value: Double)] {
        [
            ("pages", Double(documents.pages.count)), ("tools", Double(metrics.tools)),
            ("records", Double(nodes.cluster?.traffic.lastRecord ?? metrics.recordCount)),
            ("messages", Double(metrics.messageCount)),
            ("calls", Double(metrics.callCount)),
        ]
    }

    /// The response to `GET /metrics`.
    var prometheusText: String {
        let gauges: [(name: String, help: String, value: Double)] = [
            ("bridged_pages", "Documents that are attached, or away and may come back.", Double(documents.pages.count)),
            ("bridged_tools", "Tools on /control.", Double(metrics.tools)),
            ("bridged_uptime_seconds", "Seconds since the daemon started.", uptime.seconds),
        ]
        return metrics.text + (nodes.cluster?.metrics ?? "")
            + gauges.map { Metrics.family($0.name, $0.help, "gauge", [("", $0.value)]) }.joined()
            + Metrics.family("bridged_info", "The daemon.", "gauge", [("version=\"\(BridgeServer.version)\"", 1)])
    }
}
