import BridgeProtocol
import BridgeTesting
import Foundation
import Synchronization
import TestSupport
import Testing

/// `bridged test`, with the real executable and browsers.
@Suite(.serialized, .timeLimit(.minutes(3)), .browserTurns) struct FlowTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func flow(_ name: String, _ text: String) throws -> String {
        let path = folder.path(name)
        // `--watch` must not see a file without its text.
        try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
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
            ["test", path, "--in", "chromium+tag,firefox+tag", "--keep-log", folder.path("logs")])
        #expect(
            normalized(outcome.output) == """
                ✓ \(path): The demo (chromium+tag, SECONDS s)
                ✓ \(path): The demo (firefox+tag, SECONDS s)
                2 passed.

                """)
        #expect(outcome.errors == "" && outcome.status == 0)
        let log = try folder.lines("logs/demo-firefox+tag.ndjson")
        #expect(log.contains { $0["name"]?.string == "RegisterPushToken" })
    }

    /// On Android, the demo's pages have an interface object instead of a message handler.
    @Test func demoPasses_onAndroid() async throws {
        try requireInstalled(.chromium)
        let path = Repository.file("Examples/flows/demo.yml").path
        let outcome = try await Executable.run(["test", path, "--framework", "android"])
        #expect(outcome.output.hasSuffix("1 passed.\n") && outcome.status == 0, "\(outcome.output)")
    }

    /// Each of two pages arrives only when the other one was asked for, so one flow after the other would fail.
    @Test func flowsRunAtOnce_withJobs() async throws {
        try requireInstalled(.chromium)
        let server = try ListeningSocket()
        let asked = Mutex(0)
        let both = DispatchSemaphore(value: 0)
        server.accept { connection in
            guard let request = connection.read() else { return }
            let isPage = request.starts(with: Array("GET /meet".utf8))
            if isPage {
                let count = asked.withLock { count in
                    count += 1
                    return count
                }
                // The second request ends its own wait, and that of the first.
                if count == 2 { for _ in 0..<2 { both.signal() } }
                both.wait()
            }
            let body = isPage ? "<!doctype html><title>Met</title>" : ""
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: \(body.utf8.count)\r\n"
            connection.write(Array((head + "Connection: close\r\n\r\n" + body).utf8))
        }
        let flows = try ["b.yml", "a.yml"].map { name in
            try flow(name, "- open: http://127.0.0.1:\(server.port)/meet\n- expect title: Met\n")
        }
        let outcome = try await Executable.run(["test"] + flows + ["--in", "chromium", "--jobs", "2"])
        let lines = normalized(outcome.output).split(separator: "\n")
        #expect(outcome.status == 0 && lines.last == "2 passed.", "\(outcome.output)\(outcome.errors)")
        // The results have the order of the arguments, whichever ends first.
        #expect(lines.first?.contains("b.yml") == true && lines.dropFirst().first?.contains("a.yml") == true)
    }

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
                && !$0.contains("app navigation") && !$0.contains("→ GET ") && !$0.contains("→ console ")
        }
        #expect(
            lines.joined(separator: "\n") == """
                ✗ icon.yml: The wrong icon (chromium, SECONDS s)
                    step 3, icon.yml:5: expect message {"name":"ActionButton","match":{"icon":"minus"}}
                    expected  a message {"name":"ActionButton","match":{"icon":"minus"}} within 0.1 seconds
                    found     record N has {"name":"ActionButton","path":"/customers/new","icon":"plus"}: /icon is "plus" and not "minus"
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
        let site = try DrivenSite(["/backup": .init(html: "…", fields: ["Content-Disposition: attachment"])])
        let path = try flow(
            "never.yml",
            """
            name: A page that never comes
            steps:
              - open: \(site.url)/backup
            """)
        let traces = ["--trace-folder", folder.path("traces")]
        let noPage =
            "none came, though the server answers with status 200: a download, and a page that is redirected to "
            + "another app, do not attach"
        let log = [
            "TIME  ! pageLost: http://DAEMON/backup did not load: no document came (net::ERR_ABORTED): it is a "
                + "download, or native code refused it",
            "              Check the address, and whether the app's server runs. See docs/emulate.md.",
        ]
        let tap = try await Executable.run(["test", path, "--reporter", "tap"] + traces)
        #expect(
            normalized(tap.output) == """
                TAP version 13
                1..1
                not ok 1 - never.yml: A page that never comes (chromium)
                  ---
                  at: "step 1, never.yml:3: open http://DAEMON/backup"
                  expected: "a page to attach at http://DAEMON/backup"
                  found: "\(noPage)"
                  trace: "bridged trace show traces/never-chromium.html"
                  log: |2
                    \(log[0])
                    \(log[1])
                  ...

                """)
        let junit = try await Executable.run(["test", path, "--reporter", "junit"] + traces)
        #expect(
            normalized(junit.output) == """
                <?xml version="1.0" encoding="UTF-8"?>
                <testsuites>
                <testsuite name="bridged" tests="1" failures="1" errors="0" skipped="0" time="SECONDS">
                <testcase classname="chromium" name="never.yml: A page that never comes" file="never.yml" time="SECONDS">
                <failure message="Expected a page to attach at http://DAEMON/backup; found \
                \(noPage).">\
                step 1, never.yml:3: open http://DAEMON/backup&#10;Expected a page to attach at http://DAEMON/backup; \
                found \(noPage).&#10;Trace: bridged trace show traces/never-chromium.html&#10;\(log[0])&#10;\(log[1])</failure>
                <system-out>[[ATTACHMENT|traces/never-chromium.html]]</system-out>
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
            "f.yml:1:3: A step is one of open, tap, fill, type, press, select, check, uncheck, choose file, scroll to, "
                + "hover, drag, expect text, expect element, expect url, expect title, expect bar button, expect alert, "
                + "expect message, expect no message, expect app, expect requests, expect no problem, evaluate, wait, "
                + "perform, visit, stub, reply, post, fault, run; found a mapping with open, tap."
        ),
        ("- tap: x\n  equals: 3", "f.yml:2:11: equals belongs to evaluate and post, not to tap."),
        (
            "- tap: #register",
            "f.yml:1:7: Expected a text, found nothing. A # begins a comment: quote a text with one."
        ),
        ("name: x", "f.yml:1:1: A flow needs steps: a list; found a mapping with name."),
        (
            "- expect message: {verdict: fine}",
            "f.yml:1:29: verdict is one of handled, awaitingReply, replied, rejected, timedOut, pageGone, dropped, observed, not "
                + "\"fine\"."
        ),
        ("- expect app: {visble: main}", "f.yml:1:16: There is no key \"visble\" here. Did you mean \"visible\"?"),
        (
            "- stub: {component: scanner, event: scan, repyl: {}}",
            "f.yml:1:50: There is no key \"repyl\" here. Did you mean \"reply\"?"
        ),
        (
            "- stub: {component: scanner, reply: {}}",
            "f.yml:1:9: A stub of a component needs its event: {component: form, event: connect, reply: echo}; found "
                + "a mapping with component, reply."
        ),
        (
            "- reply: {component: scanner}",
            "f.yml:1:10: A reply needs a component and an event: {component: form, event: connect, data: {}}; found "
                + "a mapping with component."
        ),
        (
            "- visit: {url: /x, action: push}",
            "f.yml:1:28: action is one of advance, replace, restore, not \"push\"."
        ),
        (
            "framework: [ios@1.2, windows]\nsteps: []",
            "f.yml:1:22: framework is one of ios@1.2, ios@1.3-beta, ios@1.3, ios@main, android@1.3, turbo-navigator, turbo-ios@7.1, strada-ios@1.0, not \"windows\"."
        ),
        ("- tap: x\n  rejects: a\n  equals: 1", "f.yml:3:11: equals belongs to evaluate and post, not to tap."),
        (
            "- fill: {label: Title}",
            "f.yml:1:9: A fill names a field and its new text: {label: Email, with: me@example.com}; found a "
                + "mapping with label."
        ),
        ("- fill: {lable: Title, with: x}", "f.yml:1:10: There is no key \"lable\" here. Did you mean \"label\"?"),
        (
            "- press: Return",
            "f.yml:1:10: A press is a character, Space, or one of Enter, Tab, Escape, Backspace, Delete, Home, End, PageUp, "
                + "PageDown, ArrowUp, ArrowDown, ArrowLeft, ArrowRight, Insert, Shift, Control, Alt, Meta, F1, F2, F3, F4, F5, "
                + "F6, F7, F8, F9, F10, F11, F12: {key: Enter, label: Search}; found \"Return\"."
        ),
        ("- expect element: {css: a, enabled: maybe}", "f.yml:1:37: Expected true or false, found \"maybe\"."),
        (
            "- perform: back",
            "f.yml:1:12: A perform needs an action, and the arguments as texts: {action: visit, url: /posts}; "
                + "found \"back\"."
        ),
        (
            "- fault: {url: /, kind: slwo}",
            "f.yml:1:25: kind is one of offline, slow, status, cut, missing, not \"slwo\"."
        ),
        (
            "- fault: {url: /, kind: slow}",
            "f.yml:1:10: slow needs a delay, and no status. Found a mapping with url, kind."
        ),
        (
            "- stub: {component: a, event: b, responses: [{}], reply: echo}",
            "f.yml:1:9: Give responses, a list, or one response, not both; found a mapping with component, event, responses, "
                + "reply."
        ),
        ("- expect message: {nmae: x}", "f.yml:1:20: There is no key \"nmae\" here. Did you mean \"name\"?"),
    ]

    @Test(arguments: mistakes)
    func reportsMistakes_withTheirPlace(mistake: (text: String, message: String)) async throws {
        let outcome = try await Executable.run(["test", flow("f.yml", mistake.text)])
        #expect(normalized(outcome.errors) == "error: \(mistake.message)\n")
        #expect(outcome.status == 64)
    }

    // MARK: Choosing flows

    @Test func tagsAndPatternsChooseFlows() async throws {
        _ = try flow("a.yml", "name: One\ntags: [smoke]\nsteps:\n  - wait: 1ms")
        _ = try flow("b.yml", "name: Two\ntags: [slow]\nsteps:\n  - wait: ${TIME}")
        let all = [folder.path("a.yml"), folder.path("b.yml")]
        for options in [
            ["--tag", "smoke"], ["--grep", "^One"], ["--grep", "^smo", "--tag", "smoke", "--tag", "other"],
        ] {
            let outcome = try await Executable.run(["test"] + all + options)
            #expect(normalized(outcome.output).hasPrefix("✓ a.yml: One (") && outcome.status == 0, "\(outcome)")
            #expect(outcome.output.hasSuffix("\n1 passed.\n"))
        }
        let both = try await Executable.run(["test", folder.path(""), "--env", "TIME=1ms", "--reporter", "json"])
        #expect(try JSON.parse(both.output)["tests"]?.wholeNumber == 2 && both.status == 0, "\(both)")
        let none = try await Executable.run(["test"] + all + ["--tag", "smok", "--grep", "x"])
        #expect(none.errors == "error: No flow matches --tag smok --grep x. Did you mean smoke?\n" && none.status == 64)
        let pattern = try await Executable.run(["test"] + all + ["--grep", "nothing"])
        #expect(
            pattern.errors
                == "error: No flow matches --grep nothing. There are One, Two, with the tags slow, smoke.\n")
    }

    /// A value for a variable that no flow reads is a slip of the finger.
    @Test func variablesThatNoFlowReads_areRefused() async throws {
        _ = try flow("a.yml", "env: {EMAIL: a}\nsteps:\n  - wait: ${TIME}")
        _ = try flow("b.yml", "repeat: [{TIME: 1ms, CITY: Rom}, {TIME: 2ms, CITY: Köln}]\nsteps:\n  - wait: ${TIME}")
        _ = try flow("c.yml", "- wait: 1ms")
        func errors(_ files: [String], _ variable: String) async throws -> String {
            let paths = files.map { folder.path($0) }
            let outcome = try await Executable.run(["test"] + paths + ["--env", "TIME=3ms", "--env", variable])
            #expect(outcome.status == 64)
            return normalized(outcome.errors)
        }
        #expect(
            try await errors(["a.yml", "b.yml"], "EMIAL=x")
                == "error: --env EMIAL has no effect: no flow reads ${EMIAL}. Did you mean EMAIL? There are EMAIL (a.yml), "
                + "TIME (a.yml).\n")
        #expect(
            try await errors(["a.yml", "b.yml"], "CITY=x")
                == "error: --env CITY has no effect: each row of b.yml has its own CITY.\n")
        #expect(
            try await errors(["c.yml"], "EMAIL=x")
                == "error: --env EMAIL has no effect: no flow reads ${EMAIL}. The flows have no variables.\n")
    }

    /// The demo posts a button when it loads, and asks for a token when a button of its own is tapped.
    @Test func cassetteAnswers_andWhatItLacksFails() async throws {
        try requireInstalled(.chromium)
        let button = "entries:\n  - {handler: nativeApp, match: {name: ActionButton}}\n"
        let token = """
              - handler: nativeApp
                body: {name: RegisterPushToken}
                calls: [{call: window.bridge.register, with: [recorded], delay: 20ms}]

            """
        let path = try flow(
            "token.yml",
            """
            - open: /demo/
            - tap: "#register-push-token"
            - wait: document.getElementById("token").textContent == "recorded"
            """)
        let cassette = try flow("phone.yml", button + token)
        let passed = try await Executable.run(["test", path, "--cassette", cassette, "--trace", "off"])
        #expect(passed.status == 0 && passed.output.hasSuffix("1 passed.\n"), "\(passed)")
        let changed = try flow("changed.yml", button + token.replacing("RegisterPushToken", with: "RegisterToken"))
        let failed = try await Executable.run(["test", path, "--cassette", changed, "--trace", "off"])
        #expect(failed.status == 1)
        let lines = normalized(failed.output)
        #expect(
            lines.contains(
                """
                    expected  only messages that changed.yml has
                    found     record N: A message to nativeApp was dropped: notInCassette at /name: expected "RegisterToken" as in \
                changed.yml:3, found "RegisterPushToken". The nearest entry is changed.yml:3.
                """), "\(lines)")
    }

    @Test func flowThatFailsRunsAgain() async throws {
        let path = try flow("retry.yml", "retries: 2\nsteps:\n  - open: localhost:1")
        let options = ["test", path, "--trace", "off"]
        let three = try await Executable.run(options)
        #expect(three.output.contains("    before    run 2: step 1, ") && !three.output.contains("run 3: "))
        let once = try await Executable.run(options + ["--retries", "0"])
        #expect(!once.output.contains("run 1: ") && once.status == 1 && three.status == 1)
    }

    /// The flow's file, one that it runs, and one with a mistake.
    @Test func watchRunsWhatHasChanged() async throws {
        try requireInstalled(.chromium)
        let path = try flow("main.yml", "- run: part.yml")
        _ = try flow("part.yml", "- wait: 1ms")
        let other = try flow("other.yml", "- wait: 2ms")
        let watch = try RunningDaemon([path, other, "--watch", "--trace", "off"], command: "test")
        var lines = watch.lines.makeAsyncIterator()
        /// The lines until the run has ended.
        func run() async -> [String] {
            var found: [String] = []
            while let line = await lines.next() {
                found.append(normalized(line))
                if line.hasPrefix("Watching ") { break }
            }
            return found
        }
        let main = "✓ main.yml: main (chromium, SECONDS s)"
        #expect(
            await run() == [
                main, "✓ other.yml: other (chromium, SECONDS s)", "2 passed.", "Watching 4 files. Ctrl-C ends.",
            ])
        _ = try flow("part.yml", "- open: localhost:1")
        let failed = await run()
        #expect(failed.contains("Changed: part.yml"))
        #expect(failed.contains("    step 1, part.yml:1, run by main.yml:1: open localhost:1"))
        #expect(failed.contains("1 of 1 failed."))
        _ = try flow("part.yml", "- opn: x")
        #expect(await run() == ["", "Changed: part.yml", "Watching 4 files. Ctrl-C ends."])
        _ = try flow("part.yml", "- wait: 3ms")
        #expect(await run() == ["", "Changed: part.yml", main, "1 passed.", "Watching 4 files. Ctrl-C ends."])
        // A file that is not there yet.
        _ = try flow("part.yml", "- run: later.yml")
        #expect(await run() == ["", "Changed: part.yml", "Watching 5 files. Ctrl-C ends."])
        _ = try flow("later.yml", "- wait: 4ms")
        #expect(await run() == ["", "Changed: later.yml", main, "1 passed.", "Watching 5 files. Ctrl-C ends."])
        watch.signal(SIGINT)
        #expect(try await watch.exitStatus() == 0)
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
        #expect(last.hasSuffix("Run it: bridged test \(path) --port \(port) --in chromium+tag"))
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
        for engines in ["chromium+tag", "webkit,chromium,firefox"] {
            let played = try await Executable.run(["test", path, "--port", "\(port)", "--in", engines])
            #expect(played.status == 0, "\(played.output)")
        }
    }
}
