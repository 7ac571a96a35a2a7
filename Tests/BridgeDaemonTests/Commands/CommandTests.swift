import BridgeProtocol
import Foundation
import TestSupport
import Testing

/// The commands that talk to a daemon: whole output and exit codes.
@Suite(.timeLimit(.minutes(4))) struct CommandTests {
    private static let scripts = [
        "6*7": #""result":{"value":42}"#,
        "[undefined, NaN]": #""result":{"value":[null,"NaN"],"types":{"/0":"undefined","/1":"number"}}"#,
        "boom()": #""error":{"code":4,"message":"boom is not defined","data":"#
            + #"{"name":"ReferenceError","message":"boom is not defined","line":1,"column":5,"sourceURL":"app.js"}}"#,
        "return a + b": #""result":{"value":3}"#,
    ]

    @Test func appListsActions_printsState_andPerforms() async throws {
        let fixture = try await CommandFixture()
        let list = try await fixture.run("app", "--list").output
        #expect(list.contains("\nmenu.select <item>  "))
        #expect(list.contains("\npushToken [denied] [rotate]  "))
        #expect(list.contains("\nback [cancelled]  "))
        let json = try await fixture.run("app", "--list", "--json").output
        #expect(json.contains("{\"action\":\"visit\",\"summary\":"))
        let visit = try await fixture.run("app", "visit", "/posts/new", "--no-wait", "--json")
        let state = try JSON.parse(visit.output)
        #expect(visit.status == 0 && state["main"]?[1]?["url"]?.string == "http://localhost:3000/posts/new")
        #expect(try JSON.parse(try await fixture.run("app", "--json").output)["main"]?.count == 2)
        #expect(try await fixture.run("app", "visit", "url=/posts", "--no-wait").status == 0)
        #expect(try await fixture.run("app", "visit", "/posts/2", "replace", "--no-wait").status == 0)
        #expect(try JSON.parse(try await fixture.run("app", "--json").output)["main"]?.count == 3)
        let unknown = try await fixture.run("app", "bak")
        #expect(
            unknown.errors.hasPrefix(
                "error: Invalid params: /action: unknown \"bak\". Did you mean \"back\"? There are: "))
        #expect(unknown.status == 64)
    }

    @Test func appOrigin_isAdded() async throws {
        let fixture = try await CommandFixture()
        let added = try await fixture.run("app-origin", "http://localhost:4001/posts")
        #expect(added.status == 0 && added.output.hasPrefix("The app's origins: "), "\(added.errors)")
        #expect(added.output.contains("http://localhost:4001\n"), "\(added.output)")
        let refused = try await fixture.run("app-origin", "nonsense")
        #expect(
            refused.status == 64 && refused.errors.contains("expected an origin such as http://localhost:3000"),
            "\(refused)")
    }

    @Test func listsThePagesOfRealApps_withTheirLatestMessages() async throws {
        let fixture = try await CommandFixture()
        let none = try await fixture.run("devices")
        #expect(none.status == 0 && none.output.isEmpty)
        #expect(none.errors.hasPrefix("No page of a real app is attached. Put this first into its <head>: <script "))
        let phone = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) Hotwire Native iOS/1.3.0"
        let (page, _) = try await PageClient.attachDevice(port: fixture.port, userAgent: phone)
        let silent = try await fixture.run("devices").output
        let known = "observed, d1, iPhone, iOS 18.5, Hotwire Native iOS/1.3.0"
        let line = #"p2  device  http://192.168.1.5/  "Test"  (\#(known))"#
        #expect(silent.hasPrefix(line) && silent.split(separator: "\n").count == 1, "\(silent)")
        for (index, name) in ["First", "Share"].enumerated() {
            let body: ScriptValue = ["name": .string(name)]
            let entry = ObservedEntry(seq: index + 1, .message(handler: "nativeApp", name: nil, body: body))
            page.send(PageClient.text(ObservedEntries([entry])))
            _ = try await page.next("method", "page.ack")
        }
        let shown = try await fixture.run("devices")
        let lines = shown.output.split(separator: "\n")
        #expect(lines.count == 2 && lines[0].hasPrefix(line), "\(shown)")
        #expect(lines.last?.contains("p2 → nativeApp  Share {}   observed") == true, "\(lines)")
        let json = try JSON.parse(try await fixture.run("devices", "--json").output)
        #expect(json["page"]?.string == "p2" && json["model"]?.string == "iPhone")
        #expect(json["lastMessage"]?["name"]?.string == "Share")
    }

    typealias Case = (arguments: [String], input: String, status: Int32, output: String, errors: String)

    /// The output of commands, for one page that answers `scripts`.
    static let cases: [Case] = [
        (["pages"], "", 0, "p1  main  http://localhost:3000/  \"Test\"  complete\n", ""),
        (["eval", "6*7"], "", 0, "42\n", ""),
        (["eval", "-"], "6*7", 0, "42\n", ""),
        (["eval", "--json", "6*7", "--page", "p1"], "", 0, "{\"value\":42}\n", ""),
        (["eval", "[undefined, NaN]"], "", 0, "[undefined,NaN]\n", ""),
        (["eval", "boom()"], "", 1, "", "error: ReferenceError: boom is not defined (app.js:1:5)\n"),
        (
            ["eval", "for(;;);", "--timeout", "0.02"], "", 2, "",
            "error: The script gave no result within 0.02 seconds.\n"
        ),
        (["eval", "1", "--page", "p9"], "", 3, "", "error: There is no page 'p9'. The pages are: p1.\n"),
        (
            ["eval", "1", "--page", "p9", "--json"], "", 3, "",
            #"{"error":{"code":-32002,"message":"There is no page 'p9'. The pages are: p1.","data":{"page":"p9","pages":["p1"],"#
                + #""see":"docs/protocol.md#errors-in-results"}}}"#
                + "\n"
        ),
        (
            ["eval", "1", "--web-view", "modal", "--timeout", "0.02"], "", 2, "",
            "error: No matching page of the web view 'modal' attached within 20 ms. "
                + "Attached pages: p1 (main, http://localhost:3000/).\n"
        ),
        (["call", "return a + b", "--arg", "a=1", "--arg", "b=2"], "", 0, "3\n", ""),
        (["app"], "", 0, "main: /\n  loads    The visit is not over.\n", ""),
        (["app", "location.move", "-33.8", "151.2"], "", 0, "main: /\n", ""),
        (["app", "pushToken", "--denied"], "", 0, "main: /\n", ""),
        (
            ["app", "visit", "/posts", "--no-wait"], "", 0,
            "main: / › /posts   because the place is new and the action is advance: it is pushed\n", ""
        ),
        (
            ["app", "foreground"], "", 1, "",
            "error: Invalid request: foreground: the app is in the foreground already.\n"
        ),
        (["app", "visit"], "", 64, "", "error: Invalid params: /url: expected String, found nothing\n"),
        (
            ["app", "form.submit"], "", 1, "",
            "error: Invalid request: form.submit: nothing on the screen uses the component 'form'. Its page sends a message to it first; "
                + "bridged doctor says what keeps it from that.\n"
        ),
        (
            ["app", "background", "3"], "", 64, "",
            "error: background takes no arguments: '3' is one too many. bridged app --list describes every action.\n"
        ),
        (
            ["call", "return a", "--arg", "a=x"], "", 64, "",
            "error: --arg a: Not valid JSON: invalid token near 'x' (line 1, column 1, byte 1). "
                + "A string needs its own quotes: '\"text\"'.\n"
        ),
        (
            ["call", "return a", "--arg", "a"], "", 64, "",
            "error: 'a' is not valid for --arg. Give a name and JSON: --arg 'name=\"text\"'\n"
        ),
        (
            ["post", "nativeApp", "-"], "{\"a\":\n [1,}", 64, "",
            "error: The body: Not valid JSON: unexpected token near '}' (line 2, column 5, byte 11). "
                + "A string needs its own quotes: '\"text\"'.\n"
        ),
        (["post", "nativeApp", #"{"name":"RegisterPushToken"}"#], "", 0, "", ""),
        (
            ["post", "nativeApp", #"{"name":"RegisterPushTokn"}"#], "", 1, "",
            "error: A message to nativeApp was dropped: unknownName at /name: expected one of ActionButton, "
                + "RegisterPushToken, found string \"RegisterPushTokn\". Did you mean \"RegisterPushToken\"? To receive it, "
                + "name it under messages: in bridged.yml, or register a ScriptMessage of that name in Swift: "
                + "dispatcher.on(MyMessage.self) { … }. "
                + "See docs/write-a-handler.md#typed-messages.\n"
        ),
        (["post", "camera", "1"], "", 3, "", "error: No handler is named 'camera'.\n"),
        (
            ["wait", "--name", "Never", "--timeout", "0.02"], "", 2, "",
            "error: No record came within 20 ms that fits name:Never kind:message.\n"
        ),
        (
            ["wait", "--match", "{", "--timeout", "0.02"], "", 64, "",
            "error: --match: Not valid JSON: string or '}' expected near end of file (line 1, column 1, byte 1). "
                + "A string needs its own quotes: '\"text\"'.\n"
        ),
        (
            ["tail", "--filter", "kind:mesage"], "", 64, "",
            """
            error: Invalid params: /filter: kind is message, reply, evaluate, callAsync, result, console, page, request, \
            app, problem, gap, not "mesage". Did you mean message?
              kind:mesage
                   ^^^^^^

            """
        ),
        (
            ["tail", "--since", "noon"], "", 64, "",
            "error: 'noon' is not valid for --since. Give 30s, 5m, 2h, 1d or 2026-11-21T10:00:00Z.\n"
        ),
        (["unstub", "s9"], "", 3, "", "error: Invalid params: /stub: there is no stub 's9'. There are no stubs.\n"),
        (
            ["unfault", "f9"], "", 3, "",
            "error: Invalid params: /fault: there is no fault 'f9'. There are no faults.\n"
        ),
        (
            ["unstub"], "", 64, "",
            """
            error: Name the stubs to remove, or give --all.
            Usage: bridged unstub [<stubs> ...] [--all] [--url <url>] [--json]
              See 'bridged unstub --help' for more information.

            """
        ),
        (
            ["pages", "--url", "localhost"], "", 69, "",
            "error: 'localhost' is not an address. Give one like http://localhost:2734\n"
        ),
        (
            ["pages", "--url", "http://localhost:1"], "", 69, "",
            "error: No daemon of yours runs at http://localhost:1, so its token is not known. Start one with bridged "
                + "serve, or set BRIDGED_TOKEN to the token of the daemon there.\n"
        ),
    ]

    @Test func printsAndExits() async throws {
        let fixture = try await CommandFixture(scripts: Self.scripts)
        for test in Self.cases {
            let outcome = try await fixture.run(test.arguments, input: test.input)
            let command = Comment(rawValue: test.arguments.joined(separator: " "))
            #expect(outcome.output == test.output, command)
            #expect(outcome.errors == test.errors, command)
            #expect(outcome.status == test.status, command)
        }
    }

    // MARK: Finding the daemon

    @Test func reportsThatNoDaemonRuns() async throws {
        let folder = try TemporaryFolder()
        let outcome = try await Executable.run(["pages"], environment: ["XDG_RUNTIME_DIR": folder.path("")])
        #expect(outcome.status == 69)
        #expect(outcome.errors == "error: No daemon is running. Start one with: bridged serve\n")
    }

    @Test func ignoresRunFiles_ofKilledDaemons() async throws {
        let folder = try TemporaryFolder()
        let environment = ["XDG_RUNTIME_DIR": folder.path("")]
        let daemon = try RunningDaemon(["--port", "0", "--json"], environment: environment)
        _ = try await daemon.listening()
        daemon.signal(SIGKILL)
        _ = try await daemon.exitStatus()
        #expect(try await Executable.run(["pages"], environment: environment).status == 69)
    }

    @Test func asksWhichDaemon_ifSeveralRun() async throws {
        let folder = try TemporaryFolder()
        let environment = ["XDG_RUNTIME_DIR": folder.path("")]
        let daemons = try (1...2).map { _ in try RunningDaemon(["--port", "0", "--json"], environment: environment) }
        var urls: [String] = []
        for daemon in daemons { urls.append(try await daemon.listening().url) }
        let outcome = try await Executable.run(["pages"], environment: environment)
        #expect(
            outcome.status == 69 && outcome.errors.hasPrefix("error: 2 daemons are running. Name one: --url http://"))
        let named = try await Executable.run(["info", "--url", urls[1], "--json"], environment: environment)
        #expect(try JSON.parse(named.output)["url"]?.string == urls[1])
    }

    @Test func reportsWrongToken() async throws {
        let fixture = try await CommandFixture()
        for command in ["pages", "tail"] {
            let outcome = try await fixture.run(command, environment: ["BRIDGED_TOKEN": "guess"])
            #expect(outcome.status == 77)
            #expect(
                outcome.errors == "error: The daemon at http://127.0.0.1:\(fixture.port)/ has another token. "
                    + "Unset BRIDGED_TOKEN, or set it to that daemon's: its discovery file has it.\n")
        }
    }

    /// A proxy must not learn the token.
    @Test func usesNoProxy_onThisMachine() async throws {
        let fixture = try await CommandFixture()
        let proxy = ["http_proxy": "http://127.0.0.1:1", "ALL_PROXY": "http://127.0.0.1:1"]
        #expect(try await fixture.run("pages", environment: proxy).status == 0)
    }

    // MARK: repl and doctor

    @Test func runsLineAfterLine_withoutATerminal() async throws {
        let fixture = try await CommandFixture(scripts: Self.scripts)
        let outcome = try await fixture.run("repl", input: "6*7\n\nboom()\n[undefined, NaN]\n")
        #expect(outcome.output == "42\n[undefined,NaN]\n")
        #expect(outcome.errors == "error: ReferenceError: boom is not defined (app.js:1:5)\n")
        #expect(outcome.status == 1)
    }

    @Test func doctorReports_whyNoPageAttaches() async throws {
        let fixture = try await CommandFixture()
        _ = try? await WebSocketClient.connect(port: fixture.port, origin: "https://staging.example")
        let outcome = try await fixture.run("doctor", "--web-view", "modal")
        #expect(
            outcome.output == """
                error    A page of 'https://staging.example' asked for access, which is not allowed.
                         If the page is yours, start the daemon with --allow-origin https://staging.example. See docs/security.md.
                error    No page is attached in the web view "modal". Attached pages: p1 (main). \
                To examine one: bridged doctor --page p1
                         Show the page with bridged open URL, or put this first in its <head>, load it, and read its console: \
                <script src="http://127.0.0.1:\(fixture.port)/bridge.js"></script>

                """)
        #expect(outcome.status == 1 && outcome.errors.isEmpty)
    }

    // MARK: Stubs and traffic

    @Test func stubs_andRemoves() async throws {
        let fixture = try await CommandFixture()
        let stub = try await fixture.run(
            "stub", "camera", "--reply", #"{"photo":"cat.jpg"}"#, "--match", #"{"front":true}"#)
        #expect(stub.output == "s1\n" && stub.status == 0)
        let hit = try await fixture.run("post", "camera", #"{"front":true,"zoom":2}"#)
        #expect(hit.output == "{\"photo\":\"cat.jpg\"}\n" && hit.status == 0)
        #expect(try await fixture.run("post", "camera", #"{"front":false}"#).status == 3)
        #expect(
            try await fixture.run("stub", "camera", "--error", "No camera", "--delay", "0.01", "--json").output
                == "{\"stub\":\"s2\"}\n")
        let rejected = try await fixture.run("post", "camera", "1")
        #expect(rejected.errors == "error: No camera\n" && rejected.status == 1)
        let info = try JSON.parse(try await fixture.run("info", "--json").output)
        #expect(info["handlers"]?[0]?["stubs"]?[0]?["hits"]?.number == 1)
        #expect(try await fixture.run("unstub", "--all", "--json").output == "{\"stub\":\"s1\"}\n{\"stub\":\"s2\"}\n")
        #expect(try await fixture.run("post", "camera", "1").status == 3)
    }

    @Test func addsFaults_andRemovesThem() async throws {
        let fixture = try await CommandFixture()
        let refused = try await fixture.run("fault", "/posts", "--offline")
        #expect(refused.status == 1 && refused.errors.contains("attached by its script tag"))
        let fault = try await fixture.run("fault", "/posts", "--slow", "0.5", "--times", "2", "--web-view", "modal")
        #expect(fault.output == "f1\n" && fault.status == 0)
        let info = try await fixture.run("info")
        #expect(info.output.contains(#"  fault {"fault":"f1","url":"/posts","kind":"slow","delayMs":500,"times":2"#))
        #expect(try await fixture.run("unfault", "--all", "--json").output == "{\"fault\":\"f1\"}\n")
        #expect(try await fixture.run("fault", "/posts", "--cut", "--missing").status == 64)
    }

    @Test func printsTraffic_forPeopleAndPrograms() async throws {
        let fixture = try await CommandFixture()
        _ = try await fixture.run("post", "nativeApp", #"{"name":"ActionButton","path":"/x","icon":"plus"}"#)
        let text = try await fixture.run("tail", "--filter", "kind:message", environment: ["TZ": "UTC"])
        #expect(
            text.output.firstMatch(
                of: /^\d\d:\d\d:\d\d\.\d{3}  p1 → nativeApp  ActionButton {"path":"\/x","icon":"plus"}   handled\n$/)
                != nil)
        let json = try await fixture.run("tail", "--json", "--since", "1h", "--page", "p1")
        let kinds = try json.output.split(separator: "\n").map { try JSON.parse($0)["kind"]?.string }
        #expect(kinds == ["page", "app", "app", "app", "message"])
        let found = try await fixture.run("wait", "--name", "ActionButton", "--after", "0", "--json")
        #expect(try JSON.parse(found.output)["body"]?["path"]?.string == "/x")
    }

    @Test func printsWholeLines_inAPipe() async throws {
        let fixture = try await CommandFixture()
        let path = "/" + String(repeating: "x", count: 500)
        _ = try await fixture.run("post", "nativeApp", #"{"name":"ActionButton","path":"\#(path)","icon":"plus"}"#)
        let text = try await fixture.run("tail", "--filter", "kind:message")
        #expect(text.output.contains(#"{"path":"\#(path)","icon":"plus"}   handled"#), "\(text.output)")
    }

    @Test func tellsTheStacksAfterEachStep() async throws {
        let fixture = try await CommandFixture()
        let tail = try fixture.start("tail", "--follow", "--stacks")
        var lines = tail.lines.makeAsyncIterator()
        let start = "main: /   because the app starts at http://localhost:3000/, and "
        #expect(await lines.next()?.hasPrefix(start) == true)
        _ = try await fixture.run("post", "nativeApp", #"{"name":"ActionButton","path":"/x","icon":"plus"}"#)
        #expect(await lines.next()?.hasPrefix("main: / [plus]   because the app starts") == true)
        _ = try await fixture.run("app", "tapActionButton", "--no-wait")
        let pushed = "main: / › /x   because the user taps the action button, and the place is new"
        #expect(await lines.next()?.hasPrefix(pushed) == true)
        fixture.stop()
        #expect(try await tail.exitStatus() == 0)
        #expect(try await fixture.run("tail", "--stacks", "--json").status == 64)
    }

    @Test func followsTraffic() async throws {
        let fixture = try await CommandFixture()
        let tail = try fixture.start("tail", "--follow", "--json", "--filter", "-kind:app")
        var lines = tail.lines.makeAsyncIterator()
        #expect(try JSON.parse(await lines.next() ?? "")["event"]?.string == "attached")
        _ = try await fixture.run("post", "nativeApp", #"{"name":"ActionButton","path":"/x","icon":"plus"}"#)
        #expect(try JSON.parse(await lines.next() ?? "")["name"]?.string == "ActionButton")
        fixture.stop()
        #expect(try await tail.exitStatus() == 0)
    }

    /// Who waits in a script for records must learn that no more will come.
    @Test func failsIfTheDaemonIsKilled() async throws {
        let fixture = try await CommandFixture()
        let errors = fixture.path("errors")
        let tail = try RunningDaemon(
            ["--follow"], environment: fixture.environment, command: "tail", by: #"exec "$@" 2>"\#(errors)""#)
        var lines = tail.lines.makeAsyncIterator()
        #expect(await lines.next() != nil)
        fixture.kill()
        #expect(try await tail.exitStatus() == 69)
        let text = try String(contentsOfFile: errors, encoding: .utf8)
        #expect(text.hasPrefix("error: The daemon at http://"))
        #expect(text.contains(" ended in the middle of its answer: it was killed, or the connection broke. "))
    }

    @Test func saysHowLongAFilterMayBe() async throws {
        let fixture = try await CommandFixture()
        let filter = "text:" + String(repeating: "x", count: 20_000)
        let outcome = try await fixture.run("tail", "--filter", filter)
        #expect(
            outcome.errors.hasPrefix(
                "error: The filter is too long: with it the request's header has more than 16384 bytes"),
            "\(outcome.errors)")
        #expect(outcome.errors.contains("--max-header-bytes") && outcome.status == 64)
    }
}
