package import BridgeProtocol
package import BridgeTraffic
import Foundation

/// The interface of a server for the module `BridgeCluster`.
extension BridgeServer {
    /// Makes this server a node of a cluster. Call it before pages attach.
    package func join(_ cluster: any ControlCluster) {
        control.cluster = cluster
        parts.documents.pagePrefix = cluster.node + "."
    }

    /// Answers a call that another node has passed on.
    /// - Parameter params: JSON text.
    /// - Returns: the JSON text of the response.
    package func answer(_ method: String, _ params: [UInt8]) async -> [UInt8] {
        await control.answer(method, try? JSON.parse(params, configuration.limits.json))
    }

    /// The description of this node for the other nodes.
    package func nodeInfo(_ node: String) -> JSONValue {
        let handlers = ([nil] + parts.webViews.namedWebViews).flatMap { parts.webViews.handlers(of: $0).keys }
        return [
            "node": .string(node), "url": .string(address?.url ?? ""),
            "host": .string(ProcessInfo.processInfo.hostName), "pid": .number(Double(getpid())),
            "version": .string(BridgeServer.version), "startedAt": .string(control.startedAt.description),
            "pages": .number(Double(pages.count)),
            "handlers": .array(Set(handlers).sorted().map { .string($0) }),
            "stubs": .array(
                parts.webViews.stubs.all.map { ["stub": .string($0.id), "handler": .string($0.rule.handler)] }),
        ]
    }

    package var deadlines: Deadlines { parts.deadlines }

    /// The limits on the records in memory.
    package var keptRecords: RecordRing.Limits {
        RecordRing.Limits(records: configuration.limits.records, bytes: configuration.limits.recordBytes)
    }
}
