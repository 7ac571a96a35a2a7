import BridgeProtocol
import BridgeServer
import TestSupport
import Testing

/// What `app.reset` says about pages that it cannot ask to forget.
@MainActor @Suite(.timeLimit(.minutes(4))) struct ResetMethodTests {
    private func reset(_ tool: ControlClient) async throws -> [String] {
        try await tool.call("app.reset")["notCleared"]?.elements.compactMap(\.string) ?? ["no answer"]
    }

    @Test func nothingIsLeft_ifNoPageHasAttachedYet() async throws {
        try await withServer { _, address in
            let left = try await reset(ControlClient(address))
            #expect(left == [])
        }
    }

    @Test func namesAPageThatIsAway() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            let (page, _) = try await PageClient.attach(port: address.port)
            page.drop()
            _ = try await recorder.first { if case .page(.detached) = $0.event { true } else { false } }
            let left = try await reset(ControlClient(address))
            #expect(
                left == [
                    "cookies and storage of http://localhost: p1 has no connection. "
                        + "Reset again when it is attached, or open another page."
                ])
        }
    }

    /// Nothing is left of the page in the daemon, but its browser may still run.
    @Test func saysThatNoPageIsThere_ifAllHaveGone() async throws {
        try await withServer { configuration in
            configuration.limits.awayTimeout = .milliseconds(1)
        } _: { server, address in
            let recorder = Recorder(server)
            let token = try DiscoveryFileContents(path: address.discoveryFile).token
            let (page, _) = try await PageClient.attachDriven(port: address.port, token: token, engine: .chromium)
            page.drop()
            _ = try await recorder.first { if case .page(.gone) = $0.event { true } else { false } }
            let left = try await reset(ControlClient(address))
            #expect(
                left == [
                    "cookies and storage in the browsers of earlier pages: no page is attached. "
                        + "Open one in each of these browsers, then reset again."
                ])
        }
    }

    @Test func anotherPageOfTheDrivenBrowserClearsForOneThatIsAway() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            let token = try DiscoveryFileContents(path: address.discoveryFile).token
            let (away, _) = try await PageClient.attachDriven(
                port: address.port, token: token, engine: .chromium, webView: "popup")
            away.drop()
            _ = try await recorder.first { if case .page(.detached) = $0.event { true } else { false } }
            let (page, _) = try await PageClient.attachDriven(
                port: address.port, token: token, engine: .chromium, document: "d-2")
            async let left = reset(ControlClient(address))
            let command = try await page.next("method", "storage.clear")
            #expect(command["params"]?["origins"]?.description == #"["http://localhost:3000"]"#)
            page.send(#"{"jsonrpc":"2.0","id":\#(command["id"]?.number ?? 0),"result":{"value":[]}}"#)
            let script = try await page.next("method", "script.callAsync")
            page.send(#"{"jsonrpc":"2.0","id":\#(script["id"]?.number ?? 0),"result":{"value":[]}}"#)
            #expect(try await left == [])
        }
    }
}
