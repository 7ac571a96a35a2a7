import BridgeServer
import TestSupport
import Testing

@testable import BridgeServer

/// Who is let in (docs/protocol.md, "Security").
@MainActor @Suite(.timeLimit(.minutes(1))) struct DoorTests {
    nonisolated static let goodHosts = [
        "localhost", "localhost:2734", "LOCALHOST:1", "app.localhost:3000", "my-app.test", "127.0.0.1:80", "[::1]:2734",
    ]
    nonisolated static let badHosts = [
        "", "evil.com", "localhost.evil.com", "localhost.", "test", ".test", "127.0.0.2", "127.1", "0x7f.0.0.1",
        "user@localhost",
        "localhost:port", "localhost:", "localhost:123456", "localhost:-1", "[::1", "::1", "[::ffff:127.0.0.1]",
        "local host",
        "localhost, localhost", "localhost\u{0}", "a..test", String(repeating: "a", count: 300) + ".test",
    ]

    @Test(arguments: goodHosts) func admitsLocalHost(_ host: String) {
        #expect(Doors().refusal(ofRequest: RequestHeaders(host: host)) == nil)
    }

    @Test(arguments: badHosts) func refusesForeignOrOddHost(_ host: String) {
        #expect(Doors().refusal(ofRequest: RequestHeaders(host: host))?.code == .hostNotAllowed)
    }

    @Test func refusesRequestWithoutHost() {
        #expect(Doors().refusal(ofRequest: RequestHeaders())?.code == .hostNotAllowed)
    }

    @Test(arguments: goodHosts) func admitsLocalOrigin(_ host: String) {
        #expect(Doors().refusal(ofRequest: RequestHeaders(host: "localhost", origin: "http://\(host)")) == nil)
    }

    @Test(
        arguments: badHosts.map { "http://\($0)" } + [
            "null", "", "file://", "ftp://localhost", "http://localhost/", "localhost",
        ])
    func refusesForeignOrOddOrigin(_ origin: String) {
        #expect(
            Doors().refusal(ofRequest: RequestHeaders(host: "localhost", origin: origin))?.code == .originNotAllowed)
    }

    @Test func admitsAllowedOrigin_withOrWithoutItsDefaultPort() throws {
        let doors = Doors(allowedOrigins: [try #require(Origin("https://staging.example.com"))])
        func refusal(_ origin: String) -> Refusal? {
            doors.refusal(ofRequest: RequestHeaders(host: "localhost", origin: origin))
        }
        #expect(refusal("https://staging.example.com:443") == nil)
        #expect(refusal("http://staging.example.com") != nil)
        #expect(refusal("https://staging.example.com:444") != nil)
    }

    @Test func namesTheFlag_whenOriginCouldBeAllowed() {
        let refusal = Doors().refusal(ofRequest: RequestHeaders(host: "localhost", origin: "https://app.example"))
        #expect(refusal?.hint.contains("--allow-origin https://app.example") == true)
    }

    @Test func tokenMatchesItselfAlone() {
        let token = AccessToken()
        #expect(token.text.count == 32)
        #expect(token.matches(token.text))
        #expect(!token.matches(AccessToken().text) && !token.matches("") && !token.matches(token.text + "0"))
    }

    // MARK: On the wire

    /// Expects a status to answer a handshake: 101 where it is accepted.
    private func expect(
        _ expected: Int, _ address: BridgeServer.Address, path: String = "/page", host: String? = nil,
        origin: String? = "http://localhost",
        subprotocols: String? = "bridge.page.v1", headers: [String] = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        var status = 101
        do {
            _ = try await WebSocketClient.connect(
                port: address.port, path: path, host: host, origin: origin, subprotocols: subprotocols, headers: headers
            )
        } catch let refused as WebSocketClient.Refused {
            status = refused.status
        }
        #expect(status == expected, sourceLocation: sourceLocation)
    }

    @Test func refusesHandshake_withStatusThatSaysWhy() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            try await expect(101, address)
            try await expect(403, address, host: "evil.com")
            try await expect(403, address, origin: "https://evil.com")
            try await expect(403, address, origin: "null")
            try await expect(404, address, path: "/elsewhere")
            try await expect(400, address, subprotocols: nil)
            try await expect(400, address, subprotocols: "bridge.page.v2")
            try await expect(400, address, subprotocols: "http")
            try await expect(401, address, origin: nil)
            #expect(
                await recorder.problem("originNotAllowed").hint?.contains("--allow-origin https://evil.com") == true)
        }
    }

    @Test func admitsClientWithoutOrigin_whenItShowsTheToken() async throws {
        try await withServer { _, address in
            let token = try RunFileContents(path: address.runFile).token
            try await expect(101, address, origin: nil, headers: ["Authorization: Bearer \(token)"])
            try await expect(101, address, origin: nil, subprotocols: "bridge.page.v1, bridge.token.\(token)")
            try await expect(401, address, origin: nil, headers: ["Authorization: Bearer \(token)0"])
        }
    }

    @Test func refusesDuplicateHost() async throws {
        try await withServer { _, address in
            let response = try await HTTPClient.request(
                path: "/health", port: address.port, headers: ["Host: localhost"])
            #expect(response.status == 403)
        }
    }

    @Test func keepsRunFilePrivate_andRemovesItAtTheEnd() async throws {
        let path = try await withServer { _, address in
            let contents = try RunFileContents(path: address.runFile)
            #expect(contents.mode == 0o600 && contents.folderMode == 0o700)
            #expect(contents.url == address.url)
            return address.runFile
        }
        #expect(throws: (any Error).self) { try RunFileContents(path: path) }
    }

    @Test func asksEveryPageForThePageToken_whenListeningBeyondLoopback() async throws {
        try await withServer {
            $0.addresses = ["0.0.0.0"]
        } _: { _, address in
            let token = try #require(address.pageToken)
            try await expect(401, address)
            try await expect(101, address, subprotocols: "bridge.page.v1, bridge.token.\(token)")
            #expect(try await HTTPClient.request(path: "/bridge.js", port: address.port).status == 401)
            #expect(try await HTTPClient.request(path: "/bridge.js?token=\(token)", port: address.port).status == 200)
        }
    }
}
