import BridgeBrowsers
import BridgeProtocol
import BridgeServer
import BridgeYAML
import EmulatedApp
import Foundation
import TestSupport
import Testing

@testable import BridgeTesting

/// Traces of flows, and how browsers show them from a file.
@MainActor @Suite(.serialized, .timeLimit(.minutes(3)), .browserTurns) struct TraceTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// What a page could write to end the element that it is shown in.
    private static let hostile = "</script></pre><img src=x onerror=window.hit=1><!--<script>"

    private static let page = """
        <!doctype html><title>Shop\(hostile.replacing("<", with: "&lt;"))</title><button>Buy</button>
        <script>
        document.querySelector("button").onclick = () =>
          webkit.messageHandlers.nativeApp.postMessage({name: "Bought", html: "\(hostile.replacing("<", with: "\\x3c"))"})
        </script>
        """

    private func flow(_ steps: String) throws -> Flow {
        try Flow(YAMLFile(name: "shop.yml", text: "name: Buy\(Self.hostile)\nsteps:\n\(steps)"))
    }

    /// Runs a flow in Chromium that bridged drives, against a page that the daemon serves at `/shop`.
    private func run(_ steps: String, traces: TraceMode = .failures) async throws -> FlowResult {
        try await run(try flow(steps), traces: traces)
    }

    private func run(_ flow: Flow, traces: TraceMode = .failures) async throws -> FlowResult {
        let runner = FlowRunner(traces: TraceFolder(traces, path: folder.path("traces"))) { _, engine, _ in
            var configuration = BridgeServer.Configuration()
            configuration.port = 0
            let server = try BridgeServer(configuration)
            server.serve(Self.page, at: "/shop")
            return try await BridgedApp(engine, server: server, emulatedApp: EmulatedApp(server: server))
        }
        return await runner.run(flow, in: .driven(.chromium))
    }

    private static let failing = """
          - open: /shop
          - tap: button
          - expect message: {name: Bought, match: {count: 3}}
            timeout: 200ms
          - tap: "#never"
        """

    @Test(arguments: [BrowserEngine.chromium, .firefox].tried)
    func showsTheFailedStepAtOnce(_ engine: BrowserEngine) async throws {
        try requireDriven(.chromium)
        try requireDriven(engine)
        let result = try await run(Self.failing)
        let path = folder.path("traces/shop-chromium.html")
        #expect(result.trace == .written(path: path))
        #expect(TraceFolder.problem(ofFile: path) == nil)
        try await withBridgedApp(driving: engine, app: .none) { eye in
            eye.timeout = .seconds(20)
            try await eye.open("file://\(path)")
            let viewer = TraceViewer(eye: eye)
            try await viewer.waitForText("#failure h2", "Step 3 of 4 failed, in line 5")
            try await viewer.waitForText("#failure", "\"count\":3")
            try await viewer.waitForText("#failure", Self.hostile)
            try await viewer.waitForText("#steps [aria-current]", "expect message")
            try await viewer.waitForText("#moment", "after step 3, which failed")
            try await viewer.waitForText("#records", "Bought")
            try await viewer.scrubs()
            try await viewer.showsHostilePayloadsAsText(Self.hostile)
        }
    }

    @Test func passingFlowGetsATrace_onlyIfAllDo() async throws {
        try requireDriven(.chromium)
        let passing = "  - open: /shop\n  - tap: button"
        #expect(try await run(passing).trace == nil)
        #expect(try await run(Self.failing, traces: .off).trace == nil)
        #expect(!FileManager.default.fileExists(atPath: folder.path("traces")))
        #expect(try await run(passing, traces: .on).trace != nil)
    }

    /// The page posts a secret under a name that says nothing, and a later step fails.
    @Test func secretsOfVariables_areInNoTraceAndNoReport() async throws {
        try requireDriven(.chromium)
        let steps = """
              - open: /shop
              - evaluate: "webkit.messageHandlers.nativeApp.postMessage({name: 'In', as: '${PASSWORD}'}); document.title = '${PASSWORD}'"
              - expect title: Shop
                timeout: 200ms
            """
        let text = "env: {PASSWORD: \"hunter2 & co\"}\nname: Buy\nsteps:\n\(steps)"
        let result = try await run(try Flow(YAMLFile(name: "shop.yml", text: text)))
        #expect(result.failure?.found == #"the title is "${PASSWORD}""#)
        for reporter in FlowReporter.allCases {
            let report = reporter.text(result, number: 1) + reporter.end([result])
            #expect(!report.contains("hunter2"), "\(report)")
        }
        let html = try String(contentsOfFile: folder.path("traces/shop-chromium.html"), encoding: .utf8)
        #expect(html.contains(#""as":"${PASSWORD}""#) && !html.contains("hunter2"))
    }

    /// Both an error and an expectation that failed, which `.bridgedTraffic` notes.
    @Test func testInSwiftThatFails_getsATrace() async throws {
        try requireDriven(.chromium)
        let name = "swift test"
        let path = "\(try #require(TraceOfTest.folder).path)/\(name)-chromium"
        let error = await #expect(throws: BridgedAppFailure.self) {
            // With an app: a page that has the script tag and no handler attaches a second time by the tag.
            try await withBridgedApp(driving: .chromium, test: name) { app in
                try await app.open(app.serve("<p>Hello"))
                throw app.failure("a farewell", "a greeting")
            }
        }
        #expect(error?.found == "a greeting")
        try await withBridgedApp(driving: .chromium, app: .none, test: name) { app in
            app.latestIssue.withLock { $0 = "a wrong number" }
        }
        for (file, text) in [("\(path).html", "a greeting"), ("\(path)-2.html", "a wrong number")] {
            let html = try String(contentsOfFile: file, encoding: .utf8)
            #expect(html.contains("\"text\":\"expect a page to attach at ") == (text == "a greeting"))
            #expect(html.contains("id=\"picture-0\"") == (text == "a greeting"))
            #expect(html.contains("\"found\":\"\(text)\""))
            try FileManager.default.removeItem(atPath: file)
        }
    }

    @Test func traceThatCannotBeWritten_changesNoResult() async throws {
        try requireDriven(.chromium)
        try Data().write(to: URL(fileURLWithPath: folder.path("traces")))
        let result = try await run("  - open: /shop", traces: .on)
        #expect(result.failure == nil)
        guard case .failed(let reason) = result.trace else {
            Issue.record("\(String(describing: result.trace))")
            return
        }
        #expect(reason.hasPrefix(folder.path("traces/shop-chromium.html") + " cannot be written: "))
        #expect(FlowReporter.pretty.text(result, number: 1).contains("\n    trace     none: "))
    }
}

