import BridgeServer
import TestSupport
import Testing

@testable import BridgeServer

/// What a daemon accepts over a connection (docs/protocol.md, "Security").
@MainActor @Suite(.timeLimit(.minutes(4))) struct AccessTests {
    /// Expects a handshake to be answered with a status: 101 if it is accepted.
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

    @Test func refusesHandshakeWithMatchingStatus() async throws {
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
                try await recorder.problem("originNotAllowed").hint?.contains(
                    "\"https://evil.com\" in Configuration.allowedOrigins") == true
            )
        }
    }

    @Test func acceptsClientWithoutOriginIfItShowsTheToken() async throws {
        try await withServer { _, address in
            let token = try DiscoveryFileContents(path: address.discoveryFile).token
            try await expect(101, address, origin: nil, headers: ["Authorization: Bearer \(token)"])
            try await expect(101, address, origin: nil, subprotocols: "bridge.page.v1, bridge.token.\(token)")
            try await expect(401, address, origin: nil, headers: ["Authorization: Bearer \(token)0"])
        }
    }

    /// No header field lets a page of another site read a response.
    @Test(arguments: ["/", "/health", "/bridge.js", "/demo/", "/openrpc.json", "/metrics", "/rpc", "/document"])
    func allowsNoOtherSiteToRead(path: String) async throws {
        try await withServer { _, address in
            for method in ["GET", "OPTIONS", "POST"] {
                let response = try await HTTPClient.request(
                    method, path: path, port: address.port,
                    headers: ["Origin: http://app.localhost", "Access-Control-Request-Method: POST"], body: "")
                #expect(response.fields.keys.allSatisfy { !$0.hasPrefix("access-control-") })
            }
        }
    }

    @Test(arguments: ["/rpc", "/demo/notification_tokens"])
    func acceptsOnlyJSON(path: String) async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            let token = try DiscoveryFileContents(path: address.discoveryFile).token
            for type in ["text/plain", "application/jsonp", "application/x-www-form-urlencoded", "multipart/form-data"]
            {
                let response = try await HTTPClient.request(
                    "POST", path: path, port: address.port,
                    headers: ["Authorization: Bearer \(token)", "Content-Type: \(type)"], body: "{}")
                #expect(response.status == 415)
            }
            #expect(try await recorder.problem("wrongContentType").hint?.contains("application/json") == true)
        }
    }

    @Test func acceptsBeaconsOnlyFromBrowsers() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            let response = try await HTTPClient.request("POST", path: "/beacon", port: address.port, body: "{}")
            #expect(response.status == 403)
            _ = try await recorder.problem("originMissing")
        }
    }

    @Test func refusesDuplicateHost() async throws {
        try await withServer { _, address in
            let response = try await HTTPClient.request(
                path: "/health", port: address.port, headers: ["Host: localhost"])
            #expect(response.status == 403)
        }
    }

    @Test func discoveryFileIsPrivateAndRemovedAtTheEnd() async throws {
        let path = try await withServer { _, address in
            let contents = try DiscoveryFileContents(path: address.discoveryFile)
            #expect(contents.mode == 0o600 && contents.folderMode == 0o700)
            #expect(contents.url == address.url)
            return address.discoveryFile
        }
        #expect(throws: (any Error).self) { try DiscoveryFileContents(path: path) }
    }

    @Test func warnsIfItListensBeyondLoopbackWithoutTLS() async throws {
        let codes = try await withServer {
            $0.addresses = ["0.0.0.0"]
        } _: { server, _ in
            server.traffic.query(limit: 10).records.map { $0.json["code"]?.string }
        }
        #expect(codes == ["unencrypted"])
    }

    @Test(arguments: [
        (["127.0.0.1", "::1"], nil, "localhost"), (["192.0.2.7"], "t", "192.0.2.7"),
        (["2001:db8::7"], "t", "[2001:db8::7]"),
    ])
    func browserHostIsReachable(_ addresses: [String], _ token: String?, _ host: String) {
        let address = BridgeServer.Address(url: "", port: 1, addresses: addresses, discoveryFile: "", pageToken: token)
        #expect(address.browserHost == host)
    }

    @Test func requiresPageTokenIfItListensBeyondLoopback() async throws {
        try await withServer {
            $0.addresses = ["0.0.0.0"]
        } _: { server, address in
            let token = try #require(address.pageToken)
            try await expect(401, address)
            try await expect(101, address, subprotocols: "bridge.page.v1, bridge.token.\(token)")
            #expect(try await HTTPClient.request(path: "/bridge.js", port: address.port).status == 401)
            #expect(try await HTTPClient.request(path: "/bridge.js?token=\(token)", port: address.port).status == 200)
            let document = try #require(server.url(for: "main")).dropFirst(address.url.count - 1)
            for path in ["/demo/?token=\(token)", String(document)] {
                let withoutToken = path.replacing("token=\(token)", with: "")
                #expect(try await HTTPClient.request(path: withoutToken, port: address.port).status == 401)
                let page = try await HTTPClient.request(path: path, port: address.port)
                #expect(page.status == 200 && page.body.contains("token=\(token)"))
            }
            let beacon = try await HTTPClient.request(
                "POST", path: "/beacon", port: address.port, headers: ["Origin: http://localhost"], body: "{}")
            #expect(beacon.status == 401)
        }
    }
}
