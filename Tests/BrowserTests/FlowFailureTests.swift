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
            - expect requests: {url: /posts, method: get, status: 200, count: 2}
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

    /// The timeout of a step that expects no requests is how long none may come. Without one, the steps would take 20 s.
    @Test func noRequests_areExpectedForTheTimeout() async throws {
        let step = "- expect requests: {url: /other, count: 0}\n  timeout: 1ms\n"
        let result = try await result(of: String(repeating: step, count: 40), in: .driven(.chromium)) { _ in }
        #expect(result.failure == nil && result.duration < .seconds(15))
    }

    @Test func browserWithTheTagTellsNoRequests() async throws {
        let failure = try await failure(of: "- expect requests: {url: /posts}")
        #expect(failure.found.contains("in one that bridged drives"))
    }

    /// Dialogs are no handlers, for which a page that is open would have to be waited for.
    @Test func stubsOfDialogs_applyToAnOpenPage() async throws {
        let stub = "- stub: {handler: window.NAME, reply: {value: true}}"
        for name in ["alert", "confirm", "prompt"] {
            let flow = stub.replacing("NAME", with: name)
            #expect(try await result(of: flow, in: .attached(.chromium)).failure == nil)
        }
        for name in ["openPanel", "mediaCapture", "geolocation", "authentication"] {
            let failure = try await failure(of: stub.replacing("NAME", with: name))
            #expect(failure.found.contains("nobody does: run the test in a browser that bridged drives"))
        }
    }

    @Test func faultsNeedADrivenBrowser() async throws {
        let failure = try await failure(of: "- fault: {url: /posts, kind: status, status: 503, times: 1}")
        #expect(failure.found.contains("the script tag cannot change requests"))
        for wrong in ["{url: /posts}", "{url: /posts, kind: slow}", "{url: /, kind: cut, times: 0}"] {
            #expect(throws: YAMLError.self) { try Flow(YAMLFile(name: "f.yml", text: "- fault: \(wrong)")) }
        }
    }

    @Test func problemFailsAFlow_thatExpectsNone() async throws {
        let problem: @MainActor (TrafficLog) -> Void = {
            $0.problem(ProblemCode("doubleVisit", page: "notes/turbo.md"), "Twice.", hint: "Look.")
        }
        for (step, fails) in [("", true), (": {code: doubleVisit}", true), (": {code: other}", false)] {
            let flow = "- expect no problem\(step)"
            let failure = try await result(of: flow, in: .attached(.chromium), problem).failure
            #expect((failure != nil) == fails, "\(flow)")
            #expect(
                failure?.found.hasSuffix(" came: doubleVisit: Twice. Look. See docs/notes/turbo.md.") ?? true,
                "\(failure?.found ?? "")")
        }
    }

    @Test func showsTheMessagesThatCame() async throws {
        let failure = try await failure(of: "- expect message: {name: ActionButon}\n  timeout: 500ms")
        #expect(failure.found.hasPrefix("none came; did you mean ActionButton? these came: record "))
        #expect(failure.found.hasSuffix(#" to nativeApp has {"name":"ActionButton","path":"/x","icon":"plus"}"#))
        let handler = try await self.failure(of: "- expect message: {handler: nativeap}\n  timeout: 100ms")
        #expect(handler.found.hasPrefix("none came; did you mean nativeApp? these came: record "))
        let component = try await self.failure(of: "- expect message: {name: connect, match: {a: 1}}\n  timeout: 500ms")
        #expect(component.found.hasPrefix("none came; these came: record "))
    }

    @Test(arguments: [
        (
            "{name: ActionButton, match: {path: /y, color: red}}",
            #"/path is "/x" and not "/y", /color is nothing and not "red""#
        ),
        ("{name: ActionButton, verdict: dropped}", "its verdict is handled"),
        ("{handler: nativeApp, verdict: replied}", "its reply is not replied"),
    ])
    func saysHowAMessageDiffers(_ pattern: String, _ difference: String) async throws {
        let failure = try await failure(of: "- expect message: \(pattern)\n  timeout: 500ms")
        #expect(
            failure.found.hasSuffix(#" has {"name":"ActionButton","path":"/x","icon":"plus"}: \#(difference)"#),
            "\(failure)")
    }

    @Test func saysThatAMessageHasBeenCounted() async throws {
        let failure = try await failure(
            of: "- expect message: {name: ActionButton}\n- expect message: {name: ActionButton}\n  timeout: 100ms")
        #expect(failure.found.hasSuffix(": an earlier step has counted it"), "\(failure)")
    }

    @Test func tellsWhyAPageDoesNotAskForTheScript() async throws {
        let site = try await StaticApp("<script src=\"http://localhost:2734/bridge.js\"></script>")
        let other = await PageServer.ask(for: site.url).cause(4000)
        #expect(other?.hasPrefix("its script tag names port 2734, and this daemon has port 4000.") == true)
        #expect(await PageServer.ask(for: site.url).cause(2734) == nil)
        let dead = await PageServer.ask(for: "http://127.0.0.1:1/").cause(4000)
        #expect(dead?.hasPrefix("no server answers at http://127.0.0.1:1: ") == true)
    }

    @Test func namesAServerThatRedirectsInALoop() async throws {
        let address = "http://127.0.0.1:4000"
        let loop = PageServer.redirecting(address)
        let expected = """
            \(address): it redirects more than 10 times. Look for two pages that redirect to each other, such as a sign-in \
            without the cookie of its session
            """
        #expect(loop.silence == expected)
    }

    /// A server that accepts connections and never answers is told from one that does not listen.
    @Test func namesAServerThatDoesNotAnswer() async throws {
        // The kernel accepts its connections.
        let silent = try ListeningSocket()
        let origin = "http://127.0.0.1:\(silent.port)"
        let opening = PageOpening(url: "\(origin)/", port: 4000, isDriven: true)
        let asked = await opening.askServer(before: .now + .seconds(1), of: .seconds(30)).value
        let why = opening.whyNone(after: .seconds(30), asked)
        withExtendedLifetime(silent) {}
        #expect(why == "\(origin) accepted the connection and has not answered for 30 s")
    }

    @Test func readsHowFarAnOpenedPageMustBe() throws {
        func step(_ text: String) throws -> String {
            "\(try Flow(YAMLFile(name: "f.yml", text: text)).steps[0].action)"
        }
        #expect(try step("- open: /a") == "open /a")
        #expect(try step("- open: {url: /a, until: load}") == "open /a")
        #expect(try step("- open: {url: /a, until: attached}") == "open /a until attached")
        let error = #expect(throws: YAMLError.self) { try step("- open: {url: /a, until: idle}") }
        #expect(error.map { "\($0)" }?.contains("until is one of attached, load, not \"idle\".") == true)
        #expect(throws: YAMLError.self) { try step("- open: {until: load}") }
    }

    /// What a reply decides is found through the reply, and each message counts once.
    @Test func findsAMessageByItsReply() async throws {
        let both: @MainActor (TrafficLog) -> Void = { traffic in
            for (seq, outcome) in [(1, Verdict.Outcome.rejected), (2, .replied)] {
                traffic.append(
                    .message(
                        handler: "scan", name: nil, body: ["n": .number(Double(seq))], seq: seq,
                        verdict: Verdict(.awaitingReply)), .toNative, nil)
                traffic.append(
                    .reply(
                        handler: "scan", seq: seq,
                        result: outcome == .replied ? .success("ok") : .failure(RPCError(.handlerRejected, "no")),
                        duration: .zero, verdict: Verdict(outcome)), .toWeb, nil)
            }
        }
        let passes = """
            - expect message: {handler: scan, verdict: rejected, match: {n: 1}}
            - expect message: {handler: scan, verdict: replied, match: {n: 2}}
            - expect no message: {handler: scan, verdict: rejected}
            """
        #expect(try await result(of: passes, in: .attached(.chromium), both).failure == nil)
        let twice = "- expect message: {verdict: rejected}\n- expect message: {verdict: rejected}\n  timeout: 200ms"
        #expect(try await result(of: twice, in: .attached(.chromium), both).failure?.step?.number == 2)
        let none = "- expect no message: {handler: scan, verdict: replied}"
        #expect(try await result(of: none, in: .attached(.chromium), both).failure != nil)
    }

    /// A dialog that is not answered fails a flow even if it comes after the last step that looks for one, and the
    /// advice is a step.
    @Test func dialogFailsAFlow_withAdviceForFlows() async throws {
        let flow = try Flow(YAMLFile(name: "f.yml", text: "- wait: 300ms"))
        let runner = FlowRunner { _, engine, _ in
            var configuration = BridgeServer.Configuration()
            configuration.port = 0
            let server = try BridgeServer(configuration)
            let app = try await BridgedApp(engine, server: server)
            app.dialogs.dismissed("a confirm: \"Sure?\"", .confirm)
            return app
        }
        let failure = await runner.run(flow, in: .attached(.chromium)).failure
        #expect(
            failure?.found.hasSuffix("- stub: {handler: window.confirm, reply: {value: true}}") == true,
            "\(failure?.found ?? "")")
    }

    /// The app opens the window of a modal itself. A step that opened its page in `main` would not play back.
    @Test func recordsNoPagesOfOtherWebViews() async throws {
        let server = try BridgeServer()
        let recorder = FlowRecorder(server) { _ in }
        let pages = [
            PageStandIn(server, url: "http://localhost:3000/", webView: "main"),
            PageStandIn(server, url: "about:blank", webView: "main"),
            PageStandIn(server, url: "http://localhost:3000/new", webView: "modal"),
        ]
        #expect(
            recorder.flow(named: "rec") == """
                name: "rec"
                steps:
                  - open: "http://localhost:3000/"

                """)
        withExtendedLifetime(pages) {}
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
