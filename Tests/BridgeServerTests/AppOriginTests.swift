import BridgeProtocol
import TestSupport
import Testing

@testable import BridgeServer

/// Which web view a page gets, by its origin (docs/security.md).
@MainActor @Suite(.timeLimit(.minutes(4))) struct AppOriginTests {
    static let app = "http://localhost:3000"
    static let other = "http://localhost:4000"

    /// The pages' connections, which close when nothing refers to them.
    final class Pages {
        private var clients: [PageClient] = []
        private let port: UInt16

        init(_ address: BridgeServer.Address) { port = address.port }

        /// Attaches a page of an origin.
        /// - Returns: the client, and the whole response to `page.attach`.
        @discardableResult @MainActor func attach(
            _ origin: String, _ document: String = "d-1", webView: String = "main", url: String? = nil,
            isMainFrame: Bool = true, documentKey: String? = nil
        ) async throws -> (PageClient, JSON) {
            let page = try await PageClient.attach(
                port: port, origin: origin, document: document, webView: webView, url: url, isMainFrame: isMainFrame,
                documentKey: documentKey)
            clients.append(page.0)
            return page
        }
    }

    private func names(_ server: BridgeServer) -> [String] { server.pages.filter(\.isAttached).map(\.webView) }

    @Test func firstPagesOriginOwnsMainAndModal() async throws {
        try await withServer { server, address in
            let pages = Pages(address)
            let recorder = Recorder(server)
            let (_, main) = try await pages.attach(Self.app)
            let (_, page) = try await pages.attach(Self.other, "d-2")
            try await pages.attach(Self.other, "d-3", webView: "modal")
            try await pages.attach(Self.app, "d-4", webView: "modal")
            #expect(main["result"]?["webView"] == nil && page["result"]?["webView"]?.string == Self.other)
            #expect(names(server) == ["main", Self.other, "\(Self.other)/modal", "modal"])
            #expect(server.addedAppOrigins == [Self.app])
            let problem = try await recorder.problem("otherOrigin")
            #expect(problem.text.contains("p2") && problem.text.contains(Self.other))
            #expect(problem.hint?.contains("\"\(Self.other)\" in Configuration.appOrigins") == true)
        }
    }

    @Test func reportsAnOtherOriginOnce() async throws {
        try await withServer { server, address in
            let pages = Pages(address)
            let recorder = Recorder(server)
            try await pages.attach(Self.app)
            for number in 2...5 { try await pages.attach(Self.other, "d-\(number)") }
            let reports = recorder.records.count {
                if case .problem("otherOrigin", _, _, _, _) = $0.event { true } else { false }
            }
            #expect(reports == 1)
        }
    }

    /// What a tool evaluates in `main` must not reach a page of another origin, whenever that page came.
    @Test func toolsReachOtherOriginsOnlyByName() async throws {
        try await withServer {
            $0.limits.pageTimeout = .milliseconds(50)
        } _: { server, address in
            let pages = Pages(address)
            let tool = try ControlClient(address)
            let (app, _) = try await pages.attach(Self.app)
            let (other, _) = try await pages.attach(Self.other, "d-2")
            async let secret = tool.call("script.evaluate", #"{"source":"login('s3cret')"}"#)
            let request = try await app.next("method", "script.evaluate")
            app.send("{\"jsonrpc\":\"2.0\",\"id\":\(request["id"]?.number ?? 0),\"result\":{\"value\":1}}")
            #expect(try await secret["value"]?.number == 1)
            app.close(1001)
            await #expect(throws: (any Error).self) {
                try await tool.call("script.evaluate", #"{"source":"login('s3cret')","timeoutMs":50}"#)
            }
            async let named = tool.call("script.evaluate", #"{"source":"1","webView":"\#(Self.other)"}"#)
            let asked = try await other.next("method", "script.evaluate")
            #expect(asked["params"]?["source"]?.string == "1")
            other.send("{\"jsonrpc\":\"2.0\",\"id\":\(asked["id"]?.number ?? 0),\"result\":{\"value\":2}}")
            #expect(try await named["value"]?.number == 2)
        }
    }

    @Test func sameServerUnderAnotherNameIsTheSameApp() async throws {
        try await withServer { server, address in
            let pages = Pages(address)
            for (number, origin) in [Self.app, "http://127.0.0.1:3000", "http://[::1]:3000"].enumerated() {
                try await pages.attach(origin, "d-\(number)")
            }
            try await pages.attach("https://localhost:3000", "d-9")
            #expect(server.pages.map(\.webView) == ["main", "main", "main", "https://localhost:3000"])
        }
    }

    @Test func framesDoNotDecide_andAFrameOfAnotherOriginGetsItsName() async throws {
        try await withServer { server, address in
            let pages = Pages(address)
            let (frame, early) = try await pages.attach(Self.other, "f-1", isMainFrame: false)
            #expect(early["result"]?["webView"] == nil)
            try await pages.attach(Self.app)
            #expect(await frame.closeCode() == 1000)
            let (_, late) = try await pages.attach(Self.other, "f-1", isMainFrame: false)
            #expect(late["result"]?["webView"]?.string == Self.other)
        }
    }

    /// Loads a document of native code and its script.
    /// - Returns: what the script shows when it attaches.
    func documentKey(_ server: BridgeServer, _ address: BridgeServer.Address) async throws -> String {
        let url = try #require(server.url(for: "modal"))
        let document = try await HTTPClient.request(
            path: String(url.dropFirst(address.url.count - 1)), port: address.port)
        let source = try #require(document.body.firstMatch(of: /src="([^"]+)"/)?.1)
        let script = try await HTTPClient.request(path: String(source), port: address.port)
        return String(try #require(script.body.firstMatch(of: /"documentKey":"([0-9a-f]{32})"/)?.1))
    }

    @Test func demoGivesWay_andDocumentsOfNativeCodeStay() async throws {
        try await withServer { server, address in
            let pages = Pages(address)
            let own = "http://localhost:\(address.port)"
            let (demo, first) = try await pages.attach(own, url: "\(own)/demo/")
            let key = try await documentKey(server, address)
            try await pages.attach(own, "d-2", webView: "modal", documentKey: key)
            #expect(first["result"]?["webView"] == nil)
            try await pages.attach(Self.app, "d-3")
            #expect(await demo.closeCode() == 1000)
            let (_, again) = try await pages.attach(own, url: "\(own)/demo/")
            #expect(again["result"]?["webView"]?.string == own)
            #expect(names(server) == ["modal", "main", own])
        }
    }

    /// A tab may still show a page of the server that had the daemon's port before.
    @Test func pageOfTheDaemonsOriginIsNotNativeCodes_withoutTheKey() async throws {
        try await withServer {
            $0.appOrigins = [Self.app]
        } _: { server, address in
            let pages = Pages(address)
            let own = "http://localhost:\(address.port)"
            for (number, key) in [nil, "", String(repeating: "0", count: 32)].enumerated() {
                let (_, page) = try await pages.attach(
                    own, "d-\(number)", url: "\(own)/document?web-view=main", documentKey: key)
                #expect(page["result"]?["webView"]?.string == own)
            }
            // A page of another origin gains nothing by the key.
            let key = try await documentKey(server, address)
            let (_, other) = try await pages.attach(Self.other, "d-4", documentKey: key)
            #expect(other["result"]?["webView"]?.string == Self.other)
            let params = try JSON.parse(PageClient.attach(document: "d-5", webView: "main"))["params"] ?? .null
            let messages = (1...2).map { PageClient.post("1", seq: $0) }
            for (path, body) in [
                ("/call", #"{"attach":\#(params),"messages":[\#(messages[0])]}"#),
                ("/beacon", #"{"document":"d-5","attach":\#(params),"messages":[\#(messages[1])]}"#),
            ] {
                let response = try await HTTPClient.request(
                    "POST", path: path, port: address.port,
                    headers: ["Origin: \(own)", "Content-Type: application/json"], body: body)
                #expect(response.status == 204)
            }
            #expect(!server.pages.contains { $0.webView == "main" })
        }
    }

    /// It decides as `page.attach` does, so everybody sees which origin has `main`.
    @Test func beaconOfTheFirstPageDecides() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            let params = try JSON.parse(PageClient.attach(document: "d-1", webView: "main"))["params"] ?? .null
            let response = try await HTTPClient.request(
                "POST", path: "/beacon", port: address.port, headers: ["Origin: \(Self.other)"],
                body: #"{"document":"d-1","attach":\#(params),"messages":[\#(PageClient.post("1", seq: 1))]}"#)
            #expect(response.status == 204 && server.addedAppOrigins == [Self.other])
            let (_, page) = try await Pages(address).attach(Self.app, "d-2")
            #expect(page["result"]?["webView"]?.string == Self.app)
            #expect(try await recorder.problem("otherOrigin").text.contains(Self.app))
        }
    }

    @Test func toolMakesAnotherOriginTheApps() async throws {
        try await withServer { server, address in
            let pages = Pages(address)
            var origins: [String] = []
            server.observeAppOrigins { origins.append($0) }
            let tool = try ControlClient(address)
            try await pages.attach(Self.app)
            let (other, _) = try await pages.attach(Self.other, "d-2")
            let result = try await tool.call("origins.add", #"{"origin":"\#(Self.other)/some/page"}"#)
            #expect(result["origins"]?.count == 2 && origins == [Self.app, Self.other])
            #expect(await other.closeCode() == 1000)
            let (_, again) = try await pages.attach(Self.other, "d-2")
            #expect(again["result"]?["webView"] == nil && names(server) == ["main", "main"])
        }
    }

    @Test func originThatAToolNavigatesToBecomesTheApps() async throws {
        try await withServer { server, address in
            let pages = Pages(address)
            let tool = try ControlClient(address)
            try await pages.attach(Self.app)
            try await pages.attach("http://localhost:5000", "d-2")
            // A page of another origin cannot be used for it.
            _ = try await tool.call(
                "page.navigate", #"{"url":"http://localhost:5001/","webView":"http://localhost:5000"}"#)
            _ = try await tool.call("page.navigate", #"{"url":"/relative"}"#)
            #expect(server.addedAppOrigins == [Self.app])
            _ = try await tool.call("page.navigate", #"{"url":"\#(Self.other)/"}"#)
            #expect(server.addedAppOrigins == [Self.app, Self.other])
        }
    }

    @Test func settingsDecide() async throws {
        try await withServer {
            $0.appOrigins = [Self.app, "https://*.example.com"]
        } _: { server, address in
            let pages = Pages(address)
            let origins = [Self.other, "https://a.example.com", "http://127.0.0.1:3000"]
            for (number, origin) in origins.enumerated() {
                try await pages.attach(origin, "d-\(number)")
            }
            #expect(server.pages.map(\.webView) == [Self.other, "main", "main"])
            #expect(server.addedAppOrigins.isEmpty)
        }
    }

    @Test func strictServerAcceptsOnlyNamedOrigins() async throws {
        try await withServer {
            $0.appOrigins = [Self.app]
            $0.allowedOrigins = [Self.other]
            $0.hasStrictOrigins = true
        } _: { _, address in
            let pages = Pages(address)
            for origin in [Self.app, Self.other, "http://localhost:\(address.port)"] {
                let (_, response) = try await pages.attach(origin, origin)
                #expect(response["result"] != nil)
            }
            for origin in ["http://localhost:5000", "http://app.localhost", "http://app.test", "http://localhost"] {
                await #expect(throws: WebSocketClient.Refused.self) {
                    try await pages.attach(origin)
                }
                let script = try await HTTPClient.request(
                    path: "/bridge.js", port: address.port,
                    headers: ["Referer: \(origin)/", "Sec-Fetch-Site: same-site", "Sec-Fetch-Mode: no-cors"])
                #expect(script.status == 403)
            }
            let hidden = try await HTTPClient.request(
                path: "/bridge.js", port: address.port,
                headers: ["Sec-Fetch-Site: same-site", "Sec-Fetch-Mode: no-cors"])
            #expect(hidden.status == 403)
        }
    }
}
