import BridgeProtocol
import Foundation
import TestSupport
import Testing

/// `bridged path explain` and `diff`: output for programs, profiles, and mistakes. The documents' examples are tested too.
@Suite(.timeLimit(.minutes(4))) struct PathCommandTests {
    private static let rules = #"""
        {"rules": [
          {"patterns": [".*"], "properties": {"context": "default", "uri": "hotwire://fragment/web"}},
          {"patterns": ["(", "/New$"], "properties": {"context": "modal", "presentation": "push"}},
          {"patterns": ["page="], "properties": {"presentation": "none", "title": "\u001b[31m"}}
        ]}
        """#

    private func run(_ arguments: String...) async throws -> Executable.Outcome {
        let folder = try TemporaryFolder()
        let files = [
            "rules.json": Self.rules, "new.json": Self.rules.replacing("/New$", with: "/new$"),
            "bad.json": "{\"rules\": 1}",
            "urls.txt": "/new\n/old\n", "bad.txt": "/new\nhttp://a b/\n",
        ]
        for (name, text) in files { try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path(name))) }
        return try await Executable.run(["path"] + arguments, by: "cd '\(folder.path(""))' && exec \"$@\"")
    }

    /// In 1.3.0-beta, the screen of a redirected visit is popped; see hotwire-native-ios' issue 190.
    @Test func diff_comparesReleases() async throws {
        let outcome = try await run("diff", "rules.json", "--framework", "ios@1.2,ios@1.3-beta", "--urls", "urls.txt")
        #expect(outcome.status == 1)
        #expect(
            outcome.output.hasPrefix(
                """
                /new, redirected on main
                  ios@1.2       main: / › /new   loads: replace /new
                  ios@1.3-beta  main: /new   loads: replace /new
                """), "\(outcome.output)")
        let same = try await run("diff", "rules.json", "--framework", "ios@1.3,ios", "--urls", "urls.txt")
        #expect(same.output == "0 of 2 URLs differ\n" && same.status == 0)
    }

    @Test(arguments: [[], ["new.json", "--framework", "ios,android"]])
    func diff_needsTwoOfOneKind(_ arguments: [String]) async throws {
        let outcome = try await Executable.run(["path", "diff", "rules.json", "--urls", "urls.txt"] + arguments)
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("Give two path configurations, or one and two releases"))
    }

    @Test func explain_printsJSON() async throws {
        let outcome = try await run("explain", "/new", "--config", "rules.json", "--framework", "android", "--json")
        let json = try JSON.parse(outcome.output)
        #expect(
            json["rules"]?[1]?.description == #"""
                {"rule":2,"builtIn":false,"patterns":["/New$"],"skipped":["("],"matched":true,"pattern":"/New$","part":"/new",\#
                "sets":[{"key":"context","value":"modal"},{"key":"presentation","value":"push"}]}
                """#)
        #expect(json["rules"]?[0]?["sets"]?[0]?.description == #"{"key":"context","value":"default","overriddenBy":2}"#)
        #expect(json["interpreted"]?["presentation"]?.string == "push")
        #expect(json["interpreted"]?["uri"]?.string == "hotwire://fragment/web")
        #expect(json["properties"]?["context"]?.string == "modal")
        #expect(outcome.status == 0)
    }

    @Test func explain_escapesControlCharacters() async throws {
        let outcome = try await run(
            "explain", "https://app.test/recede_historical_location?page=1", "--config", "rules.json")
        #expect(
            outcome.output == #"""
                https://app.test/recede_historical_location?page=1, as iOS reads it
                matched against: /recede_historical_location?page=1

                ✓ rule 1  ".*" matches "/recede_historical_location?page=1"
                    context = "default"   overridden by rule 4
                    uri = "hotwire://fragment/web"
                ! rule 2  skips "(" is not a valid regular expression: this ( is never closed. Close it with ), or write \\( to match a (.
                · rule 2  "/New$"
                ✓ rule 3  "page=" matches "page="
                    presentation = "none"   overridden by rule 4
                    title = "\u001b[31m"
                ✓ rule 4, built in  "/recede_historical_location" matches "/recede_historical_location"
                    context = "default"
                    historical_location = true
                    presentation = "pop"
                · rule 5, built in  "/resume_historical_location"
                · rule 6, built in  "/refresh_historical_location"

                Properties
                  context = "default"   (rule 4)
                  historical_location = true   (rule 4)
                  presentation = "pop"   (rule 4)
                  title = "\u001b[31m"   (rule 3)
                  uri = "hotwire://fragment/web"   (rule 1)

                Read as
                  context = "default"
                  presentation = "pop"
                  query_string_presentation = "default"
                  animated = true
                  pull_to_refresh_enabled = true
                  historical_location = true
                  view_controller = "web"
                  modal_style = "large"
                  modal_dismiss_gesture_enabled = true

                What the app does
                  no modal: pop main
                  modal: dismiss, then pop main

                """#)
    }

    @Test func explain_canIgnoreTheQuery() async throws {
        let outcome = try await run("explain", "/x?page=1", "--config", "rules.json", "--no-match-query", "--json")
        #expect(try JSON.parse(outcome.output)["subject"]?.string == "/x")
    }

    @Test func diff_printsJSON() async throws {
        let outcome = try await run("diff", "rules.json", "new.json", "--urls", "urls.txt", "--json")
        #expect(
            outcome.output == #"""
                {"url":"/new","changes":[{"key":"context","old":"default","new":"modal"},{"key":"presentation","new":"push"}]}

                """#)
        #expect(outcome.status == 1)
    }

    @Test func diff_findsNoDifference_onAndroid() async throws {
        let outcome = try await run("diff", "rules.json", "new.json", "--urls", "urls.txt", "--framework", "android")
        #expect(outcome.output == "0 of 2 URLs differ\n" && outcome.status == 0)
    }

    /// Mistakes and their messages.
    static let mistakes: [(arguments: [String], status: Int32, error: String)] = [
        (
            ["explain", "/", "--config", "bad.json"], 66,
            "error: FOLDER/bad.json, line 1, $.rules: expected a list of rules, found number 1. "
                + "Write \"rules\": [{\"patterns\": [\"/new$\"], \"properties\": {}}].\n"
        ),
        (
            ["explain", "http://a b/", "--config", "rules.json"], 64,
            "error: 'http://a b/' is not a URL. Give one like https://app.example/posts/1, or a path like /posts/1.\n"
        ),
        (
            ["explain", "/", "--config", "none.json"], 66,
            "error: Can't read FOLDER/none.json: No such file or directory. Check the name and its permissions.\n"
        ),
        (
            ["diff", "rules.json", "new.json", "--urls", "bad.txt"], 66,
            "error: 'http://a b/' in bad.txt is not a URL. Put one URL on each line.\n"
        ),
    ]

    @Test(arguments: mistakes)
    func reportsMistakes_andExits(_ mistake: (arguments: [String], status: Int32, error: String)) async throws {
        let arguments = mistake.arguments
        let folder = try TemporaryFolder()
        for (name, text) in [
            "rules.json": Self.rules, "new.json": Self.rules, "bad.json": "{\"rules\": 1}", "bad.txt": "http://a b/",
        ] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path(name)))
        }
        let outcome = try await Executable.run(["path"] + arguments, by: "cd '\(folder.path(""))' && exec \"$@\"")
        let place = URL(fileURLWithPath: folder.path("")).standardizedFileURL.path
        #expect(outcome.errors == mistake.error.replacing("FOLDER", with: place))
        #expect(outcome.status == mistake.status && outcome.output.isEmpty)
    }

    @Test func readsFromAServer_andFallsBackToTheCache() async throws {
        let folder = try TemporaryFolder()
        let server = try ConfigurationServer(.body(Array("{\"rules\": []}".utf8)))
        let arguments = ["path", "explain", "/x", "--config", try server.url().absoluteString, "--json"]
        let environment = ["XDG_CACHE_HOME": folder.path("cache")]
        let first = try await Executable.run(arguments, environment: environment)
        #expect(first.status == 0 && first.errors.isEmpty)
        server.set(.body([], status: 500))
        let second = try await Executable.run(arguments, environment: environment)
        #expect(second.output == first.output && second.status == 0)
        #expect(
            second.errors == """
                warning: \(try server.url()) answered with status 500, expected 200. Check the path, and that it does \
                not require a login. The last answer, kept on disk, is used instead.

                """)
        let third = try await Executable.run(arguments, environment: ["XDG_CACHE_HOME": folder.path("none")])
        #expect(
            third.status == 66 && third.output.isEmpty
                && third.errors.hasPrefix("{\"error\":{\"code\":-32602,\"message\":\"http://127.0.0.1:"))
    }
}
