import BridgeProtocol
import BridgeServer
import BridgeTraffic
import BridgeYAML
import EmulatedApp
import Foundation
import TestSupport
import Testing

@testable import BridgeTesting

/// What flows that fail tell, without a browser: a stand-in for a page posts one message.
@MainActor @Suite(.timeLimit(.minutes(2))) struct FlowFailureTests {
    private func failure(of flow: String) async throws -> FlowFailure {
        try #require(await result(of: flow, in: .attached(.chromium)).failure)
    }

    /// - Parameter act: what happens while the flow runs.
    private func result(
        of flow: String, in browser: TestBrowser, _ act: @escaping @MainActor (TrafficLog) -> Void = { _ in }
    ) async throws -> FlowResult {
        let flow = try Flow(YAMLFile(name: "f.yml", text: flow))
        var pages: [PageStandIn] = []
        let runner = FlowRunner { _, engine, _ in
            var configuration = BridgeServer.Configuration()
            configuration.port = 0
            let server = try BridgeServer(configuration)
            let app = try EmulatedApp(server: server)
            let page = PageStandIn(server)
            pages.append(page)
            Task {
                _ = try? await page.post(["name": "ActionButton", "path": "/x", "icon": "plus"], to: "nativeApp")
                act(server.traffic)
            }
            return try await BridgedApp(engine, server: server, emulatedApp: app)
        }
        return await runner.run(flow, in: browser)
    }

    private func requestPosts(_ traffic: TrafficLog) {
        let request = FinishedRequest(url: "http://localhost:3000/posts?page=1", method: "GET", status: 200)
        traffic.append(.request(request, visit: nil), .toNative, nil)
    }

    @Test func countsRequests() async throws {
        let flow = """
            - expect requests: {url: /posts, method: GET, status: 200, count: 2}
            - expect requests: {url: /posts, count: 0}
            - expect requests: {url: /other, count: 0}
            - expect no problem
            """
        let twoRequests: @MainActor (TrafficLog) -> Void = { for _ in 1...2 { requestPosts($0) } }
        #expect(try await result(of: flow, in: .driven(.chromium), twoRequests).failure == nil)
        let once = "- expect requests: {url: /posts, count: 1}"
        let twice = try await result(of: once, in: .driven(.chromium), twoRequests).failure
        #expect(twice?.found.hasPrefix("2 came: record ") == true, "\(twice?.found ?? "")")
        let none = try await result(of: once + "\n  timeout: 100ms", in: .driven(.chromium)).failure
        #expect(none?.found == "none came")
    }

    @Test func browserWithTheTagTellsNoRequests() async throws {
        let failure = try await failure(of: "- expect requests: {url: /posts}")
        #expect(failure.found.contains("in one that bridged drives"))
    }

    @Test func faultsNeedADrivenBrowser() async throws {
        let failure = try await failure(of: "- fault: {url: /posts, kind: status, status: 503, times: 1}")
        #expect(failure.found.contains("the script tag cannot change requests"))
        for wrong in ["{url: /posts}", "{url: /posts, kind: slow}", "{url: /, kind: cut, times: 0}"] {
            #expect(throws: YAMLError.self) { try Flow(YAMLFile(name: "f.yml", text: "- fault: \(wrong)")) }
        }
    }

    @Test func problemFailsAFlow_thatExpectsNone() async throws {
        let problem: @MainActor (TrafficLog) -> Void = { $0.problem("doubleVisit", "Twice.", hint: "") }
        for (step, fails) in [("", true), (": {code: doubleVisit}", true), (": {code: other}", false)] {
            let flow = "- expect no problem\(step)"
            let failure = try await result(of: flow, in: .attached(.chromium), problem).failure
            #expect((failure != nil) == fails, "\(flow)")
        }
    }

    @Test func showsTheMessagesThatCame() async throws {
        let failure = try await failure(of: "- expect message: {name: ActionButon}\n  timeout: 500ms")
        #expect(failure.found.hasPrefix("none came; did you mean ActionButton? these came: record "))
        #expect(failure.found.hasSuffix(#" to nativeApp has {"name":"ActionButton","path":"/x","icon":"plus"}"#))
        let component = try await self.failure(of: "- expect message: {name: connect, match: {a: 1}}\n  timeout: 500ms")
        #expect(component.found.hasPrefix("none came; these came: record "))
    }

    @Test func tellsWhyAPageDoesNotAskForTheScript() async throws {
        let site = try await StaticApp("<script src=\"http://localhost:2734/bridge.js\"></script>")
        let other = await MissingScript.cause(at: site.url, port: 4000)
        #expect(other?.hasPrefix("its script tag names port 2734, and this daemon has port 4000.") == true)
        #expect(await MissingScript.cause(at: site.url, port: 2734) == nil)
        let silent = await MissingScript.cause(at: "http://127.0.0.1:1/", port: 4000)
        #expect(silent?.hasPrefix("no server answers at http://127.0.0.1:1: ") == true)
    }

    @Test func showsNoScripts() async throws {
        let failure = try await failure(of: "- expect message: {name: ActionButton}\n- wait: done\n  timeout: 300ms")
        #expect(failure.records.contains { $0.event.kind == .message })
        #expect(!failure.records.contains { [.evaluate, .callAsync, .result].contains($0.event.kind) })
    }

    @Test func anAppThatAnotherVersionHasBuilt_isBuiltAgain() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("{\"duration\": 1}".utf8).write(to: file)
        let error = #expect(throws: HostedFlowError.self) { try HostedFlowResult(contentsOf: file) }
        #expect(error.map { "\($0)" }?.contains("Build it again: bridged run PROJECT --build") == true)
    }
}
