import BridgeServer
import TestSupport
import Testing

@testable import BridgeServer

/// Clients that send slowly, do not read, or send further requests before they are answered.
@MainActor @Suite(.timeLimit(.minutes(4))) struct SlowClientTests {
    private static let page = "GET /health HTTP/1.1\r\nHost: localhost\r\n"

    /// libwebsockets 4.1 never returns from a request with a body that it has read together with another one.
    @Test(arguments: ["GP", "PG", "PP", "GPG", "WP", "WG", "PPPPPPPP"])
    func survivesRequestsThatDoNotWaitForTheirTurn(_ order: String) async throws {
        try await withServer { server, address in
            server.addHandler("echo", .replying { body, _, reply in reply.resolve(body) })
            let token = try DiscoveryFileContents(path: address.discoveryFile).token
            _ = try await Bystander.watching(address.port) {
                let answer = try await HTTPClient.exchange(Self.requests(order, token), port: address.port)
                withKnownIssue("libwebsockets 4.3 does not deliver a body that it reads together with more") {
                    #expect(answer.hasPrefix("HTTP/1.1 200 "))
                } when: {
                    !LibraryVersions.libwebsockets.hasPrefix("4.1.") && !order.hasPrefix("G")
                }
            }
        }
    }

    @Test func answersRequestsOnOneConnectionInTurn() async throws {
        try await withServer { server, address in
            let token = try DiscoveryFileContents(path: address.discoveryFile).token
            let answers = try await HTTPClient.exchange(
                inTurn: "GPWGWP".map { Self.requests("\($0)", token) }, port: address.port)
            #expect(answers.map { $0.contains("application/json") } == [false, true, true, false, true, true])
        }
    }

    /// - Parameter order: G for a GET, P for a POST, W for a POST that is answered later.
    private static func requests(_ order: String, _ token: String) -> String {
        order.map { kind in
            let method = kind == "W" ? "pages.wait" : "daemon.info"
            let body = #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":{"timeoutMs":300}}"#
            let call =
                "POST /rpc HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\n"
                + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
            return kind == "G" ? page + "\r\n" : call
        }.joined()
    }

    /// Otherwise the body would be read as the next request.
    @Test func closesConnectionAfterTheAnswer_ifAGetHasABody() async throws {
        try await withServer { _, address in
            let answer = try await HTTPClient.exchange(
                Self.page + "Content-Length: 1000000\r\n\r\n" + Self.page + "\r\n", port: address.port)
            #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.ranges(of: "HTTP/1.").count == 1)
        }
    }

    @Test func disconnectsClientThatDoesNotReadItsResponse() async throws {
        try await withServer {
            $0.limits.pongTimeout = .milliseconds(400)
        } _: { server, address in
            let recorder = Recorder(server)
            server.router.on(.get, "/large") { _ in
                HTTPResponse(body: [UInt8](repeating: UInt8(ascii: "x"), count: 16 << 20))
            }
            let download = try await HTTPDownload(path: "/large", port: address.port, headers: [])
            #expect(try await recorder.problem("slowReader").text.contains("400 ms"))
            _ = download
        }
    }

    @Test func writesALargeResponseInParts() async throws {
        try await withServer { server, address in
            let body = (0..<5_000_000).map { UInt8(ascii: "a") + UInt8($0 % 23) }
            server.router.on(.get, "/large") { _ in HTTPResponse(body: body) }
            let response = try await HTTPClient.request(path: "/large", port: address.port)
            #expect(response.body == String(decoding: body, as: UTF8.self))
        }
    }

    /// The pieces of the message are empty, and the last one comes never.
    @Test func closesPageWhoseEmptyMessageDoesNotEnd() async throws {
        try await withServer {
            $0.limits.handshakeTimeout = .seconds(1)
        } _: { server, address in
            let (page, _) = try await PageClient.attach(port: address.port)
            page.send(.text, [], isFinal: false)
            page.send(.continuation, [], isFinal: false)
            #expect(await page.closeCode() == 1013)
        }
    }

    @Test func closesPageWhoseMessageDoesNotEnd() async throws {
        try await withServer {
            $0.limits.handshakeTimeout = .seconds(1)
        } _: { server, address in
            let recorder = Recorder(server)
            let (page, _) = try await PageClient.attach(port: address.port)
            page.send(.text, [UInt8](repeating: 0x20, count: 100_000), isFinal: false)
            #expect(await page.closeCode() == 1013)
            #expect(try await recorder.problem("requestTimeout").text.contains("1000 ms"))
            let (_, result) = try await PageClient.attach(port: address.port, resume: true)
            #expect(result["resumed"]?.bool == true)
        }
    }

    @Test func needsTokenForOpenRPC_beyondThisMachine() async throws {
        try await withServer {
            $0.addresses = ["0.0.0.0"]
        } _: { _, address in
            let token = try DiscoveryFileContents(path: address.discoveryFile).token
            for path in ["/openrpc.json", "/metrics"] {
                #expect(try await HTTPClient.request(path: path, port: address.port).status == 401)
                let headers = ["Authorization: Bearer \(token)"]
                #expect(try await HTTPClient.request(path: path, port: address.port, headers: headers).status == 200)
            }
        }
    }
}
