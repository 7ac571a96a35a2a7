import Foundation
import TestSupport
import Testing

/// `bridged path lint`: whole output and exit codes.
@Suite(.timeLimit(.minutes(4))) struct LintCommandTests {
    private static let mistakes = #"""
        {
          "setings": {},
          "rules": [
            {"patterns": [".*"], "properties": {"uri": "hotwire://fragment/web", "title": "Home", "title": "Start"}},
            {"patterns": ["/new("], "properties": {"context": "modal"}},
            {"patterns": ["/posts/*/edit"], "properties": {"presentation": "clearAll"}},
            {"patterns": ["/posts/{id}"], "properties": {"contxt": "modal", "modal-style": "full"}},
            {"patterns": "/about", "properties": {}},
            {"patterns": ["^posts"], "propertes": {"animated": false}},
            {"patterns": [], "properties": {"animated": "false"}},
            {"patterns": ["/café", "https://app.test/x"], "properties": {"pull_to_refresh_enabled": 0}},
            {"patterns": ["/Help"], "properties": {"presentation": "push", "view_controller": 3}},
            {"patterns": ["/help", "/help"], "properties": {"context": "Modal"}},
            {"patterns": ["/help"], "properties": {"context": "modal"}},
            {"patterns": ["/recede_historical_location"], "properties": {"presentation": "none"}},
            {"patterns": [""], "properties": {"color": "red", "context": 7}}
          ]
        }
        """#

    private static let findings = #"""
        rules.json:2:14: warning: $.setings: neither platform reads "setings". Did you mean "settings"?
        rules.json:4:48: note: $.rules[0].properties.uri: iOS does not read uri. Nothing to do if the file is for Android.
        rules.json:4:100: warning: $.rules[0].properties.title: this key appears twice in its object and overrides line 4, column 83. Remove one of them.
        rules.json:4:100: note: $.rules[0].properties.title: iOS does not read title. Nothing to do if the file is for Android.
        rules.json:5:19: error: $.rules[1].patterns[0]: "/new(" is not a valid regular expression: this ( is never closed. Close it with ), or write \\( to match a (.
            /new(
                ^
        rules.json:6:19: warning: $.rules[2].patterns[0]: /* is not a wildcard here: it matches any number of slashes. Write "/posts/[^/]+/edit" to match any one segment.
        rules.json:6:19: warning: $.rules[2].patterns[0]: "/posts/*/edit" matches none of the 3 URLs. Correct it, or remove it.
        rules.json:6:68: warning: $.rules[2].properties.presentation: expected one of default, push, pop, replace, refresh, clear_all, replace_root, none, found string "clearAll": it counts as default. Did you mean "clear_all"?
        rules.json:7:19: error: $.rules[3].patterns[0]: "/posts/{id}" is not a valid regular expression: { must begin a count such as {2,3}. Write [^/]+ to match any one segment, or \\{ to match a {.
            /posts/{id}
                   ^
        rules.json:7:60: warning: $.rules[3].properties.contxt: no platform reads "contxt". Did you mean "context"? If it is a property of your own app, ignore this.
        rules.json:7:84: warning: $.rules[3].properties["modal-style"]: no platform reads "modal-style". Did you mean "modal_style"? If it is a property of your own app, ignore this.
        rules.json:8:18: error: $.rules[4].patterns: expected a list of regular expressions, found string "/about": the platforms reject the whole file. Write "patterns": ["/about"].
        rules.json:9:5: error: $.rules[5].properties: expected an object of properties, found nothing: the platforms reject the whole file. Write "properties": {"context": "modal"}, or {} for none.
        rules.json:9:19: warning: $.rules[5].patterns[0]: this pattern never matches, because every path begins with a slash. Write "^/posts".
        rules.json:9:43: warning: $.rules[5].propertes: neither platform reads "propertes". Did you mean "properties"?
        rules.json:10:18: warning: $.rules[6].patterns: a rule without patterns never applies. Write [".*"] to match every path, or remove the rule.
        rules.json:10:49: warning: $.rules[6].properties.animated: expected true or false, found string "false": iOS uses the default, and Android crashes when it reads the value. Write true or false.
        rules.json:11:19: warning: $.rules[7].patterns[0]: this pattern never matches, because paths are percent-encoded. Write "/caf%C3%A9".
        rules.json:11:28: warning: $.rules[7].patterns[1]: this pattern never matches, because a path does not include scheme and host. Write "^/x".
        rules.json:11:93: warning: $.rules[7].properties.pull_to_refresh_enabled: expected true or false, found number 0: iOS reads false, and Android crashes when it reads the value. Write true or false.
        rules.json:12:19: warning: $.rules[8].patterns[0]: "/Help" matches none of the 3 URLs. Correct it, or remove it.
        rules.json:12:19: note: $.rules[8].patterns[0]: this pattern is case-sensitive on iOS, but not on Android. Begin it with (?i) to ignore case on both.
        rules.json:12:60: note: $.rules[8].properties.presentation: iOS does not know "push" and treats it as "default". Write "default", which also pushes.
        rules.json:12:87: warning: $.rules[8].properties.view_controller: expected a string, found number 3: it counts as missing. Write it in quotes.
        rules.json:12:87: note: $.rules[8].properties.view_controller: Android does not read view_controller. Nothing to do if the file is for iOS.
        rules.json:13:5: warning: $.rules[9]: later rules override all properties of this rule ($.rules[10]). Move it after them, or remove it.
        rules.json:13:28: warning: $.rules[9].patterns[1]: this pattern appears twice in its rule. Remove one of them.
        rules.json:13:64: warning: $.rules[9].properties.context: expected one of default, modal, found string "Modal": it counts as default on iOS. Did you mean "modal"?
        rules.json:15:19: warning: $.rules[11].patterns[0]: a built-in rule for this location comes last and overrides presentation. Remove the rule, or give the location another name.
        rules.json:15:19: warning: $.rules[11].patterns[0]: "/recede_historical_location" matches none of the 3 URLs. Correct it, or remove it.
        rules.json:16:19: error: $.rules[12].patterns[0]: "" is not a valid regular expression: it is empty. Write ".*" to match every path.
        rules.json:16:19: note: $.rules[12].patterns[0]: iOS skips the empty pattern; on Android it matches every path. Write ".*" to match every path.
        rules.json:16:66: warning: $.rules[12].properties.context: expected one of default, modal, found number 7: it counts as default. Write one of default, modal.
        5 errors, 22 warnings, 6 notes
        """#

    private func run(_ text: String, _ arguments: String...) async throws -> Executable.Outcome {
        let folder = try TemporaryFolder()
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path("rules.json")))
        try Data("# the app\nhttps://app.test/\n\n/help\n/posts/1/edit\n".utf8)
            .write(to: URL(fileURLWithPath: folder.path("urls.txt")))
        return try await Executable.run(
            ["path", "lint"] + arguments, by: "cd '\(folder.path(""))' && exec \"$@\"")
    }

    @Test func findsEveryKindOfMistake() async throws {
        let outcome = try await run(Self.mistakes, "rules.json", "--urls", "urls.txt")
        #expect(outcome.output == Self.findings + "\n")
        #expect(outcome.status == 1 && outcome.errors.isEmpty)
    }

    @Test func printsJSON() async throws {
        let text = #"{"rules": [{"patterns": ["/(a", "/A"], "properties": {"context": "modl", "uri": "x"}}]}"#
        let outcome = try await run(text, "rules.json", "--json")
        #expect(
            outcome.output == #"""
                {"severity":"error","code":"invalidPattern","line":1,"column":26,"path":"$.rules[0].patterns[0]","message":"\"/(a\" is not a valid regular expression: this ( is never closed","fix":"Close it with ), or write \\\\( to match a (.","pattern":"/(a","offset":1}
                {"severity":"note","code":"platformsDiffer","line":1,"column":33,"path":"$.rules[0].patterns[1]","message":"this pattern is case-sensitive on iOS, but not on Android","fix":"Begin it with (?i) to ignore case on both."}
                {"severity":"warning","code":"unknownValue","line":1,"column":66,"path":"$.rules[0].properties.context","message":"expected one of default, modal, found string \"modl\": it counts as default","fix":"Did you mean \"modal\"?"}
                {"severity":"note","code":"platformsDiffer","line":1,"column":81,"path":"$.rules[0].properties.uri","message":"iOS does not read uri","fix":"Nothing to do if the file is for Android."}
                {"severity":"note","code":"unknownDestination","line":1,"column":81,"path":"$.rules[0].properties.uri","message":"\"x\" is none of Hotwire Native's own destinations: unless the Android app registers it, or a fallback_uri is set, nothing shows","fix":"Nothing to do if it does; name those that it registers with --destination x."}
                """# + "\n")
        #expect(outcome.status == 1)
    }

    @Test func warnsOfATrailingComma() async throws {
        let outcome = try await run("{\n  \"rules\": [],\n}", "rules.json")
        #expect(
            outcome.output == """
                rules.json:2:14: warning: this comma comes before a closing bracket, which iOS accepts and JSON does not. Remove it.
                0 errors, 1 warning, 0 notes

                """)
        #expect(outcome.status == 1)
    }

    @Test func notesAModalThatReplacesTheRoot() async throws {
        let properties = #"{"context": "modal", "presentation": "replace_root"}"#
        let text = #"{"rules": [{"patterns": ["/a"], "properties": \#(properties)}]}"#
        let outcome = try await run(text, "rules.json")
        #expect(outcome.output.contains("on Android, a modal that replaces the root ends the app"), "\(outcome.output)")
    }

    /// A file for one release gets no notes about the other platform.
    @Test(arguments: ["ios@1.3", "android@1.3"])
    func findsOnlyWhatTheReleaseReadsOtherwise(_ framework: String) async throws {
        let text =
            #"{"settings": {}, "rules": [{"patterns": ["/Help"], "properties": {"uri": "hotwire://fragment/web"}}]}"#
        let outcome = try await run(text, "rules.json", "--framework", framework)
        #expect(outcome.output.contains("case-sensitive") == (framework == "android@1.3"), "\(outcome.output)")
        #expect(outcome.output.contains("iOS does not read uri") == (framework == "ios@1.3"), "\(outcome.output)")
        let unbuilt =
            #"{"rules": [{"patterns": ["/refresh_historical_location"], "properties": {"context": "modal"}}]}"#
        #expect(try await run(unbuilt, "rules.json", "--framework", framework).status == 1)
        #expect(try await run(unbuilt, "rules.json", "--framework", "turbo-navigator").status == 0)
    }

    /// turbo-ios' demo app has other properties than Hotwire Native.
    @Test(arguments: [
        ("turbo-ios@7.1", []), ("turbo-navigator", ["\"modal\""]), ("ios@1.3", ["\"modal\"", "view_controller"]),
    ])
    func readsThePropertiesOfTheRelease(_ framework: String, _ found: [String]) async throws {
        let properties = #"{"presentation": "modal", "view-controller": "numbers"}"#
        let text = #"{"rules": [{"patterns": ["/a"], "properties": \#(properties)}]}"#
        let outcome = try await run(text, "rules.json", "--framework", framework)
        #expect(outcome.status == (found.isEmpty ? 0 : 1), "\(outcome.output)")
        #expect(found.allSatisfy(outcome.output.contains), "\(outcome.output)")
        let hotwire = #"{"rules": [{"patterns": ["/a"], "properties": {"view_controller": "numbers"}}]}"#
        let unread = try await run(hotwire, "rules.json", "--framework", framework).output
        #expect(
            unread.contains("this release does not read \"view_controller\"") == (framework != "ios@1.3"), "\(unread)")
    }

    @Test func acceptsAGoodFile() async throws {
        let text =
            #"{"settings": {}, "rules": [{"patterns": [".*"], "properties": {"uri": "hotwire://fragment/web"}}]}"#
        let outcome = try await run(text, "rules.json")
        #expect(
            outcome.output == """
                rules.json:1:71: note: $.rules[0].properties.uri: iOS does not read uri. Nothing to do if the file is for Android.
                0 errors, 0 warnings, 1 note

                """)
        #expect(outcome.status == 0)
    }

    /// Files that cannot be read, and the messages.
    static let unreadable: [(arguments: [String], error: String)] = [
        (
            ["none.json"],
            "error: Can't read FOLDER/none.json: No such file or directory. Check the name and its permissions.\n"
        ),
        (
            ["rules.json", "--urls", "none.txt"],
            "error: Can't read FOLDER/none.txt: No such file or directory. Check the name and its permissions.\n"
        ),
    ]

    @Test(arguments: unreadable)
    func reportsUnreadableFiles(_ wrong: (arguments: [String], error: String)) async throws {
        let folder = try TemporaryFolder()
        try Data("{}".utf8).write(to: URL(fileURLWithPath: folder.path("rules.json")))
        let outcome = try await Executable.run(
            ["path", "lint"] + wrong.arguments, by: "cd '\(folder.path(""))' && exec \"$@\"")
        #expect(outcome.errors == wrong.error.replacing("FOLDER", with: folder.path("").trimmingSuffix("/")))
        #expect(outcome.status == 66 && outcome.output.isEmpty)
    }

    @Test func reportsInvalidJSON() async throws {
        let outcome = try await run("{\n  // rules\n  \"rules\": []\n}", "rules.json")
        #expect(
            outcome.output == """
                rules.json:2:3: error: this is not JSON: string or '}' expected near '/'. JSON has no comments, and no comma \
                after the last element.
                1 error, 0 warnings, 0 notes

                """)
        #expect(outcome.status == 1)
    }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}
