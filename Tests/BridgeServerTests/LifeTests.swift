import TestSupport
import Testing

@testable import BridgeServer

/// Starting and stopping a server.
@MainActor @Suite(.timeLimit(.minutes(4))) struct LifeTests {
    @Test func closesPagesWith1001_whenItStops() async throws {
        let client = try await withServer { _, address in try await PageClient.attach(port: address.port).0 }
        #expect(await client.closeCode() == 1001)
    }

    @Test func namesOption_whenPortIsInUse() async throws {
        try await withServer { _, address in
            var configuration = BridgeServer.Configuration()
            configuration.port = address.port
            let second = try BridgeServer(configuration)
            let error = await #expect(throws: TransportError.self) { _ = try await second.start() }
            #expect(error?.code == .addressInUse)
            #expect(error?.description.contains("Configuration.port") == true)
        }
    }

    @Test func refusesInvalidAddress() async throws {
        var configuration = BridgeServer.Configuration()
        configuration.addresses = ["nowhere"]
        let server = try BridgeServer(configuration)
        let error = await #expect(throws: TransportError.self) { _ = try await server.start() }
        #expect(error?.code == .invalidAddress)
    }

    @Test func refusesInvalidOrigin() {
        var configuration = BridgeServer.Configuration()
        configuration.allowedOrigins = ["app.example"]
        #expect(throws: ConfigurationError.self) { try BridgeServer(configuration) }
    }

    @Test func stopReturns_ifStartFailed() async throws {
        try await withServer { _, address in
            var configuration = BridgeServer.Configuration()
            configuration.port = address.port
            let second = try BridgeServer(configuration)
            for _ in 1...2 { await #expect(throws: TransportError.self) { try await second.start() } }
            await second.stop()
        }
    }

    @Test func startAnswersWithTheAddress_ifTheServerListens() async throws {
        let server = try BridgeServer()
        async let early = server.start()
        let (first, second) = try await (server.start().port, server.start().port)
        #expect(try await early.port == first && second == first)
        #expect(throws: TransportError.self) { try server.runOnMainThread { _ in } }
        await server.stop()
        #expect(server.address == nil)
        await #expect(throws: (any Error).self) { try await HTTPClient.request(path: "/health", port: first) }
        await server.stop()
        _ = try await server.start()
        await server.stop()
    }

    @Test func servesUntilStop_withoutBeingRetained() async throws {
        let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
        func start() async throws -> (WeakServer, UInt16) {
            let server = try BridgeServer()
            let end = Deallocation { continuation.yield() }
            server.addHandler("end", .plain { [end] _, _ in withExtendedLifetime(end) { .handled } })
            return (WeakServer(server: server), try await server.start().port)
        }
        let (reference, port) = try await start()
        #expect(try await HTTPClient.request(path: "/health", port: port).status == 200)
        await reference.server?.stop()
        for await _ in ends { break }
        #expect(reference.server == nil)
    }

    @Test func evaluationFails_ifTheServerIsReleased() async throws {
        let (results, continuation) = AsyncStream.makeStream(of: Result<ScriptValue, ScriptError>.self)
        func evaluate() async throws -> Page {
            let server = try BridgeServer()
            let (client, _) = try await PageClient.attach(port: try await server.start().port)
            let page = try #require(server.pages.first)
            page.evaluate("1") { continuation.yield($0) }
            await server.stop()
            client.drop()
            return page
        }
        let page = try await evaluate()
        for await result in results {
            #expect(result == .failure(.pageGone(page.id)))
            break
        }
        page.evaluate("2") { continuation.yield($0) }
        for await result in results {
            #expect(result == .failure(.pageGone(page.id)))
            break
        }
    }

    private struct WeakServer { weak var server: BridgeServer? }

    /// Tells when the last object that retains it is gone.
    private final class Deallocation: Sendable {
        private let report: @Sendable () -> Void

        init(_ report: @escaping @Sendable () -> Void) { self.report = report }

        deinit { report() }
    }

    @Test func restartsOnSamePort() async throws {
        let port = try await withServer { _, address in address.port }
        try await withServer {
            $0.port = port
        } _: { _, address in
            #expect(address.port == port)
        }
    }

    @Test func inlinesHandlersInScript() async throws {
        try await withServer { server, address in
            server.addHandler("</script>", .plain { _, _ in .handled })
            let script = try await HTTPClient.request(path: "/bridge.js", port: address.port)
            #expect(script.status == 200)
            #expect(script.body.contains("\"name\":\"\\u003c/script\\u003e\""))
            #expect(script.body.contains("ws://localhost:\(address.port)/page"))
        }
    }

    @Test(arguments: [
        ("GET", "/", 302), ("GET", "/health", 200), ("HEAD", "/health", 200), ("GET", "/demo/", 200),
        ("GET", "/demo/demo.js", 200), ("GET", "/inspector", 302), ("GET", "/inspector/", 200),
        ("GET", "/inspector/main.js", 200), ("GET", "/inspector/../WebFiles.swift", 404),
        ("GET", "/nowhere", 404), ("GET", "/demo/../bridge.js", 200), ("GET", "/demo/..%2f..%2fetc/passwd", 404),
        ("POST", "/health", 405), ("OPTIONS", "/", 405), ("DELETE", "/", 405), ("GET", "/page", 404),
    ])
    func answersRequest(method: String, path: String, status: Int) async throws {
        try await withServer { _, address in
            let response = try await HTTPClient.request(
                method, path: path, port: address.port, body: method == "POST" ? "{}" : nil)
            #expect(response.status == status)
            #expect(response.fields["x-content-type-options"] == "nosniff")
        }
    }

    /// The daemon's own pages run only their own scripts, and cannot be framed (CSP level 3).
    @Test(arguments: ["/demo/", "/demo/demo.js", "/inspector/"])
    func servesOwnPages_withStrictPolicy(_ path: String) async throws {
        try await withServer { _, address in
            let host = "localhost:\(address.port)"
            let response = try await HTTPClient.request(path: path, port: address.port, host: host)
            let fields = response.fields
            // Native code runs scripts only in the demo. Its tag of bridge.js has a nonce, which other pages do not know.
            let nonce = response.body.firstMatch(of: /nonce="(\w{32})"/).map { " 'unsafe-eval' 'nonce-\($0.1)'" } ?? ""
            #expect(nonce.isEmpty == (path != "/demo/"))
            #expect(
                fields["content-security-policy"] == """
                    default-src 'none'; script-src 'self'\(nonce); style-src 'self'; img-src 'self' data:; \
                    connect-src 'self' ws://\(host); frame-ancestors 'none'; base-uri 'none'; form-action 'self'
                    """)
            #expect(fields["referrer-policy"] == "no-referrer")
        }
    }
}
