import BridgeProtocol
import BridgeTesting
import Foundation
import TestSupport
import Testing

/// `bridged test`, with the real executable and browsers.
@Suite(.serialized, .timeLimit(.minutes(3)), .browserTurns) struct FlowTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func flow(_ name: String, _ text: String) throws -> String {
        let path = folder.path(name)
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    /// The text without the parts that differ from run to run.
    private func normalized(_ text: String) -> String {
        text.replacing(folder.path("") + "/", with: "").replacing(folder.path(""), with: "")
            .replacing(/\d\d:\d\d:\d\d\.\d{3}/, with: "TIME")
            .replacing(/127\.0\.0\.1:\d+/, with: "DAEMON")
            .replacing(/record \d+/, with: "record N")
            .replacing(/(\d+(\.\d+)?) s\)/, with: "SECONDS s)")
            .replacing(/time="[0-9.]+"/, with: "time=\"SECONDS\"")
    }

    @Test func demoPasses_inChromiumAndFirefox() async throws {
        try requireInstalled(.chromium)
        try requireInstalled(.firefox)
        let path = Repository.file("Examples/flows/demo.yml").path
        let outcome = try await Executable.run(
            ["test", path, "--browser", "chromium", "--browser", "firefox", "--keep-log", folder.path("logs")])
        #expect(
            normalized(outcome.output) == """
                ✓ \(path): The demo (chromium, SECONDS s)
                ✓ \(path): The demo (firefox, SECONDS s)
                2 passed.

                """)
        #expect(outcome.errors == "" && outcome.status == 0)
        let log = try folder.lines("logs/demo-firefox.ndjson")
        #expect(log.contains { $0["name"]?.string == "RegisterPushToken" })
    }

    /// On Android, the demo's pages have an interface object instead of a message handler.
    @Test func demoPasses_onAndroid() async throws {
        try requireInstalled(.chromium)
        let path = Repository.file("Examples/flows/demo.yml").path
        let outcome = try await Executable.run(["test", path, "--framework", "android"])
        #expect(outcome.output.hasSuffix("1 passed.\n") && outcome.status == 0, "\(outcome.output)")
    }

    private static let missingPage = """
        name: A page that never comes
        steps:
          - open: /health
            timeout: 100ms
        """

    private static let wrongIcon = """
        name: The wrong icon
        steps:
          - open: /demo/
          - expect message: {name: ActionButton}
          - expect message: {name: ActionButton, match: {icon: minus}}
            timeout: 100ms
          - tap: "#never"
        """

    @Test func reportsTheFailedStep() async throws {
        try requireInstalled(.chromium)
        let path = try flow("icon.yml", Self.wrongIcon)
        let pretty = try await Executable.run(["test", path, "--trace-folder", folder.path("traces")])
        #expect(pretty.status == 1)
        // The order of the page's updates and of the app's start differs from run to run.
        let lines = normalized(pretty.output).split(separator: "\n").filter {
            !$0.hasSuffix("page updated") && !$0.hasSuffix("page loaded") && !$0.contains("app visit")
                && !$0.contains("app navigation")
        }
        #expect(
            lines.joined(separator: "\n") == """
                ✗ icon.yml: The wrong icon (chromium, SECONDS s)
                    step 3, icon.yml:5: expect message {"name":"ActionButton","match":{"icon":"minus"}}
                    expected  a message {"name":"ActionButton","match":{"icon":"minus"}} within 0.1 seconds
                    found     record N has {"name":"ActionButton","path":"/customers/new","icon":"plus"}
                    trace     bridged trace show traces/icon-chromium.html
                    the latest traffic:
                      TIME  p1 → page attached
                      TIME  p1 → app actionButton {"opens":"http://DAEMON/customers/new","icon":"plus"}
                      TIME  p1 → nativeApp  ActionButton {"path":"/customers/new","icon":"plus"}   handled
                1 of 1 failed.
                """)
    }

    @Test func reportsInTAPAndJUnit() async throws {
        try requireInstalled(.chromium)
        let path = try flow("never.yml", Self.missingPage)
        let traces = ["--trace-folder", folder.path("traces")]
        let noPage =
            "none came, though the server answers with status 200: a download, and a page that is redirected to "
            + "another app, do not attach"
        let tap = try await Executable.run(["test", path, "--reporter", "tap"] + traces)
        #expect(
            normalized(tap.output) == """
                TAP version 13
                1..1
                not ok 1 - never.yml: A page that never comes (chromium)
                  ---
                  at: "step 1, never.yml:3: open /health"
                  expected: "a page to attach at http://DAEMON/health within 0.1 seconds"
                  found: "\(noPage)"
                  trace: "bridged trace show traces/never-chromium.html"
                  log: |2
                  ...

                """)
        let junit = try await Executable.run(["test", path, "--reporter", "junit"] + traces)
        #expect(
            normalized(junit.output) == """
                <?xml version="1.0" encoding="UTF-8"?>
                <testsuites>
                <testsuite name="bridged" tests="1" failures="1" errors="0" skipped="0" time="SECONDS">
                <testcase classname="chromium" name="never.yml: A page that never comes" file="never.yml" time="SECONDS">
                <failure message="Expected a page to attach at http://DAEMON/health within 0.1 seconds; found \
                \(noPage).">\
                step 1, never.yml:3: open /health&#10;Expected a page to attach at http://DAEMON/health within 0.1 seconds; \
                found \(noPage).&#10;Trace: bridged trace show traces/never-chromium.html</failure>
                </testcase>
                </testsuite>
                </testsuites>

                """)
        #expect(tap.status == 1 && junit.status == 1)
    }

    static let mistakes: [(text: String, message: String)] = [
        ("steps:\n  - opne: /demo/", "f.yml:2:5: There is no key \"opne\" here. Did you mean \"open\"?"),
        (
            "- open: /demo/\n  tap: x",
            "f.yml:1:3: A step is one of open, evaluate, expect message, expect no message, stub, post, tap, wait, "
                + "perform, expect app, expect requests, expect no problem, fault, visit; found a mapping with open, tap."
        ),
        ("- tap: x\n  equals: 3", "f.yml:2:11: equals belongs to evaluate and post, not to tap."),
        (
            "- tap: #register",
            "f.yml:1:7: Expected a text, found nothing. A # begins a comment: quote a text with one."
        ),
        ("name: x", "f.yml:1:1: A flow needs steps: a list."),
        (
            "- expect message: {verdict: fine}",
            "f.yml:1:19: verdict is handled, awaitingReply, replied, rejected, timedOut, pageGone, dropped, not \"fine\"."
        ),
        ("- expect app: {visble: main}", "f.yml:1:16: There is no key \"visble\" here. Did you mean \"visible\"?"),
        (
            "- visit: {url: /x, action: push}",
            "f.yml:1:28: action is one of advance, replace, restore, not \"push\"."
        ),
        (
            "framework: [ios@1.2, windows]\nsteps: []",
            "f.yml:1:22: framework is one of ios@1.2, ios@1.3-beta, ios@1.3, ios@main, android@1.3, turbo-navigator, turbo-ios@7.1, strada-ios@1.0, not \"windows\"."
        ),
        ("- tap: x\n  rejects: a\n  equals: 1", "f.yml:3:11: equals belongs to evaluate and post, not to tap."),
        ("- expect message: {nmae: x}", "f.yml:1:20: There is no key \"nmae\" here. Did you mean \"name\"?"),
    ]

    @Test(arguments: mistakes)
    func reportsMistakes_withTheirPlace(mistake: (text: String, message: String)) async throws {
        let outcome = try await Executable.run(["test", flow("f.yml", mistake.text)])
        #expect(normalized(outcome.errors) == "error: \(mistake.message)\n")
        #expect(outcome.status == 64)
    }

    private static let recordedPage = """
        <p><label>City <input></label><label>Note <textarea></textarea></label><button>A</button><button>B</button>
        <b data-testid=c>C</b></p>
        <script>
        const post = (body) => webkit.messageHandlers.nativeApp.postMessage(body)
        const [a, b] = document.querySelectorAll("button")
        a.onclick = () => document.querySelector("b").click() // This is no tap.
        b.onclick = () => post({ name: "ActionButton", path: "/x", icon: "plus" })
        </script>
        """

    /// Real input by DevTools plays the part of a person, and the recording of ten steps passes when it is played, in the
    /// three driven engines too.
    @Test func recordsAFlow_thatPasses() async throws {
        let path = folder.path("recorded.yml")
        let daemon = try RunningDaemon(
            ["--record", path, "--port", "0"], environment: ["XDG_RUNTIME_DIR": folder.path("")], command: "test")
        var lines = daemon.lines.makeAsyncIterator()
        let line = try #require(await lines.next())
        let url = try #require(line.firstMatch(of: /http:\/\/127\.0\.0\.1:\d+\//)?.0)
        let app = try await StaticApp(
            "<!doctype html><html><head><script src=\"\(url)bridge.js\"></script></head><body>\(Self.recordedPage)</body></html>"
        )
        let browser = try launch(.chromium, app.url, arguments: DevTools.arguments)
        while let line = await lines.next(), !line.contains("open: ") {}
        let person = try await DevTools(browser, tab: app.url)
        for element in ["input", "textarea", "b", "button"] { try await person.click(element) }
        for _ in 1...2 {
            try await person.click("button:nth-of-type(2)")
            while let line = await lines.next(), !line.contains("expect message") {}
        }
        _ = try await Executable.run(
            ["app", "visit", "/two"], environment: ["XDG_RUNTIME_DIR": folder.path("")])
        while let line = await lines.next(), !line.contains("perform") {}
        daemon.signal(SIGINT)
        var last = ""
        while let line = await lines.next() { last = line }
        let port = try #require(URL(string: String(url))?.port)
        #expect(last.hasSuffix("Run it: bridged test \(path) --port \(port)"))
        #expect(try await daemon.exitStatus() == 0)
        browser.close()
        let flow = String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
        #expect(
            flow == """
                name: "recorded"
                steps:
                  - open: "\(app.url)"
                  - tap: {"label":"City"}
                  - tap: {"label":"Note"}
                  - tap: {"text":"C"}
                  - tap: {"role":"button","name":"A"}
                  - tap: {"role":"button","name":"B"}
                  - expect message: {"handler":"nativeApp","name":"ActionButton","match":{"name":"ActionButton","path":"/x","icon":"plus"}}
                  - tap: {"role":"button","name":"B"}
                  - expect message: {"handler":"nativeApp","name":"ActionButton","match":{"name":"ActionButton","path":"/x","icon":"plus"}}
                  - perform: {"action":"visit","url":"/two"}

                """)
        for engines in [[], ["--in", "webkit,chromium,firefox"]] {
            let played = try await Executable.run(["test", path, "--port", "\(port)"] + engines)
            #expect(played.status == 0, "\(played.output)")
        }
    }
}
