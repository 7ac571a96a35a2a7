import ArgumentParser
import BridgeProtocol
import Foundation
import TestSupport
import Testing

@testable import BridgeDaemon

/// Every option of the command line has an effect, or is refused: the tables here must have each that `--help` shows.
@Suite(.timeLimit(.minutes(10))) struct OptionTests {
    /// The options of a daemon, each with a value, and with those that it needs.
    static let settings: [(option: String, value: String?, others: [String])] = [
        ("allow-origin", "http://a.example", []), ("app-origin", "http://a.example", []),
        ("application-user-agent-prefix", "Shop/1.0", []), ("cassette-mode", "once", ["--cassette", "t.yml"]),
        ("component", "form", []), ("database", "t.db", []),
        ("discriminator", "type", []), ("framework", "android", []), ("handshake-timeout", "1s", []),
        ("hidden-tab", "Posts", ["--framework", "android", "--tab", "Posts=/posts"]),
        ("hide-tab-bar", "whenPushed", ["--tab", "Posts=/posts"]), ("host", "127.0.0.1", []), ("json", nil, []),
        ("json-decoder", "convertFromSnakeCase", []), ("json-encoder", "convertToSnakeCase", []),
        ("keep", "7", ["--database", "t.db"]), ("lazy-load-tabs", "true", ["--tab", "Posts=/posts"]),
        ("log", "t.ndjson", []), ("max-connections", "9", []), ("max-connections-per-address", "9", []),
        ("max-errors", "9", []), ("max-header-bytes", "2048", []), ("max-memory-bytes", "1MiB", []),
        ("max-message-bytes", "2048", []), ("max-nesting", "9", []), ("max-values", "1009", []),
        ("max-waiting-bytes", "2048", []), ("max-waiting-calls", "9", []), ("max-waiting-evaluations", "9", []),
        ("max-waiting-messages", "9", []), ("native-screen", "numbers", []), ("no-redact", nil, []),
        ("observe", "myApp.bridge", []),
        ("pong-timeout", "9s", []), ("port", "0", []), ("push-token", "cafe", []), ("redact", "pin", []),
        ("redirect-resolution-timeout", "9s", []), ("reply-timeout", "9s", []), ("root-url", "http://a.example", []),
        ("route-decision-handler", "safari", []), ("sign-in-path", "/in", []), ("sign-in-url", "/in", []),
        ("strict-origins", nil, []), ("tab", "Posts=/posts", []), ("tls-cert", "a.pem", ["--tls-key", "a.key"]),
        ("tls-key", "a.key", ["--tls-cert", "a.pem"]), ("uri", "hotwire://fragment/a", ["--framework", "android"]),
        ("verbose", nil, []), ("web-view-policy-decision-handler", "none", []),
    ]

    /// Those whose value is a file that is read, with its text.
    static let files = [
        "binary": "name: 1.0", "bridge-adapter": "1", "cassette": "entries: []", "config": "port: 1",
        "path-configuration": "{}",
        "turbo-adapter": "1",
    ]

    @MainActor @Test func optionsOfTheDaemonReachItsConfiguration() throws {
        let folder = try TemporaryFolder()
        var settings = OptionTests.settings
        for (option, text) in OptionTests.files.sorted(by: { $0.key < $1.key }) {
            try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path(option)))
            settings.append((option, folder.path(option), []))
        }
        var plain: [[String]: String] = [:]
        for (option, value, others) in settings {
            // A certificate alone is refused: UsageTests has it. A cassette has to exist.
            guard !others.contains(where: { $0.hasPrefix("--tls") || $0 == "--cassette" }) else { continue }
            let without = try plain[others] ?? description(of: others)
            plain[others] = without
            let with = try description(of: others + ["--\(option)"] + (value.map { [$0] } ?? []))
            #expect(without != with, "--\(option) changes nothing")
        }
        #expect(try description(of: ["--tls-cert", "a", "--tls-key", "b"]) != description(of: []))
        let cassette = ["--cassette", folder.path("cassette")]
        #expect(try description(of: cassette + ["--cassette-mode", "once"]) != description(of: cassette))
    }

    /// Everything that the settings hold, apart from the list of what the command line has.
    @MainActor private func description(of arguments: [String]) throws -> String {
        let configuration = try ServeConfiguration(ServeOptions.parse(arguments))
        var text = ""
        for (name, value) in Mirror(reflecting: configuration).children where name != "flags" {
            dump(value, to: &text, name: name)
        }
        return text
    }

    // MARK: Commands

    /// A command without an option, and with it.
    typealias Effect = (command: [String], option: String, value: String?)

    /// What these print or how they end changes, with the page of `CommandFixture`. `--json` and `--url` are not among them.
    static let effects: [Effect] = [
        (["eval", "document.title"], "page", "p9"),
        (["eval", "document.title", "--timeout", "0.5"], "web-view", "modal"),
        (["eval", "document.title"], "world", "app"), (["eval", "for(;;);", "--timeout", "0.06"], "timeout", "0.02"),
        (["call", "return a"], "arg", "a"), (["call", "return 7"], "page", "p9"),
        (["call", "return 7", "--timeout", "0.5"], "web-view", "modal"), (["call", "return 7"], "world", "app"),
        (["call", "never", "--timeout", "0.06"], "timeout", "0.02"), (["post", "nativeApp", "1"], "page", "p9"),
        (["post", "nativeApp", "1", "--timeout", "0.1"], "web-view", "modal"),
        (["post", "slow", "1", "--timeout", "0.06"], "timeout", "0.02"), (["tail"], "filter", "kind:gap"),
        (["tail"], "since", "2030-01-01T00:00:00Z"), (["tail"], "last", "1"), (["tail"], "stacks", nil),
        (["tail"], "page", "p9"), (["tail"], "web-view", "modal"), (wait, "handler", "slow"), (wait, "name", "B"),
        (wait, "match", #"{"b":1}"#), (wait, "filter", "kind:gap"), (wait, "page", "p9"), (wait, "web-view", "modal"),
        (["wait", "--timeout", "0.06"], "after", "0"), (["wait", "--timeout", "0.06"], "timeout", "0.03"),
        (["stub", "scan", "--none"], "component", "scanner"),
        (["unstub", "s9"], "all", nil), (["unfault", "f9"], "all", nil), (["app"], "list", nil),
        (["explain"], "last", "0"), (["doctor"], "page", "p9"), (["doctor"], "web-view", "modal"),
        (["repl", "--timeout", "0.06"], "page", "p9"),
        (["repl", "--timeout", "0.06"], "web-view", "modal"), (["repl", "--timeout", "0.06"], "timeout", "0.02"),
    ]

    private static let wait = ["wait", "--after", "0", "--timeout", "0.1"]

    @Test func optionsOfCommandsChangeWhatTheyDo() async throws {
        let fixture = try await CommandFixture(scripts: [
            "document.title": #""result":{"value":"Shop"}"#, "return 7": #""result":{"value":7}"#,
            "return a": #""result":{"value":7}"#,
        ])
        _ = try await fixture.run("stub", "slow", "--echo", "--delay", "60")
        for body in [#"{"name":"RegisterPushToken"}"#, #"{"name":"A","b":2}"#] {
            _ = try await fixture.run("post", "nativeApp", body)
        }
        _ = try await fixture.run("app", "visit", "/posts", "--no-wait")
        try await expect(OptionTests.effects) { try await fixture.run($0, input: "document.title\nfor(;;);\n") }
    }

    /// Rules, and URLs with a query that only one of them matches.
    private static let rules = """
        {"rules":[{"patterns":["/a\\\\?b"],"properties":{"context":"modal"}},
        {"patterns":["/c"],"properties":{"uri":"hotwire://fragment/c"}}]}
        """

    static let pathEffects: [Effect] = [
        (["path", "explain", "/a?b", "--config", "rules"], "no-match-query", nil),
        (["path", "explain", "/a?b", "--config", "rules"], "framework", "android"),
        (["path", "explain", "/a?b", "--config", "rules"], "config", "none"),
        (["path", "explain", "/a?b", "--config", "rules"], "json", nil), (["path", "lint", "rules"], "urls", "urls"),
        (["path", "lint", "rules"], "framework", "ios"),
        (["path", "lint", "rules", "--urls", "urls"], "no-match-query", nil),
        (["path", "lint", "rules", "--framework", "android"], "destination", "hotwire://fragment/d"),
        (["path", "lint", "rules"], "json", nil),
        (["path", "diff", "rules", "none", "--urls", "urls"], "urls", "other"),
        (["path", "diff", "rules", "none", "--urls", "urls"], "framework", "android"),
        (["path", "diff", "rules", "none", "--urls", "urls"], "no-match-query", nil),
        (["path", "diff", "rules", "none", "--urls", "urls"], "json", nil),
        (["route", "--config", "rules", "/a?b"], "config", "none"),
        (["route", "--config", "rules", "/a?b"], "start", "https://a.example/b"),
        (["route", "--config", "rules", "/a?b"], "framework", "android"),
        (["route", "--config", "rules", "/a?b"], "no-match-query", nil),
        (["route", "--config", "rules", "/a?b"], "json", nil),
        (["route", "--config", "rules", "/c"], "steps", "steps"),
    ]

    @Test func optionsOfPathCommandsChangeWhatTheyDo() async throws {
        let folder = try TemporaryFolder()
        let files = [
            "rules": OptionTests.rules, "none": #"{"rules":[]}"#, "urls": "/a?b\n/d\n/C\n", "other": "/a?b\n",
            "steps": "[\"/d\"]",
        ]
        for (name, text) in files { try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path(name))) }
        let place = { (text: String) in files[text] == nil ? text : folder.path(text) }
        try await expect(OptionTests.pathEffects.map { ($0.command.map(place), $0.option, $0.value.map(place)) }) {
            try await Executable.run($0)
        }
    }

    /// Runs each command without and with an option, and expects a difference.
    private func expect(
        _ effects: [Effect], _ run: ([String]) async throws -> Executable.Outcome
    ) async throws {
        var plain: [[String]: Executable.Outcome] = [:]
        for (command, option, value) in effects {
            let known = plain[command]
            let without = if let known { known } else { try await run(command) }
            plain[command] = without
            // The last of two values counts.
            let with = try await run(command + ["--\(option)"] + (value.map { [$0] } ?? []))
            #expect(
                without.status != with.status || without.output != with.output || without.errors != with.errors,
                "bridged \(command.joined(separator: " ")) --\(option): \(with)")
            #expect(!with.errors.contains("Unknown option"), "\(with.errors)")
        }
    }

    /// What a stub or a fault keeps of its options, as `bridged info` has it.
    static let kept: [(command: [String], option: String, value: String?, part: String)] = [
        (["stub", "a"], "reply", "[1]", #"{"value":[1]}"#), (["stub", "a"], "error", "no", #"{"error":"no"}"#),
        (["stub", "a"], "echo", nil, #"{"echo":true}"#), (["stub", "a"], "none", nil, #"{"none":true}"#),
        (["stub", "a", "--none"], "match", #"{"k":1}"#, #""match":{"k":1}"#),
        (["stub", "a", "--none"], "web-view", "other", #""webView":"other""#),
        (["stub", "a", "--none"], "delay", "3", #""delayMs":3000"#), (fault, "offline", nil, "offline"),
        (fault, "slow", "2", #""delayMs":2000"#), (fault, "status", "503", #""status":503"#),
        (fault, "cut", nil, "cut"), (fault, "missing", nil, "missing"),
        (fault + ["--cut"], "times", "7", #""times":7"#),
        (["fault", "/a", "--cut"], "web-view", "other", #""webView":"other""#),
    ]

    /// The fixture's page has a script tag, which cannot change requests.
    private static let fault = ["fault", "/a", "--web-view", "driven"]

    @Test func stubsAndFaultsKeepTheirOptions() async throws {
        let fixture = try await CommandFixture()
        for (command, option, value, part) in OptionTests.kept {
            #expect(try await !fixture.run("info", "--json").output.contains(part), "\(part)")
            let made = try await fixture.run(command + ["--\(option)"] + (value.map { [$0] } ?? []))
            #expect(try await fixture.run("info", "--json").output.contains(part), "--\(option): \(made)")
            _ = try await fixture.run("un" + command[0], "--all")
        }
    }

    // MARK: All options

    /// Options that need more than a page without a browser, and the file that tries them: those of `run`, only whether they
    /// are refused where they would do nothing, or change what is said before the build.
    static let elsewhere: [(command: String, options: [String], file: String)] = [
        ("serve", ["cluster-durable"], "Tests/BridgeClusterTests/DurableTests.swift"),
        ("serve", ["cluster"], "Tests/BridgeClusterTests/Node.swift"),
        (
            "open", ["in", "headless", "no-inspector", "device", "web-view", "url"],
            "Tests/BrowserTests/Driven/OpenCommandTests.swift"
        ),
        (
            "run", ["target", "scheme", "url", "origin", "package", "strict", "in", "windows", "port"],
            "Tests/BridgeDaemonTests/Commands/RunCommandTests.swift"
        ),
        ("run", ["build", "tests"], "scripts/framework-tests"),
        (
            "trace save", ["name", "failure", "after", "filter", "steps"],
            "Tests/BridgeDaemonTests/Commands/TraceCommandTests.swift"
        ),
        ("doctor", ["install"], "Tests/BridgeDaemonTests/Commands/InstallationTests.swift"),
        (
            "test", ["in", "keep-log", "trace-folder", "record", "tag", "grep", "env", "retries", "jobs", "watch"],
            "Tests/BrowserTests/FlowTests.swift"
        ),
        ("test", ["trace", "reporter"], "Tests/BrowserTests/Turbo/TutorialTests.swift"),
        ("serve", ["open"], "Tests/BridgeDaemonTests/ServeTests.swift"),
        ("tail", ["follow"], "Tests/BridgeDaemonTests/Commands/CommandTests.swift"),
        ("app", ["no-wait"], "Tests/BridgeDaemonTests/Commands/CommandTests.swift"),
        (
            "test", ["browser", "device", "timeout", "wait", "strict"],
            "Tests/BridgeDaemonTests/Commands/TestCommandTests.swift"
        ),
        ("test", ["target", "scheme", "origin", "package"], "Tests/BridgeDaemonTests/Commands/RunCommandTests.swift"),
        ("test", ["on", "ask"], "Tests/Device/flow_test.py"),
        ("test", ["app", "url"], "AppCode/Tests/AppTestingTests/AppFlowTests.swift"),
        ("cassette record", ["from", "append"], "Tests/BridgeDaemonTests/Commands/CassetteCommandTests.swift"),
        ("stub", ["from"], "Tests/BridgeDaemonTests/Commands/CassetteCommandTests.swift"),
        ("log export", ["har"], "Tests/BridgeDaemonTests/Commands/LogTests.swift"),
        ("log replay", ["ignore"], "Tests/BridgeDaemonTests/Commands/LogTests.swift"),
        ("compare", ["ignore"], "Tests/BridgeDaemonTests/Commands/CompareCommandTests.swift"),
        ("compare", ["flow", "framework", "in", "config"], "Tests/BrowserTests/Turbo/CompareTests.swift"),
    ]

    /// It prints each change of an app's source and what the compiler says; no test reads that.
    private static let untried: Set = ["run verbose"]

    @Test func everyOptionIsTried() async throws {
        for (command, options, file) in OptionTests.elsewhere {
            let text = try String(contentsOf: Repository.file(file), encoding: .utf8)
            for option in options { #expect(text.contains("--\(option)"), "bridged \(command) --\(option) in \(file)") }
        }
        let settings = OptionTests.settings.map(\.option) + OptionTests.files.keys
        var tried = OptionTests.untried
        for command in ["serve", "open", "test"] { tried.formUnion(settings.map { "\(command) \($0)" }) }
        for (command, options, _) in OptionTests.elsewhere { tried.formUnion(options.map { "\(command) \($0)" }) }
        for (command, option, _) in OptionTests.effects { tried.insert("\(command[0]) \(option)") }
        for (command, option, _) in OptionTests.pathEffects {
            let name = command[0] == "path" ? "path \(command[1])" : command[0]
            tried.insert("\(name) \(option)")
        }
        for (command, option, _, _) in OptionTests.kept { tried.insert("\(command[0]) \(option)") }
        let help = try JSON.parse(try await Executable.run(["--experimental-dump-help"]).output)
        let options = OptionTests.options(of: try #require(help["command"]), [])
        #expect(options.count > 250, "\(options.count)")
        // A flag and its opposite are one option. All commands that ask a daemon share --json and --url; CommandTests
        // tries them with some.
        let untried = options.filter { name in
            !tried.contains(name) && !tried.contains(name.replacing(#/ (?=[^ ]+$)/#, with: " no-"))
                && !(name.hasSuffix(" json") || name.hasSuffix(" url"))
        }
        #expect(untried.isEmpty, "\(untried)")
    }

    /// The options of a command and of its subcommands, such as `path lint urls`.
    private static func options(of command: JSON, _ parents: [String]) -> [String] {
        let path = parents + [command["commandName"]?.string ?? ""]
        let name = path.dropFirst().joined(separator: " ")
        let own = (command["arguments"]?.elements ?? []).filter { $0["kind"]?.string != "positional" }.compactMap {
            $0["names"]?.elements.first { $0["kind"]?.string == "long" }?["name"]?.string
        }.filter { !["help", "version"].contains($0) }
        let subcommands = (command["subcommands"]?.elements ?? []).filter { $0["commandName"]?.string != "help" }
        return own.map { "\(name) \($0)" } + subcommands.flatMap { options(of: $0, path) }
    }
}
