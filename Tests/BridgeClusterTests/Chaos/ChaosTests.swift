import BridgeProtocol
import Foundation
import Synchronization
import TestSupport
import Testing

/// Three durable daemons behind an nginx. Daemons are killed and Redis is restarted, again and again, while pages post.
///
/// It takes 20 seconds in `make test`. `BRIDGED_CHAOS_SECONDS` lets it run for longer, `BRIDGED_SEED` repeats the choices.
@Suite(.timeLimit(.minutes(30))) struct ChaosTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seconds = environment["BRIDGED_CHAOS_SECONDS"].flatMap(Double.init) ?? 20
    private static let seed = environment["BRIDGED_SEED"].flatMap(UInt64.init) ?? .random(in: 0..<1 << 32)
    private static let pageCount = 4

    @Test func nothingIsLostOrDoubled_whileDaemonsAndRedisDie() async throws {
        let redis = try await RedisServer()
        let stubs = redis.folder.path("bridged.yml")
        try Data("stubs:\n  - handler: echo\n    reply: {echo: true}\n".utf8).write(to: URL(fileURLWithPath: stubs))
        let nodes = ChaosNodes(redis, ["--cluster-durable", "--config", stubs])
        for _ in 0..<3 { try await nodes.start() }
        let balancer = try await LoadBalancer(nodes.ports)
        let pages = (0..<Self.pageCount).map { ChaosPage(number: $0, port: balancer.port) }
        let end = ContinuousClock.now + .seconds(Self.seconds)
        var faults = (kills: 0, restarts: 0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for page in pages { group.addTask { try await page.live(until: end) } }
            faults = try await destroy(nodes, redis, until: end)
            try await group.waitForAll()
        }
        try await report(pages, try await traffic(redis), faults)
    }

    private func destroy(
        _ nodes: ChaosNodes, _ redis: RedisServer, until end: ContinuousClock.Instant
    ) async throws -> (kills: Int, restarts: Int) {
        var generator = SeededGenerator(seed: Self.seed)
        var (kills, restarts) = (0, 0)
        // These pauses are what is tested: the time that the daemons have between two faults.
        while ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(Int.random(in: 200...1_200, using: &generator)))
            if Int.random(in: 0..<4, using: &generator) == 0 {
                redis.stop()
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...500, using: &generator)))
                try await redis.start()
                restarts += 1
            } else {
                try await nodes.killOne(&generator)
                kills += 1
            }
        }
        return (kills, restarts)
    }

    /// What the cluster's traffic has of a page.
    private struct Found {
        /// The numbers of the messages, in the order of the traffic.
        var numbers: [Int] = []
        /// How many messages have led to a script.
        var scripts = 0
    }

    /// Reads the whole traffic of the cluster, by the pages' documents. A node keeps only the latest records in memory.
    /// What is acknowledged is in there.
    private func traffic(_ redis: RedisServer) async throws -> [String: Found] {
        var found: [String: Found] = [:]
        let text = try await redis.command("--raw", "xrange", "bridged:{test}:traffic", "-", "+")
        for line in text.split(separator: "\n") where line.contains("\"kind\":\"message\"") {
            let record = try JSON.parse(String(line))
            guard let body = record["body"], let document = body["document"]?.string else { continue }
            found[document, default: Found()].numbers.append(body["n"]?.wholeNumber ?? 0)
            let isHandled = record["verdict"]?["outcome"]?.string == "handled"
            if isHandled, body["name"]?.string == "RegisterPushToken" { found[document]?.scripts += 1 }
        }
        return found
    }

    private func report(
        _ pages: [ChaosPage], _ found: [String: Found], _ faults: (kills: Int, restarts: Int)
    ) async throws {
        var (posted, lost, doubled, disordered, scripts, hops, anew) = (0, 0, 0, 0, 0, 0, 0)
        for page in pages {
            let numbers = found[page.document]?.numbers ?? []
            let count = await page.postedCount
            posted += count
            lost += count - Set(numbers).count
            doubled += numbers.count - Set(numbers).count
            disordered += zip(numbers, numbers.dropFirst()).count { $0 >= $1 }
            scripts += await page.scripts
            hops += await page.attachments - 1
            anew += await page.anew
            #expect(await page.mistakes == [])
            #expect(
                await page.scripts == found[page.document]?.scripts, "Each message that asks for a script gets one.")
        }
        print(
            "Chaos of \(Self.seconds) s, BRIDGED_SEED=\(Self.seed): \(posted) messages, \(scripts) scripts, "
                + "\(faults.kills) daemons killed, Redis restarted \(faults.restarts) times, pages moved \(hops) times; "
                + "lost \(lost), doubled \(doubled), out of order \(disordered), attached anew \(anew)")
        #expect(posted > 100 && faults.kills > 0, "The test has tested something.")
        #expect(lost == 0 && doubled == 0 && disordered == 0 && anew == 0)
    }
}

/// Daemons on ports that they get again after they were killed.
final class ChaosNodes: Sendable {
    private let redis: RedisServer
    private let options: [String]
    private let daemons = Mutex<[(port: UInt16, daemon: RunningDaemon, listening: Listening)]>([])

    init(_ redis: RedisServer, _ options: [String]) {
        self.redis = redis
        self.options = options
    }

    var ports: [UInt16] { daemons.withLock { $0.map(\.port) } }

    func start() async throws {
        let (daemon, listening) = try await launch(0)
        daemons.withLock { $0.append((listening.port, daemon, listening)) }
    }

    private func launch(_ port: UInt16) async throws -> (RunningDaemon, Listening) {
        let daemon = try RunningDaemon(["--port", "\(port)", "--json", "--cluster", redis.url()] + options)
        let listening = try await daemon.listening()
        return (daemon, listening)
    }

    /// Kills a daemon, and starts another one on its port.
    func killOne(_ generator: inout SeededGenerator) async throws {
        let index = Int.random(in: 0..<3, using: &generator)
        let (port, daemon, _) = daemons.withLock { $0[index] }
        daemon.signal(SIGKILL)
        _ = try await daemon.exitStatus()
        let (new, listening) = try await launch(port)
        daemons.withLock { $0[index] = (port, new, listening) }
    }
}
