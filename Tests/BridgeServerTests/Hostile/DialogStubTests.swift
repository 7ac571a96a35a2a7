import BridgeProtocol
import TestSupport
import Testing

@testable import BridgeServer

/// Pages that try to get what stubs of dialogs hold, such as the password for a server.
@MainActor @Suite(.timeLimit(.minutes(4))) struct DialogStubTests {
    nonisolated static let kinds = Dialog.Kind.allCases.map(\.handler)

    /// Runs `body` with a server that has a stub for each kind of dialog.
    private func withStubs(
        _ body: @MainActor (BridgeServer, BridgeServer.Address, ControlClient) async throws -> Void
    ) async throws {
        try await withServer { server, address in
            let tool = try ControlClient(address)
            for kind in Self.kinds {
                let reply = #"{"value":{"user":"me","password":"hunter2"}}"#
                _ = try await tool.call("handlers.stub", "{\"handler\":\"\(kind)\",\"reply\":\(reply)}")
            }
            try await body(server, address, tool)
        }
    }

    /// The pages of an attacker: the app's own, a frame of another origin, and one in a browser that is driven.
    private func pages(_ address: BridgeServer.Address) async throws -> [(page: PageClient, attached: JSON)] {
        let token = try DiscoveryFileContents(path: address.discoveryFile).token
        let (own, result) = try await PageClient.attach(port: address.port, document: "d-own")
        let frame = try await PageClient.attach(
            port: address.port, origin: "http://127.0.0.1:4000", document: "d-frame", isMainFrame: false)
        let driven = try await PageClient.attachDriven(port: address.port, token: token, document: "d-driven")
        return [(own, result), (frame.0, frame.1["result"] ?? .null), (driven.0, driven.1["result"] ?? .null)]
    }

    @Test func noPageSeesThem() async throws {
        try await withStubs { _, address, tool in
            for (page, attached) in try await pages(address) {
                #expect(attached["handlers"]?.description == "[]")
                page.drop()
            }
            let script = try await HTTPClient.request(path: "/bridge.js", port: address.port).body
            #expect(script.contains(#""handlers":[]"#))
            // Tools see them.
            #expect(try await tool.call("handlers.list")["handlers"]?.count == Self.kinds.count)
        }
    }

    @Test(arguments: kinds) func noPageGetsTheirReplies(_ kind: String) async throws {
        try await withStubs { server, address, _ in
            let recorder = Recorder(server)
            for (page, _) in try await pages(address) {
                await page.post(#"{"host":"staging.example"}"#, seq: 1, to: kind, id: "r")
                let answer = try await page.next("id", "r")
                #expect(answer["error"]?["code"]?.number == -32001 && !answer.text.contains("hunter2"))
                page.drop()
            }
            #expect(try await recorder.problem("noHandler").hint?.hasPrefix("Only the dialog itself") == true)
        }
    }

    /// A page posts to an interface object of Android by a call, and names an object and a method.
    @Test(arguments: Dialog.Kind.allCases) func noPageGetsThemByACall(_ kind: Dialog.Kind) async throws {
        try await withStubs { server, address, _ in
            server.addJavascriptInterface(JavascriptInterface(), name: "Device")
            let calls = InterfaceTests()
            for (seq, object) in ["Device", kind.handler, "window.\(kind.handler)"].enumerated() {
                let answer = try await calls.call(kind.rawValue, "[]", seq: seq + 1, of: object, address)
                #expect(answer["error"] != nil && !answer.text.contains("hunter2"))
            }
            // A page opens these three itself. Only a browser raises the others.
            let isOfPages = [.alert, .confirm, .prompt].contains(kind)
            let answer = try await calls.call(kind.rawValue, #"["Sure?"]"#, seq: 9, of: "window", address)
            #expect((answer["result"] != nil) == isOfPages)
        }
    }

    @Test func noPageWithTheScriptTagRaisesADialogOfTheBrowser() async throws {
        try await withStubs { _, address, _ in
            let (page, _) = try await PageClient.attach(port: address.port)
            let challenge = #"{"host":"staging.example","scheme":"basic","realm":"Staging"}"#
            let ask = #"{"type":"authentication","text":"","challenge":\#(challenge)}"#
            #expect(try await page.ask("dialog.show", ask)["error"]?["code"]?.number == -32601)
            page.drop()
        }
    }
}