/// What a user of a trace does, and what has to follow.
@MainActor private struct TraceViewer {
    let eye: BridgedApp

    /// Goes back to the moment before the tap, with keys, and forward again.
    func scrubs() async throws {
        try await eye.wait(until: "document.activeElement.id == 'scrubber'")
        try await choose(moment: 1)
        try await waitForText("#moment", "after step 1")
        try await waitForText("#steps [aria-current]", "open /shop")
        try await eye.wait(until: "!document.getElementById('records').textContent.includes('Bought')")
        // The picture of the page.
        let picture = "document.querySelector('.content.web .picture')?.src"
        try await eye.wait(until: "\(picture)?.includes('data:image/png;base64,iVBOR')")
        try await eye.run("document.querySelector('#steps').focus(); undefined")
        try await press("ArrowRight", on: "body")
        try await waitForText("#moment", "after step 2")
        try await eye.tap("#steps [data-outcome=failed]")
        try await waitForText("#records", "Bought")
        #expect(try await eye.evaluate("document.querySelectorAll('#steps :disabled').length") as Int == 1)
    }

    /// The payload is text in the list, in the detail and in the stacks, and nothing asked for anything.
    func showsHostilePayloadsAsText(_ hostile: String) async throws {
        let filter = "document.querySelector('#traffic input')"
        try await eye.run(
            "\(filter).value = 'name:Bought'; \(filter).dispatchEvent(new Event('change')); undefined")
        let record = "#records .row:not([data-tone=step], [data-tone=failed])"
        try await eye.wait(until: "document.querySelectorAll('\(record)').length == 1")
        try await eye.tap(record)
        try await waitForText(".detail .value.string", hostile.replacing("\"", with: "\\\""))
        try await waitForText("#title", hostile)
        let requests = "performance.getEntriesByType('resource').filter(({name}) => !name.startsWith('data:')).length"
        #expect(try await eye.evaluate("typeof window.hit + \(requests)") as String == "undefined0")
        #expect(try await eye.evaluate("document.querySelectorAll('img:not([src^=data])').length") as Int == 0)
        // Nothing of a live inspector is left.
        #expect(try await eye.evaluate("document.querySelectorAll('.replay, .prompt, .explainer').length") as Int == 0)
    }

    func waitForText(_ selector: String, _ text: String) async throws {
        let elements = "[...document.querySelectorAll(\(quoted(selector)))]"
        try await eye.wait(until: "\(elements).some((element) => element.textContent.includes(\(quoted(text))))")
    }

    private func choose(moment: Int) async throws {
        try await eye.run(
            """
            { const slider = document.getElementById("scrubber"); slider.value = "\(moment)"
              slider.dispatchEvent(new Event("input")) }; undefined
            """)
    }

    private func press(_ key: String, on selector: String) async throws {
        try await eye.run(
            """
            document.querySelector(\(quoted(selector))).dispatchEvent(
              new KeyboardEvent("keydown", {key: \(quoted(key)), bubbles: true})); undefined
            """)
    }

    private func quoted(_ text: String) -> String { JSONValue.string(text).text }
}
