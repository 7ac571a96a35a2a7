import BridgeProtocol
import TestSupport
import Testing

@testable import BridgeServer

/// What a page says about itself, and which scripts it gets.
extension AppOriginTests {
    @Test func originOfAFrameIsWhatTheBrowserSays() async throws {
        try await withServer { server, address in
            let pages = Pages(address)
            // The params say http://localhost:3000.
            try await pages.attach(Self.other, url: "\(Self.app)/")
            #expect(server.pages.first?.frame.origin == Self.other)
        }
    }

    @Test func noPageSpeaksForADocumentOfAnotherOrigin() async throws {
        try await withServer { server, address in
            let pages = Pages(address)
            let recorder = Recorder(server)
            try await pages.attach(Self.app)
            let (_, attached) = try await pages.attach(Self.other)
            #expect(attached["error"]?["code"]?.number == -32600)
            let json = "Content-Type: application/json"
            let message = PageClient.post("1", seq: 1)
            let params = try JSON.parse(PageClient.attach(document: "d-1", webView: "main"))["params"] ?? .null
            for (path, body) in [
                ("/beacon", #"{"document":"d-1","messages":[\#(message)]}"#),
                ("/call", #"{"document":"d-1","attach":\#(params),"messages":[\#(message)]}"#),
            ] {
                let response = try await HTTPClient.request(
                    "POST", path: path, port: address.port, headers: ["Origin: \(Self.other)", json], body: body)
                #expect(response.status == 400)
            }
            #expect(server.pages.count == 1 && server.pages[0].isAttached)
            #expect(!recorder.records.contains { if case .message = $0.event { true } else { false } })
        }
    }

    @Test func pageOfAnotherOriginGetsNoScriptsOfTheApp() async throws {
        try await withServer { server, address in
            let pages = Pages(address)
            let scope = WebViewScope()
            scope.userScripts = [
                UserScript(source: "secretOfMain()", injectionTime: .atDocumentEnd, forMainFrameOnly: true)
            ]
            server.setScope(scope, for: "main")
            try await pages.attach(Self.app)
            let recorder = Recorder(server)
            let own = "http://localhost:\(address.port)"
            let main = "/bridge.js?web-view=main"
            let key = try await documentKey(server, address)
            for (path, header, isForApp) in [
                ("/bridge.js", "Referer: \(Self.app)/", true), ("/bridge.js", "Referer: \(Self.other)/", false),
                (main, "Referer: \(Self.other)/", false), (main, "Referer: \(own)/", false),
                (main, "Origin: \(Self.other)", false), ("\(main)&key=\(key)", "Referer: \(own)/", true),
                // A page may hide its Referer.
                (main, "Sec-Fetch-Site: same-site", false), ("/bridge.js", "Sec-Fetch-Site: same-site", false),
                (main, "Sec-Fetch-Site: same-origin", false), (main, "Sec-Fetch-Site: none", true),
            ] {
                let script = try await HTTPClient.request(path: path, port: address.port, headers: [header])
                #expect(script.status == 200 && script.body.contains("secretOfMain()") == isForApp, "\(path) \(header)")
            }
            let problem = try await recorder.problem("refererHidden")
            #expect(problem.hint?.contains("referrerpolicy=\"origin\"") == true)
        }
    }
}
