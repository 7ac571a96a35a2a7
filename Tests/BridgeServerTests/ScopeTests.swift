import BridgeProtocol
import TestSupport
import Testing

@testable import BridgeServer

/// The handlers, user scripts and user agents of web views.
@MainActor @Suite(.timeLimit(.minutes(4))) struct ScopeTests {
    /// The settings that are inlined in `/bridge.js`.
    private func settings(_ address: BridgeServer.Address, query: String = "") async throws -> JSON {
        let response = try await HTTPClient.request(
            path: "/bridge.js\(query)", port: address.port, headers: ["User-Agent: Browser/1.0"])
        let line = try #require(response.body.split(separator: "\n").first { $0.contains("settings = {\"url\":") })
        return try JSON.parse(line.drop { $0 != "{" })
    }

    private func userAgent(_ address: BridgeServer.Address) async throws -> String? {
        try await settings(address)["userAgent"]?.string
    }

    private func scope(handler: String) -> WebViewScope {
        let scope = WebViewScope()
        scope.handlers[handler] = .plain { _, _ in .handled }
        return scope
    }

    /// Removes a scope of its own when it is released, as the owner of a web view does.
    @MainActor private final class Owner {
        private let server: BridgeServer

        init(_ server: BridgeServer) { self.server = server }

        isolated deinit {
            if server.scope(for: "other") == nil { server.setScope(WebViewScope(), for: "other") }
        }
    }

    @Test func releasedScopeMayChangeOthers() async throws {
        try await withServer { server, _ in
            for isReplaced in [true, false] {
                let scope = WebViewScope()
                scope.handlers["owned"] = .plain { [owner = Owner(server)] _, _ in
                    withExtendedLifetime(owner) { .handled }
                }
                server.setScope(nil, for: "other")
                server.setScope(consume scope, for: "modal")
                server.setScope(isReplaced ? WebViewScope() : nil, for: "modal")
                #expect(server.scope(for: "other") != nil && (server.scope(for: "modal") != nil) == isReplaced)
            }
        }
    }

    @Test func givesWebViewItsOwnHandlers() async throws {
        try await withServer { server, address in
            server.addHandler("usual", .plain { _, _ in .handled })
            server.setScope(scope(handler: "special"), for: "modal")
            let (_, modal) = try await PageClient.attach(port: address.port, document: "d-1", webView: "modal")
            let (_, main) = try await PageClient.attach(port: address.port, document: "d-2")
            #expect(modal["handlers"]?.description == #"[{"name":"special","replies":false}]"#)
            #expect(main["handlers"]?.description == #"[{"name":"usual","replies":false}]"#)
        }
    }

    @Test func dropsMessage_toHandlerOfAnotherWebView() async throws {
        try await withServer { server, address in
            server.setScope(scope(handler: "special"), for: "modal")
            let (page, _) = try await PageClient.attach(port: address.port)
            await page.post("1", seq: 1, to: "special")
            #expect(try await page.nextError()["code"]?.number == -32001)
        }
    }

    @Test func notifiesOnlyAffectedPages_whenHandlersChange() async throws {
        try await withServer { server, address in
            let scope = scope(handler: "special")
            server.setScope(scope, for: "modal")
            let (modal, _) = try await PageClient.attach(port: address.port, document: "d-1", webView: "modal")
            let (main, _) = try await PageClient.attach(port: address.port, document: "d-2")
            scope.handlers["more"] = .plain { _, _ in .handled }
            server.addHandler("usual", .plain { _, _ in .handled })
            #expect(try await modal.next("method", "handlers.changed")["params"]?["handlers"]?.count == 2)
            #expect(try await main.next("method", "handlers.changed")["params"]?["handlers"]?.count == 1)
        }
    }

    @Test func notifiesOnlyLoadingPages_whenUserScriptsChange() async throws {
        try await withServer { server, address in
            let scope = scope(handler: "special")
            server.setScope(scope, for: "main")
            let loading = try await PageClient(port: address.port)
            await loading.sendAttach(document: "d-1", readyState: "interactive")
            _ = try await loading.next("id", "attach")
            let (complete, _) = try await PageClient.attach(port: address.port, document: "d-2")
            scope.userScripts = [UserScript(source: "1", injectionTime: .atDocumentEnd, forMainFrameOnly: false)]
            scope.handlers["more"] = .plain { _, _ in .handled }
            let scripts = try await loading.next("method", "handlers.changed")["params"]?["userScripts"]
            #expect(scripts?.description == #"[{"source":"1","at":"end","mainFrameOnly":false}]"#)
            let change = try await complete.next("method", "handlers.changed")["params"]
            #expect(change?["handlers"]?.count == 2)
            #expect(change?["userScripts"] == nil)
        }
    }

    @Test func givesPopupScopeOfItsOpener() async throws {
        try await withServer { server, address in
            server.setScope(scope(handler: "special"), for: "modal")
            let (_, popup) = try await PageClient.attach(port: address.port, webView: "modal.popup")
            #expect(popup["handlers"]?.description == #"[{"name":"special","replies":false}]"#)
        }
    }

    @Test(arguments: zip([AllowedScripts.all, .native, .none], [1, 1, 0]))
    func inlinesWhichScriptsMayRun(_ allowed: AllowedScripts, userScripts: Int) async throws {
        try await withServer { server, address in
            let scope = WebViewScope()
            scope.userScripts = [UserScript(source: "1", injectionTime: .atDocumentStart, forMainFrameOnly: false)]
            scope.allowedScripts = { allowed }
            server.setScope(scope, for: "main")
            let settings = try await settings(address, query: "?web-view=main")
            #expect(settings["contentScripts"]?.bool == (allowed == .all ? nil : false))
            #expect(settings["userScripts"]?.count == userScripts)
        }
    }

    @Test func inlinesUserScriptPatterns() async throws {
        try await withServer { server, address in
            let scope = WebViewScope()
            scope.userScripts = [
                UserScript(
                    source: "1", injectionTime: .atDocumentStart, forMainFrameOnly: true, includedPatterns: ["*://a/*"],
                    excludedPatterns: ["*://a/b"])
            ]
            server.setScope(scope, for: "main")
            let script = try await settings(address, query: "?web-view=main")["userScripts"]?[0]
            #expect(script?["include"]?[0]?.string == "^https?://a/.*$")
            #expect(script?["exclude"]?[0]?.string == "^https?://a/b$")
        }
    }

    @Test(arguments: [
        ("http://localhost/*", true), ("https://localhost/*", false), ("*://*.localhost/shop/*", true),
        ("*://*.host/*", false), ("http://local*/*", true), ("http://localhost/", false), ("*://*/?hop/1?a=(b)", false),
        ("*://localhost/shop/1?a=(b)", true), ("ftp://localhost/*", false), ("nonsense", false),
        ("http://localhost", false),
    ])
    func matchesUserScriptPatterns(_ pattern: String, _ matches: Bool) throws {
        let address = "http://localhost/shop/1?a=(b)"
        let found = address.range(of: UserScriptPattern(text: pattern).expression, options: .regularExpression)
        #expect((found != nil) == matches)
    }

    @Test func notifiesPages_whenTheirWebViewGetsScope() async throws {
        try await withServer { server, address in
            let (main, _) = try await PageClient.attach(port: address.port)
            server.setScope(scope(handler: "special"), for: "main")
            #expect(try await main.next("method", "handlers.changed")["params"]?["handlers"]?.count == 1)
            server.setScope(nil, for: "main")
            #expect(try await main.next("method", "handlers.changed")["params"]?["handlers"]?.count == 0)
        }
    }

    @Test func inlinesAllScopes() async throws {
        try await withServer { server, address in
            let modal = scope(handler: "special")
            modal.userScripts = [UserScript(source: "1", injectionTime: .atDocumentEnd, forMainFrameOnly: true)]
            server.setScope(modal, for: "modal")
            let settings = try await settings(address)
            #expect(settings["handlers"]?.count == 0 && settings["userScripts"]?.count == 0)
            let entry = settings["webViews"]?["modal"]
            #expect(entry?["handlers"]?.count == 1)
            #expect(entry?["userScripts"]?.description == #"[{"source":"1","at":"end","mainFrameOnly":true}]"#)
        }
    }

    @Test func inlinesOneScope_whenScriptIsForWebView() async throws {
        try await withServer { server, address in
            server.setScope(scope(handler: "special"), for: "a b")
            let settings = try await settings(address, query: "?web-view=a%20b")
            #expect(settings["webView"]?.string == "a b")
            #expect(settings["handlers"]?.count == 1 && settings["webViews"] == nil)
        }
    }

    @Test func inlinesUserAgent() async throws {
        try await withServer { server, address in
            let usual = try await userAgent(address)
            server.defaultScope.applicationNameForUserAgent = "Turbo Native iOS"
            let extended = try await userAgent(address)
            #expect(server.defaultScope.phoneUserAgent?.hasSuffix(" Mobile/15E148 Turbo Native iOS") == true)
            // A browser that a test starts has it already.
            server.defaultScope.applicationNameForUserAgent = "Browser/1.0"
            #expect(try await userAgent(address) == nil)
            server.defaultScope.userAgent = "Mine"
            #expect(server.defaultScope.phoneUserAgent == "Mine")
            let own = try await userAgent(address)
            #expect(usual == nil && extended == "Browser/1.0 Turbo Native iOS" && own == "Mine")
        }
    }

    @Test func listsInterfaceObjects_onlyIfThereAreAny() async throws {
        try await withServer { server, address in
            let bare = try await HTTPClient.request(path: "/bridge.js", port: address.port).body
            var device = JavascriptInterface()
            device.method("model") { "Pixel 9" }
            server.addJavascriptInterface(device, name: "Device")
            let full = try await HTTPClient.request(path: "/bridge.js", port: address.port).body
            #expect(!bare.contains(#""interfaces":"#))
            #expect(full.contains(#""interfaces":[{"name":"Device","methods":["model"]}]"#))
            server.removeJavascriptInterface("Device")
            #expect(try await HTTPClient.request(path: "/bridge.js", port: address.port).body == bare)
        }
    }
}
