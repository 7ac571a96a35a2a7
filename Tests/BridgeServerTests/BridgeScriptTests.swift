import BridgeProtocol
import TestSupport
import Testing
import WebFiles

@testable import BridgeServer

/// `/bridge.js` as it is served. `Tests/web` tests what it does in a page.
@MainActor @Suite(.timeLimit(.minutes(4))) struct BridgeScriptTests {
    private func request(
        _ address: BridgeServer.Address, _ query: String = "", ifNoneMatch tag: String? = nil
    ) async throws -> HTTPClient.Response {
        try await HTTPClient.request(
            path: "/bridge.js\(query)", port: address.port, headers: tag.map { ["If-None-Match: \($0)"] } ?? [])
    }

    @Test func servesEachPart_asItIsWritten() async throws {
        let parts = try WebFiles.text(of: "bridge.js").matches(of: #/bridged:part ([\w-]+)/#).map(\.1)
        #expect(parts.count > 20, "The pattern finds the parts.")
        try await withServer { _, address in
            let script = try await request(address).body
            for part in parts {
                let text = try WebFiles.text(of: "bridge/\(part).js")
                #expect(script.contains("// ---- web/bridge/\(part).js ----\n\n\(text)"), "\(part)")
            }
            #expect(!script.contains("bridged:part"))
        }
    }

    @Test func answersNotModified_ifTheClientHasTheSameScript() async throws {
        try await withServer { _, address in
            let first = try await request(address)
            let tag = try #require(first.fields["etag"])
            #expect(first.status == 200)
            #expect(first.fields["cache-control"] == "no-cache")
            #expect(tag.wholeMatch(of: #/"[0-9a-f]{1,16}"/#) != nil)
            for matching in [tag, "W/\(tag)", "\"other\", \(tag)", "*"] {
                let second = try await request(address, ifNoneMatch: matching)
                #expect(second.status == 304)
                #expect(second.body.isEmpty)
                #expect(second.fields["etag"] == tag)
                #expect(second.fields["content-length"] == nil)
            }
            #expect(try await request(address, ifNoneMatch: "\"other\"").status == 200)
        }
    }

    @Test func namesWhatToObserveInAppsOfTheirOwn() async throws {
        try await withServer { _, address in
            let script = try await request(address).body
            #expect(!script.contains(#""observe":["#))
        }
        try await withServer {
            $0.observed = ["myApp.bridge", "</script>"]
        } _: { _, address in
            let script = try await request(address).body
            #expect(script.contains(#""observe":["myApp.bridge","\u003c/script\u003e"]"#))
        }
    }

    @Test func changesItsEntityTag_withTheSettings() async throws {
        try await withServer { server, address in
            let first = try #require(try await request(address).fields["etag"])
            let modal = try #require(try await request(address, "?web-view=modal").fields["etag"])
            #expect(modal != first)
            #expect(try await request(address, "?web-view=modal", ifNoneMatch: first).status == 200)
            server.addHandler("camera", .plain { _, _ in .handled })
            #expect(try await request(address, ifNoneMatch: first).status == 200)
            server.removeHandler("camera")
            #expect(try await request(address, ifNoneMatch: first).status == 304)
        }
    }
}
