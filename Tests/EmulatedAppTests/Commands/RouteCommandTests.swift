import BridgeProtocol
import Foundation
import TestSupport
import Testing

/// `bridged route`: output, rules, recorded cases and mistakes. The documents' examples are tested too.
@Suite(.timeLimit(.minutes(4))) struct RouteCommandTests {
    private static let rules = #"""
        {"rules": [
          {"patterns": ["/new$"], "properties": {"context": "modal", "modal_dismiss_gesture_enabled": false}},
          {"patterns": ["^/numbers"], "properties": {"view_controller": "numbers"}}
        ]}
        """#

    private func run(_ arguments: String..., input: String = "") async throws -> Executable.Outcome {
        let folder = try TemporaryFolder()
        try Data(Self.rules.utf8).write(to: URL(fileURLWithPath: folder.path("rules.json")))
        return try await Executable.run(
            ["route"] + arguments, input: input, by: "cd '\(folder.path(""))' && exec \"$@\"")
    }

    /// Both official demo apps have this rule for their first page.
    @Test(arguments: [
        "ios@1.2", "ios@1.3-beta", "ios@1.3", "ios@main", "android@1.3", "turbo-navigator", "turbo-ios@7.1",
    ])
    func showsTheStartLocation_evenIfItsRuleClearsAll(_ framework: String) async throws {
        let folder = try TemporaryFolder()
        try Data(#"{"rules": [{"patterns": ["^/$"], "properties": {"presentation": "clear_all"}}]}"#.utf8)
            .write(to: URL(fileURLWithPath: folder.path("demo.json")))
        let outcome = try await Executable.run(
            ["route", "--framework", framework, "--config", folder.path("demo.json"), "/one"])
        let first = outcome.output.components(separatedBy: "\n\n")[0]
        #expect(first.contains("the app always shows its start location") && first.contains("│ /  "), "\(first)")
    }

    @Test func drawsBothStacks_withReasons() async throws {
        let outcome = try await run(
            "--config", "rules.json", "--start", "https://app.test/", "/numbers", "/new", "dismiss", "replace:/posts/1",
            "back",
            "https://other.test/x", "clear")
        #expect(
            outcome.output == """
                start   context default, presentation default
                  because the place is new and the action is advance: it is pushed
                  visit / on main, action advance
                  push on main
                  ┌ main ──┐
                  │ /      │
                  └────────┘

                /numbers   context default, presentation default
                  because the app makes it a native screen: nothing is visited
                  because the place is new and the action is advance: it is pushed
                  push on main
                  ┌ main ──────────┐
                  │ native:numbers │
                  │ /              │
                  └────────────────┘

                /new   context modal, presentation default
                  visit /new on modal, action advance
                  replace screens of modal
                  present the modal
                  ┌ main ──────────┐  ┌ modal ──┐
                  │ native:numbers │  │ /new    │
                  │ /              │  └─────────┘
                  └────────────────┘

                dismiss
                  because the modal is full screen, or its top screen has the gesture off
                  nothing
                  ┌ main ──────────┐  ┌ modal ──┐
                  │ native:numbers │  │ /new    │
                  │ /              │  └─────────┘
                  └────────────────┘

                replace:/posts/1   context default, presentation default
                  because a modal was just left: it is pushed, whatever the action
                  visit /posts/1 on main, action replace
                  dismiss the modal
                  push on main
                  ┌ main ──────────┐
                  │ /posts/1       │
                  │ native:numbers │
                  │ /              │
                  └────────────────┘

                back
                  pop main
                  ┌ main ──────────┐
                  │ native:numbers │
                  │ /              │
                  └────────────────┘

                https://other.test/x   context default, presentation default
                  because the host is not the start location's
                  open https://other.test/x in the in-app browser
                  ┌ main ──────────┐
                  │ native:numbers │
                  │ /              │
                  └────────────────┘

                clear
                  pop main to its root, not animated
                  refresh / on main, action replace
                  ┌ main ──┐
                  │ /      │
                  └────────┘
                """ + "\n\n")
        #expect(outcome.status == 0 && outcome.errors.isEmpty)
    }

    @Test func printsJSON() async throws {
        let outcome = try await run("--config", "rules.json", "--json", "/numbers", "back")
        let steps = try outcome.output.split(separator: "\n").map { try JSON.parse($0) }
        #expect(steps.map { $0["step"]?.string } == ["/numbers", "back"])
        #expect(steps[0]["main"]?.description == #"["http://localhost:3000/","native:numbers"]"#)
        #expect(
            steps[0]["native"]?.description == #"[{"stack":"main","index":1,"url":"http://localhost:3000/numbers"}]"#)
        #expect(steps[0]["properties"]?.description == #"{"view_controller":"numbers"}"#)
        #expect(steps[0]["context"]?.string == "default" && steps[0]["presentation"]?.string == "default")
        #expect(steps[0]["visits"]?.count == 0)
        #expect(steps[1]["effects"]?.description == #"[{"effect":"pop","stack":"main","animated":true}]"#)
        #expect(steps[1]["properties"]?.isNull == true)
    }

    /// TurboNavigator replaces main's top where Hotwire Native pushes.
    @Test(arguments: [("ios@1.3", ["/", "/a", "/b"]), ("turbo-navigator", ["/", "/b"])])
    func takesOtherFrameworks(framework: String, main: [String]) async throws {
        let outcome = try await run(
            "--config", "rules.json", "--framework", framework, "--json", "/a", "/new", "replace:/b")
        let last = try JSON.parse(try #require(outcome.output.split(separator: "\n").last))
        let urls = main.map { "\"http://localhost:3000\($0)\"" }
        #expect(last["main"]?.description == "[\(urls.joined(separator: ","))]")
    }

    /// A malformed case is reported in its place; the others run.
    @Test func runsTheOtherCases_afterAMalformedOne() async throws {
        let good = #"{"id": "good", "pathConfiguration": [], "start": "https://a/", "steps": []}"#
        let result = #"""
            {"id":"good","initial":{"main":["https://a/"],"modal":[],"visits":[{"stack":"main","url":"https://a/",\#
            "action":"advance","kind":"visit"}],"transitions":[{"op":"push","on":"main","animated":true}]},"states":[]}
            """#
        let bad: [(text: String, result: String)] = [
            ("3", #"{"id":null,"error":"$.id: expected a value, found nothing"}"#),
            (#"{"id": 3}"#, #"{"id":null,"error":"$.id: expected a string, found number 3"}"#),
            (#"{"id": "a"}"#, #"{"id":"a","error":"$.pathConfiguration: expected a value, found nothing"}"#),
            (
                #"{"id": "b", "pathConfiguration": {}, "start": "http://a b/", "steps": []}"#,
                #"{"id":"b","error":"$.start: expected a URL, found string \"http://a b/\""}"#
            ),
            (
                #"{"id": "c", "pathConfiguration": {}, "start": "https://a/", "steps": [{"pop": {}}, {"visti": {}}]}"#,
                #"{"id":"c","error":"$.steps[1]: expected an object with one of the keys visit, route, pop, clearAll, "#
                    + #"start, back, dismissModal, crossOriginRedirect, found object with keys visti"}"#
            ),
            (
                #"{"id": "d", "pathConfiguration": {}, "start": "https://a/", "steps": [{"visit": {"url": "/x", "action": "go"}}]}"#,
                #"{"id":"d","error":"$.steps[0].visit.action: expected one of advance, replace, restore, found string \"go\""}"#
            ),
            (
                #"{"id": "e", "pathConfiguration": {}, "lookups": [{"url": "/a"}, {}]}"#,
                #"{"id":"e","error":"$.lookups[1].url: expected a value, found nothing"}"#
            ),
            (
                #"{"id": "f", "pathConfiguration": {}, "matchQueryStrings": 1, "lookups": []}"#,
                #"{"id":"f","error":"$.matchQueryStrings: expected true or false, found number 1"}"#
            ),
        ]
        let cases = "[\(good), \(bad.map(\.text).joined(separator: ", ")), \(good)]"
        let outcome = try await run("--steps", "-", input: cases)
        #expect(outcome.output.split(separator: "\n").map(String.init) == [result] + bad.map(\.result) + [result])
        #expect(outcome.status == 1 && outcome.errors.isEmpty)
    }

    @Test func takesOneCase_withoutAnArray() async throws {
        let outcome = try await run(
            "--steps", "-",
            input: #"{"id": "one", "pathConfiguration": {"rules": 1, "settings": {"a": 1}}, "lookups": []}"#)
        #expect(outcome.output == #"{"id":"one","ruleCount":3,"settings":{},"lookups":[]}"# + "\n")
        #expect(outcome.status == 0)
    }

    /// Mistakes and their messages.
    static let mistakes: [(arguments: [String], status: Int32, error: String)] = [
        (["bak"], 64, "error: 'bak' is not a step. Did you mean back?\n"),
        (
            ["posts"], 64,
            "error: 'posts' is not a step. "
                + "Give a URL, a path that begins with /, replace:URL, restore:URL, back, dismiss or clear.\n"
        ),
        (
            ["--start", "localhost", "/"], 64,
            "error: 'localhost' is not valid for --start. Give an address like http://localhost:3000/.\n"
        ),
        (
            ["--steps", "none.json"], 66,
            "error: Can't read FOLDER/none.json: No such file or directory. Check the name and its permissions.\n"
        ),
        (
            ["--steps", "/dev/null"], 66,
            "error: /dev/null has no cases: Not valid JSON: unexpected token near end of file (line 1, column 0, byte 0). "
                + "Give one case, or an array.\n"
        ),
    ]

    @Test(arguments: mistakes)
    func reportsMistakes_andExits(_ mistake: (arguments: [String], status: Int32, error: String)) async throws {
        let folder = try TemporaryFolder()
        let outcome = try await Executable.run(
            ["route"] + mistake.arguments, by: "cd '\(folder.path(""))' && exec \"$@\"")
        let place = URL(fileURLWithPath: folder.path("")).standardizedFileURL.path
        #expect(outcome.errors == mistake.error.replacing("FOLDER", with: place))
        #expect(outcome.status == mistake.status && outcome.output.isEmpty)
    }

    @Test func printsHelp() async throws {
        let outcome = try await run("--help")
        #expect(outcome.status == 0)
        #expect(
            outcome.output == """
                OVERVIEW: Walk through an app's screens without the app.

                Each STEP is an event:
                  URL, /path      the page of the visible screen proposes a visit
                  replace:URL     the same with the action replace
                  restore:URL     the same with the action restore
                  back            the user taps the back button
                  dismiss         the user swipes a modal away
                  clear           the app calls clearAll()

                After each step, the command prints what the app would do, and both stacks. A
                view_controller other than web is a native screen.

                Examples:
                  bridged route --config rules.json /posts /posts/new back
                  bridged route --config rules.json --start https://app.example/ --json /posts
                  bridged route --steps cases.json

                Exit codes: 0 success, 1 if a case of --steps is malformed, 64 for a mistake in
                the arguments, 66 if a file cannot be read.

                USAGE: bridged route [--config <file|url>] [--start <url>] [--framework <framework>] [--match-query] [--no-match-query] [--json] [--steps <file>] [<step> ...]

                ARGUMENTS:
                  <step>                  The events, in order.

                OPTIONS:
                  --config <file|url>     The path configuration. (default: only the built-in
                                          rules)
                  --start <url>           The app's first location, against which paths are
                                          resolved. (default: http://localhost:3000/)
                  --framework <framework> The framework's release. (values: ios@1.2,
                                          ios@1.3-beta, ios@1.3, ios@main, android@1.3,
                                          turbo-navigator, turbo-ios@7.1, strada-ios@1.0;
                                          default: ios@1.3)
                  --match-query/--no-match-query
                                          Match patterns against queries too, as Hotwire Native
                                          does by default. Android always does. (default:
                                          --match-query)
                  --json                  Print one JSON object for each step.
                  --steps <file>          Run recorded cases from this file, or - for standard
                                          input, and print one JSON object for each case.
                  --version               Show the version.
                  -h, --help              Show help information.
                """ + "\n\n")
    }
}
