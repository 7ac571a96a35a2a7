import BridgeProtocol
import BridgeServer
import Foundation
import TestSupport
import Testing

@testable import EmulatedApp

/// What the emulated app does for pages that are not the app's own, or lie about themselves (docs/security.md).
@MainActor @Suite(.timeLimit(.minutes(4))) struct OtherPageTests {
    /// Before the app's first page, a page of the daemon's own origin may be in `main`. That need not be the demo.
    @Test func startsAgain_ifAnotherPageStartedIt() async throws {
        try await withServer { server, address in
            var configuration = EmulatedApp.Configuration()
            configuration.signInURL = URL(string: "/session")
            let app = try EmulatedApp(server: server, configuration)
            let own = "http://localhost:\(address.port)"
            let (early, _) = try await PageClient.attach(port: address.port, origin: own, url: "http://localhost:4000/")
            early.send(#"{"jsonrpc":"2.0","method":"page.update","params":{"readyState":"complete"}}"#)
            let recorder = Recorder(server)
            await early.post(
                #"{"name":"visitProposed","data":{"location":"\#(own)/next","options":{"action":"advance"}}}"#, seq: 1,
                to: "turbo")
            _ = try await recorder.first { if case .message = $0.event { true } else { false } }
            #expect(app.navigation.main.count == 2)
            #expect(throws: ActionRefusal.self) { try app.perform("signIn", ["password": "s3cret"]) }
            early.drop()
            let (page, _) = try await PageClient.attach(
                port: address.port, origin: PageFixture.origin, document: "d-2")
            page.send(#"{"jsonrpc":"2.0","method":"page.update","params":{"readyState":"complete","status":200}}"#)
            _ = try await recorder.first { $0.page == "p2" && $0.event.kind == .page }
            let url = try #require(URL(string: "\(PageFixture.origin)/"))
            #expect(app.navigation.main.map(\.url) == [url] && app.baseURL == url)
            #expect(throws: ActionRefusal.self) { try app.perform("back") }
        }
    }

    /// What a page says of its URL does not decide where the app sends a password.
    @Test func resolvesPathsOnlyAgainstTheAppsOrigin() async throws {
        try await withServer { server, address in
            let app = try EmulatedApp(server: server)
            _ = try await PageClient.attach(
                port: address.port, origin: PageFixture.origin, url: "http://localhost:4000/")
            #expect(app.navigation.main.count == 1 && app.baseURL == nil)
        }
    }

    @Test func pageOfAnotherOriginGetsNoPushToken() async throws {
        try await PageFixture.run { fixture in
            try await fixture.attach("d-2", origin: "http://localhost:4000")
            let verdict = try await fixture.post(#"{"name":"RegisterPushToken"}"#, to: "nativeApp")
            #expect(verdict.reason == .inactiveDestination)
            #expect(verdict.found == "one in the web view 'http://localhost:4000'")
            #expect(verdict.hint?.hasPrefix("The page's origin is not the app's.") == true)
        }
    }

    @Test func sendsNoCredentialsThatAPageChose() async throws {
        let web = try ConfigurationServer(.body([]), at: "/own")
        let url = try #require(URL(string: try web.url("/own").absoluteString.replacing("://", with: "://user:pw@")))
        _ = await RedirectResolver.resolve(url, timeout: .seconds(30))
        let request = try #require(web.requests.first)
        #expect(request.hasPrefix("GET /own ") && !request.lowercased().contains("authorization"))
        #expect(!request.lowercased().contains("cookie"))
    }

    @Test func asksWithTheCookiesOfThePage_ifItGetsThem() async throws {
        let web = try ConfigurationServer(.body([]), at: "/own")
        _ = await RedirectResolver.resolve(try web.url("/own"), cookies: "sid=1", timeout: .seconds(30))
        #expect(web.requests.first?.contains("Cookie: sid=1\r\n") == true)
    }
}
