import BridgeServer
import BridgeTraffic
import TestSupport
import Testing

/// HTTP requests that no browser sends. Each gets one refusal or a closed connection, and the daemon keeps serving.
@MainActor @Suite(.timeLimit(.minutes(4))) struct HostileRequestTests {
    nonisolated private static let host = "Host: localhost\r\n"
    private static let post = "POST /beacon HTTP/1.1\r\n\(host)Origin: http://localhost\r\n"
    /// A server that takes this for a second request answers twice.
    private static let smuggled = "GET /health HTTP/1.1\r\n\(host)\r\n"

    /// Headers that leave open where the request ends (RFC 9112, section 11.2).
    nonisolated static let ambiguous = [
        "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n{}{}",
        "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: xchunked\r\nContent-Length: 2\r\n\r\n{}",
        "Transfer-Encoding: identity\r\nContent-Length: 2\r\n\r\n{}",
        "Content-Length: 2\r\nContent-Length: 5\r\n\r\n{}",
        "Content-Length: 2, 2\r\n\r\n{}",
        "Content-Length: +2\r\n\r\n{}", "Content-Length: -2\r\n\r\n", "Content-Length: 0x2\r\n\r\n{}",
        "Content-Length: 2 2\r\n\r\n{}", "Content-Length: two\r\n\r\n{}", "Content-Length: \r\n\r\n",
        "Content-Length: 99999999999999999999\r\n\r\n{}",
        "\r\n",
    ]

    @Test(arguments: ambiguous)
    func refusesAmbiguousEndAndEverythingAfterIt(_ rest: String) async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            let answer = try await HTTPClient.exchange(Self.post + rest + Self.smuggled, port: address.port)
            #expect(answer.hasPrefix("HTTP/1.1 411 ") && answer.ranges(of: "HTTP/1.").count == 1)
            _ = try await recorder.problem("lengthRequired")
        }
    }

    @Test(arguments: ["GET", "PUT", "OPTIONS", "DELETE"])
    func refusesChunkedBodyForEveryMethod(_ method: String) async throws {
        try await withServer { _, address in
            let request = "\(method) /health HTTP/1.1\r\n\(Self.host)Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
            let answer = try await HTTPClient.exchange(request + Self.smuggled, port: address.port)
            #expect(answer.hasPrefix("HTTP/1.1 411 ") && answer.ranges(of: "HTTP/1.").count == 1)
        }
    }

    /// Text that an HTTP/1.1 server need not understand. The connection is closed, with or without a response.
    nonisolated static let nonsense = [
        "TRACE / HTTP/1.1\r\n\(host)\r\n", "CONNECT localhost:1 HTTP/1.1\r\n\(host)\r\n",
        "GET http://evil.com/health HTTP/1.1\r\n\(host)\r\n", "GET /%zz HTTP/1.1\r\n\(host)\r\n",
        "GET /health%00x HTTP/1.1\r\n\(host)\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}",
        "GET /health HTTP/1.1\r\n\(host)X: \(String(repeating: "a", count: 70_000))\r\n\r\n",
        "GET /health HTTP/1.1\r\n\(host)Cookie: \(String(repeating: "a", count: 20_000))\r\n\r\n",
        "GET /\(String(repeating: "a", count: 20_000)) HTTP/1.1\r\n\(host)\r\n",
        "GET /health HTTP/1.1\r\n\(host)\(String(repeating: "X-Many: 1\r\n", count: 5_000))\r\n",
    ]

    @Test(arguments: nonsense.indices)
    func closesConnectionAfterNonsenseAndRecordsIt(_ index: Int) async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            let answer = try await HTTPClient.exchange(Self.nonsense[index], port: address.port)
            #expect(!answer.contains(" 200 "))
            #expect(
                try await recorder.problem("malformedRequest").hint?.contains("Configuration.limits.headerBytes")
                    == true)
        }
    }

    nonisolated static let strangers = [
        "GET /health HTTP/1.1\r\n\r\n", "GET /health\r\n\r\n", "GET /health HTTP/1.1\r\nHost : localhost\r\n\r\n",
        "GET /health HTTP/1.1\r\nHost: localhost\u{0}evil\r\n\r\n",
        "GET /health HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
        "GET /health HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nOrigin: http://evil.com\r\n\r\n",
        "GET /health HTTP/1.1\r\nHost: localhost\r\nOrigin: \(String(repeating: "a", count: 8_000))\r\n\r\n",
    ]

    @Test(arguments: strangers.indices)
    func refusesUnclearHostOrOrigin(_ index: Int) async throws {
        try await withServer { _, address in
            let answer = try await HTTPClient.exchange(Self.strangers[index], port: address.port)
            #expect(answer.hasPrefix("HTTP/1.1 403 "))
        }
    }

    /// libwebsockets answers some upgrades itself.
    @Test(arguments: ["foo", "h2c", "websocket, h2c"])
    func upgradesOnlyToWebSocket(_ protocolName: String) async throws {
        try await withServer { _, address in
            let request =
                "GET /page HTTP/1.1\r\n\(Self.host)Connection: Upgrade, close\r\nUpgrade: \(protocolName)\r\n\r\n"
            let answer = try await HTTPClient.exchange(request, port: address.port)
            #expect(!answer.contains(" 101 ") && !answer.contains(" 200 "))
        }
    }

    @Test(arguments: [
        "/demo/%2e%2e/%2e%2e/etc/passwd", "/../../../etc/passwd", "/demo/..%2f..%2fetc/passwd", "/demo/%5c..%5cetc",
        "//etc/passwd", "/demo/demo.js/", "/demo/demo.js%2f", "/bridge", "/demo/.", "/demo/index.html",
    ])
    func servesOnlyItsRoutes(path: String) async throws {
        try await withServer { _, address in
            let response = try await HTTPClient.request(path: path, port: address.port)
            #expect(!response.body.contains("root:"))
            #expect([200, 404].contains(response.status))
            if response.status == 200 { #expect(response.body.contains("bridged demo")) }
        }
    }

    @Test func closesConnectionAfterHandshakeTimeout() async throws {
        try await withServer {
            $0.limits.handshakeTimeout = .seconds(1)
        } _: { server, address in
            server.addHandler("echo", .replying { body, _, reply in reply.resolve(body) })
            let recorder = Recorder(server)
            let long = String(repeating: "a", count: 1_000)
            _ = try await Bystander.watching(address.port) {
                async let header = HTTPClient.trickle(
                    "GET /health HTTP/1.1\r\nX: \(long)", every: .milliseconds(20), port: address.port)
                async let body = HTTPClient.trickle(
                    Self.post + "Content-Length: 1000\r\n\r\n\(long)", every: .milliseconds(5), port: address.port)
                async let silence = HTTPClient.exchange("", port: address.port)
                let answers = try await (header, body, silence)
                #expect(answers.0 == "" && answers.1.hasPrefix("HTTP/1.1 408 ") && answers.2 == "")
            }
            #expect(
                try await recorder.problem("requestTimeout").hint?.contains("Configuration.limits.handshakeTimeout")
                    == true)
            let timeouts = recorder.records.filter {
                if case .problem("requestTimeout", _, _, _, _) = $0.event { true } else { false }
            }
            #expect(timeouts.count == 2)
        }
    }
}
