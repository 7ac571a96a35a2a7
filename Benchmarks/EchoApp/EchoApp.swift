import ArgumentParser
import BridgeCluster
import BridgeProtocol
import BridgeServer
import Foundation
import TrafficDatabase

/// The native app that the benchmarks connect to. It prints its port and serves until it is killed.
@main struct EchoApp: ParsableCommand {
    @Option(help: "Record the traffic in this NDJSON file.") var log: String?
    @Option(help: "Record the traffic in this SQLite database.") var database: String?
    @Option(help: "Be a node of the cluster at this address of a Redis.") var cluster: String?
    @Flag(help: "Keep the state of pages in the Redis.") var durable = false
    @Flag(help: "Run the event loop on its own thread instead of the main thread.") var ownThread = false

    struct Echo: ScriptMessage {
        static let name = "Echo"
        let number: Int
        let text: String
    }

    func run() throws { try MainActor.assumeIsolated { try serve() } }

    @MainActor private func serve() throws {
        var configuration = BridgeServer.Configuration()
        configuration.addresses = ["127.0.0.1"]
        configuration.logPath = log
        // For ten thousand idle pages beside the one that is measured.
        configuration.limits.connections = 10_100
        let server = try BridgeServer(configuration)
        if let database { server.traffic.keep(in: try TrafficDatabase(path: database)) }
        let dispatcher = ScriptMessageDispatcher()
        dispatcher.on(Echo.self) { message, context in
            context.evaluate(JavaScriptCall("echoed", message.number))
        }
        server.addHandler("nativeApp", .dispatcher(dispatcher))
        server.addHandler("echo", .replying { body, _, reply in reply.resolve(body) })
        guard !ownThread else { return try serveFromOwnThread(server) }
        let node = try cluster.map { try Cluster(RedisAddress($0), isDurable: durable, server) }
        try server.runOnMainThread { address in
            node?.start()
            report(address)
        }
    }

    @MainActor private func serveFromOwnThread(_ server: BridgeServer) throws {
        signal(SIGTERM, SIG_IGN)
        let signals = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .main)
        signals.setEventHandler { Task { await server.stop() } }
        signals.resume()
        try server.runBesideMainThread { report($0) }
    }

    private func report(_ address: BridgeServer.Address) {
        print(address.port)
        fflush(nil)
    }
}
