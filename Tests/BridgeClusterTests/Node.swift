import BridgeProtocol
import Foundation
import TestSupport

/// A real daemon of a cluster.
struct Node: Sendable {
    let daemon: RunningDaemon
    let listening: Listening
    let tool: ControlClient
    /// Its name in the cluster.
    let name: String

    var port: UInt16 { listening.port }

    init(_ redis: RedisServer, port: UInt16 = 0, _ options: String...) async throws {
        try await self.init(redis.url(), port: port, options)
    }

    /// - Parameter url: the address of the Redis.
    init(_ url: String, port: UInt16 = 0, _ options: [String] = []) async throws {
        daemon = try RunningDaemon(["--port", "\(port)", "--json", "--cluster", url] + options)
        listening = try await daemon.listening()
        tool = try ControlClient(port: listening.port, discoveryFile: listening.discoveryFile)
        let info = try await tool.call("daemon.info")
        name = info["cluster"]?["node"]?.string ?? ""
    }

    /// Waits until this node can use Redis and sees so many nodes.
    func sees(_ count: Int) async throws {
        while case let cluster = try await tool.call("daemon.info")["cluster"],
            cluster?["state"]?.string != "ready" || (cluster?["nodes"]?.wholeNumber ?? 0) < count
        {}
    }

    /// Waits until a page is in the list of this node.
    func lists(_ page: String) async throws {
        while try await !tool.call("pages.list").text.contains("\"\(page)\"") {}
    }
}
