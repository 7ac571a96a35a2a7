import BridgeProtocol
import Foundation

extension Control {
    func addDaemonMethods() {
        dispatcher.on(DiscoverMethods.self) { [unowned self] _, _ in
            ControlResult(openRPC)
        }
        dispatcher.on(DaemonInfo.self) { [unowned self] _, _ in
            ControlResult(JSONValue.object(info))
        }
        dispatcher.on(ListNodes.self) { [unowned self] _, _ throws(RPCError) in
            guard let cluster else {
                throw .invalidRequest("this daemon is in no cluster: start it with --cluster redis://…")
            }
            let nodes = try await cluster.nodes()
            return ControlResult(["nodes": .array(nodes)] as JSONValue)
        }
    }

    /// The OpenRPC document of all control methods.
    var openRPC: OpenRPCDocument {
        OpenRPCDocument(
            methods: dispatcher.methods, version: BridgeServer.version,
            url: (address?.url ?? "http://localhost/") + "rpc")
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
            .init("appOrigins", .array(parts.origins.app.texts.map(JSONValue.string))),
            .init("limits", limitsInfo),
            .init("counters", .object(counters.map { JSONValue.Member($0.name, .number($0.value)) })),
        ] + (cluster.map { [.init("cluster", $0.info)] } ?? [])
    }

    private var limitsInfo: JSONValue {
        [
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
            ("pages", Double(parts.documents.registry.pages.count)), ("tools", Double(connectionCount)),
            ("records", Double(cluster?.traffic.lastRecord ?? metrics.recordCount)),
            ("messages", Double(metrics.messageCount)),
            ("calls", Double(metrics.callCount)),
        ]
    }

    /// The response to `GET /metrics`.
    var prometheusText: String {
        let gauges: [(name: String, help: String, value: Double)] = [
            (
                "bridged_pages", "Documents that are attached, or away and may come back.",
                Double(parts.documents.registry.pages.count)
            ),
            ("bridged_tools", "Tools on /control.", Double(connectionCount)),
            ("bridged_uptime_seconds", "Seconds since the daemon started.", uptime.seconds),
        ]
        return metrics.text + (cluster?.metrics ?? "")
            + gauges.map { Metrics.family($0.name, $0.help, "gauge", [("", $0.value)]) }.joined()
            + Metrics.family("bridged_info", "The daemon.", "gauge", [("version=\"\(BridgeServer.version)\"", 1)])
    }
}
