import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import BridgeDaemon

/// The help of the command line and its messages for mistakes: whole texts and exit codes.
@Suite(.timeLimit(.minutes(4))) struct UsageTests {
    private static let usage = """
        Usage: bridged serve [<options>]
          See 'bridged serve --help' for more information.

        """

    /// Arguments, exit code and standard error.
    static let mistakes: [(arguments: [String], status: Int32, errors: String)] = [
        (
            ["--port", "70000"], 64,
            "error: '70000' is not valid for --port. Give a number from 0 to 65535.\n" + usage
        ),
        (["--colour"], 64, "error: Unknown option '--colour'\n" + usage),
        (
            ["--root-url", "localhost"], 64,
            "error: 'localhost' is not valid for --root-url. Give an address like http://localhost:3000.\n" + usage
        ),
        (
            ["--framework", "windows"], 64,
            "error: 'windows' is not valid for --framework. Give ios@1.2, ios@1.3-beta, ios@1.3, ios@main, android@1.3, turbo-navigator, turbo-ios@7.1, strada-ios@1.0.\n"
                + usage
        ),
        (
            ["--framework", "ios,android"], 64,
            "error: serve runs one app: give one framework. bridged test runs flows with several.\n" + usage
        ),
        (
            ["--log", "/nowhere/traffic.ndjson"], 1,
            "error: Can't write the log /nowhere/traffic.ndjson: No such file or directory. "
                + "Choose another file with --log.\n"
        ),
        (
            ["--database", "/nowhere/traffic.db"], 1,
            "error: Can't open the database /nowhere/traffic.db: No such file or directory. "
                + "Choose another file with --database.\n"
        ),
        (
            ["--keep", "7w"], 64,
            "error: '7w' is not valid for --keep. Give a number of records, or an age like 7d or 12h.\n" + usage
        ),
        (
            ["--observe", "my app"], 64,
            "error: 'my app' is not valid for --observe. Give the name of a global object or of a member, such as myApp.bridge.\n"
                + usage
        ),
        (
            ["--host", "nowhere"], 1,
            "error: 'nowhere' is not an IP address. Give a literal one, such as 127.0.0.1 or ::1.\n"
        ),
        (
            ["--allow-origin", "app.example"], 1,
            "error: 'app.example' is not an origin. Give scheme and host as a browser does: http://app.example:3000, or "
                + "several as https://*.app.example:*\n"
        ),
    ]

    @Test(arguments: mistakes)
    func reportsMistakes_andExits(mistake: (arguments: [String], status: Int32, errors: String)) async throws {
        let arguments = ["serve", "--port", "0"] + mistake.arguments
        let outcome = try await Executable.run(arguments)
        #expect(outcome.errors == mistake.errors)
        #expect(outcome.status == mistake.status)
        #expect(outcome.output.isEmpty)
    }

    /// SQLite would write over the log's lines.
    @Test(arguments: ["", "-wal", "-shm", "-journal"])
    func refusesALogThatIsTheDatabase(_ suffix: String) async throws {
        let folder = try TemporaryFolder()
        let database = folder.path("traffic")
        let link = folder.path("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: database + suffix)
        for log in [database + suffix, link] {
            let outcome = try await Executable.run(["serve", "--port", "0", "--log", log, "--database", database])
            #expect(outcome.status == 64)
            #expect(outcome.errors.hasPrefix("error: The log \(log) is the "))
            #expect(outcome.errors.hasSuffix(" too. Choose another file with --log or --database.\n"))
        }
    }

    /// A file of another name would be written.
    @Test func refusesArgumentsThatAreNotUTF8() async throws {
        let outcome = try await Executable.run(
            ["serve", "--log"], by: #"exec "$@" "$(printf 'caf\351.ndjson')" --port 0"#)
        #expect(outcome.status == 64)
        #expect(
            outcome.errors == "error: Argument 3, 'caf\u{FFFD}.ndjson', is not UTF-8. Give the file another name.\n")
    }

    /// By default, a signal ends the process when a file reaches that limit.
    @Test func saysThatTheDatabaseCannotBeWritten_ifFilesCannotGrow() async throws {
        let folder = try TemporaryFolder()
        let outcome = try await Executable.run(
            ["serve", "--port", "0", "--database", folder.path("traffic.db")],
            by: "ulimit -f 1; exec env --default-signal=XFSZ \"$@\"")
        #expect(outcome.status == 1)
        #expect(outcome.errors.hasPrefix("error: Can't open the database"))
    }

    /// Options that belong to something else, and what the error says.
    @Test(arguments: [
        (["serve", "--uri", "hotwire://fragment/a"], "--uri is for apps of Android, and ios@1.3 is not: leave it out"),
        (["serve", "--native-screen", "a", "--framework", "android"], "--native-screen is for apps of iOS"),
        (["path", "lint", "a", "--framework", "ios", "--destination", "a:b"], "--destination is about Android"),
        (["path", "lint", "a", "--framework", "android", "--no-match-query"], "--no-match-query is for iOS"),
        (["log", "export", "a", "--har", "-", "--url", "http://localhost:1"], "--url names a daemon"),
        (["app", "--list", "back"], "--list lists all actions: leave out back"),
        (["doctor", "--install", "--page", "p1"], "--install is about this machine: leave out --page"),
        (["compare", "a", "b", "--framework", "ios"], "--framework says how a flow runs"),
        (["compare", "a", "b", "--flow", "f.yml"], "--flow makes the traffic to compare with"),
    ])
    func refusesOptionsOfSomethingElse(_ arguments: [String], _ reason: String) async throws {
        let outcome = try await Executable.run(arguments)
        #expect(outcome.status == 64 && outcome.errors.contains("error: \(reason)"), "\(outcome.errors)")
    }

    /// Options that would have no effect, and what they need.
    @Test(arguments: [
        (["--cluster-durable"], "cluster"), (["--hide-tab-bar", "whenPushed"], "tab"),
        (["--keep", "7d"], "database"), (["--lazy-load-tabs", "true"], "tab"), (["--tls-cert", "a.pem"], "tls-key"),
        (["--tls-key", "a.pem"], "tls-cert"),
    ])
    func refusesOptionsWithoutEffect(_ option: [String], _ other: String) async throws {
        let outcome = try await Executable.run(["serve", "--port", "0"] + option)
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("error: \(option[0].dropFirst(2)) needs \(other) as well: "))
    }

    @Test func suggestsTheCommand() async throws {
        let outcome = try await Executable.run(["evl", "1"])
        #expect(outcome.errors == "error: There is no command 'evl'. Did you mean eval? bridged --help lists all.\n")
        #expect(outcome.status == 64)
        let early = try await Executable.run(["--url", "http://localhost:1", "info"])
        #expect(early.errors.hasPrefix("error: Unknown option '--url'."))
        #expect(early.errors.hasSuffix("If info is the command, write it first: bridged info …\n"))
        #expect(early.status == 64)
    }

    @Test func reportsPortInUse_andExits() async throws {
        let daemon = try RunningDaemon("--port", "0", "--json")
        let port = try await daemon.listening().port
        let outcome = try await Executable.run(["serve", "--port", "\(port)"])
        #expect(outcome.status == 1)
        #expect(
            outcome.errors == """
                error: Port \(port) on 127.0.0.1 is in use, perhaps by another bridged. Stop that one, or choose another \
                port with --port (0 picks a free one).

                """)
    }

    @Test func printsHelp() async throws {
        let outcome = try await Executable.run(["--help"])
        #expect(outcome.status == 0)
        #expect(
            outcome.output == """
                OVERVIEW: The native half of a hybrid app, without the phone.

                Web pages post messages with webkit.messageHandlers.nativeApp.postMessage(…);
                bridged receives them as an iOS app would, answers by running scripts in the
                page, and shows all traffic.

                USAGE: bridged <subcommand>

                OPTIONS:
                  --version               Show the version.
                  -h, --help              Show help information.

                SUBCOMMANDS:
                  serve (default)         Serve pages until stopped.
                  open                    Show a page in a browser of its own, without a script
                                          tag in the page.
                  run                     Build an iOS app's own Swift on this machine, and run
                                          it without a screen.
                  pages                   List the attached pages.
                  devices                 List the attached pages of real apps.
                  eval                    Run a script in a page and print its value.
                  call                    Run an async function in a page and print its result.
                  post                    Post a message as the page would, and print the reply.
                  tail                    Show the traffic; --follow shows new records too.
                  wait                    Wait for a matching message, and print its record.
                  stub                    Answer in place of a handler.
                  unstub                  Remove stubs.
                  fault                   Let requests fail in a driven browser.
                  unfault                 Remove faults.
                  app-origin              Take the pages of another origin as the app's, as
                                          --app-origin does.
                  info                    Show the daemon, its counters, handlers, stubs and
                                          faults.
                  app                     Show the emulated app, or do what its user would.
                  explain                 Say why the emulated app made its latest visits, and
                                          who requested what.
                  repl                    Run JavaScript in a page, line by line.
                  doctor                  Say what is wrong with a page, worst first.
                  test                    Run flows: tests of a page's bridge, written in YAML.
                  trace                   Show the trace of a failed flow, or write one.
                  cassette                Record what a real app answers, for tests without it.
                  log                     Export a log, or replay it.
                  compare                 Say how two runs of an app differ, such as one on a
                                          phone and one here.
                  mcp                     Let a language model use the daemon: a Model Context
                                          Protocol server.
                  path                    Explain, check and compare path configurations.
                  route                   Walk through an app's screens without the app.

                  See 'bridged help <subcommand>' for detailed help.

                """)
    }

    /// Otherwise ArgumentParser derives the name of every command from its type, at each start.
    @Test func everyCommandNamesItself() {
        var commands: [any ParsableCommand.Type] = [Bridged.self]
        while let command = commands.popLast() {
            #expect(command.configuration.commandName != nil, "\(command)")
            commands += command.configuration.subcommands
        }
    }
}
