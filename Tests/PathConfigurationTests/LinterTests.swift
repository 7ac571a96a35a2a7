import BridgeProtocol
import Testing

@testable import PathConfiguration

/// What the linter says of patterns, of the order of rules and of Android's destinations.
@Suite struct LinterTests {
    private func findings(
        _ rules: String, matchQueryStrings: Bool = true, destinations: Set<String> = [],
        for options: PathConfigurationDocument.Options? = nil
    ) -> [LintFinding] {
        PathLinter(
            "{\"rules\": [\(rules)]}".utf8, matchQueryStrings: matchQueryStrings, destinations: destinations,
            for: options
        ).findings
    }

    private func rule(_ pattern: String, _ properties: String = #"{"context": "modal"}"#) -> String {
        "{\"patterns\": [\(JSONValue.string(pattern))], \"properties\": \(properties)}"
    }

    // MARK: The file

    /// The daemon skips such a file, too.
    @Test func refusesTooManyPatterns_andChecksNothingElse() {
        let many = Array(repeating: rule("shop.example/a"), count: 10_001).joined(separator: ",")
        let found = findings(many)
        #expect(found.map(\.code) == ["tooManyPatterns"])
        #expect(found.first?.message.hasPrefix("expected at most 10000 patterns, found ") == true)
        #expect(found.first?.severity == .error)
    }

    // MARK: Patterns

    static let impossible: [(pattern: String, fix: String)] = [
        ("shop.example/posts/new$", #"Write "^/posts/new$"."#), ("^shop\\.example\\.org/a", #"Write "^/a"."#),
        ("www.shop.example", #"Write "^/"."#), ("localhost:3000/x", #"Write "^/x"."#),
        ("//cdn.example/x", #"Write "^/x"."#),
        ("10.0.0.2/x$", #"Write "^/x$"."#), ("https://app.test/x", #"Write "^/x"."#),
        (#"^https?:\/\/shop.example/posts$"#, #"Write "^/posts$"."#), ("http://app.test", #"Write "^/"."#),
        ("/help#faq$", #"Write "/help$"."#), ("/help\\#faq", #"Write "/help$"."#),
        ("\\#", "Remove it: all fragments of a page have the same rule."),
        ("#top", "Remove it: all fragments of a page have the same rule."),
        ("/posts/:id/edit$", #"Write "/posts/[^/]+/edit$"."#), ("^/:slug", #"Write "^/[^/]+"."#),
        ("/posts/<id>", #"Write "/posts/[^/]+"."#), ("/posts?page=2", #"Write "/posts\\?page=2"."#),
        ("/search/?q=.*", #"Write "/search/\\?q=.*"."#), ("^posts", #"Write "^/posts"."#),
        ("^(posts|users)/new", #"Write "^/(posts|users)/new"."#), ("^[a-z]+/edit", #"Write "^/[a-z]+/edit"."#),
        (" /new$", #"Write "/new$"."#), ("/my posts", #"Write "/my%20posts"."#), ("/café", #"Write "/caf%C3%A9"."#),
        (#"/posts/\\d+"#, #"In JSON, write two backslashes for one of the pattern: "\\d+"."#),
        ("/posts$/edit", "Write one pattern for each path, or remove the $."),
        ("/posts/^new", "Write one pattern for each path, or remove the ^."),
        (#"/\w+\s\w+"#, "Remove that part."),
        (#"/a\|b`"#, "Write the character percent-encoded, or [^/]+ to match any one segment."),
    ]

    @Test(arguments: impossible) func saysWhatNeverMatches(pattern: String, fix: String) {
        let found = findings(rule(pattern)).filter { $0.severity == .warning }
        #expect(found.map(\.code) == ["neverMatches"])
        #expect(found.first?.fix == fix)
    }

    /// One of the alternatives never matches.
    @Test func namesThePartThatNeverMatches() {
        let found = findings(rule("/a$|shop.example/b$"))
        #expect(
            found.map(\.message) == [
                #"the part "shop.example/b$" never matches, because a path does not include the host"#
            ])
        #expect(found.first?.fix == #"Write "^/b$"."#)
    }

    @Test(arguments: [
        "/posts/[^/#?]+$", #"/items/\d+(\?|#|$)"#, "(?i)^/login", "^$", "^/(?!admin).*/new$", "/v1.2/x",
        "index.php/posts",
        "report.pdf$", "(^|/)new(\\?.*)?$", "/@[a-z]+", "^(?:https://a.test)?/posts$", "(?:/a|/b)$", "/search?$",
        "^.*/edit",
        "/posts/[0-9]{1,3}/edit$", ".+\\.(?:gif|png)", "/:", "/caf%C3%A9", "[^a]posts", "/a{0}b?c*", "^/a$|^/b$",
    ]) func findsNothingInPatternsThatMatch(pattern: String) {
        #expect(findings(rule(pattern)).filter { $0.severity == .warning } == [])
    }

    @Test func readsTheQueryAsTheAppDoes() {
        #expect(findings(rule("/posts\\?page=2")) == [])
        let found = findings(rule("/posts\\?page=2"), matchQueryStrings: false)
        #expect(found.map(\.fix) == [#"Write "/posts$"."#])
        let fixes = [#"\d+\?page=2"#, #"\?page=2"#, #"/(a\?b=1)"#].map { pattern in
            findings(rule(pattern), matchQueryStrings: false).map(\.fix)
        }
        #expect(
            fixes == [[#"Write "\\d+$"."#], ["Remove what matches the query."], ["Remove what matches the query."]])
        let onAndroid = PathConfigurationDocument.Options(platform: .android)
        #expect(findings(rule("/posts\\?page=2"), matchQueryStrings: false, for: onAndroid) == [])
    }

    /// hotwire-native-ios until 1.3 reads decoded paths, which can have spaces and letters of all alphabets.
    @Test func readsDecodedPaths() {
        let options = PathConfigurationDocument.Options(subject: .decoded)
        #expect(findings(rule("/café noir"), for: options) == [])
    }

    // MARK: Order

    private func places(_ rules: String...) -> [String] {
        findings(rules.joined(separator: ","))
            .filter { ["overridden", "unreachable"].contains($0.code) }
            .map { "\($0.code) \($0.path?.description ?? "")" }
    }

    @Test func warnsOfEachPropertyThatAMoreGeneralRuleOverrides() {
        let specific = rule("/new$", #"{"context": "modal", "animated": false, "modal_style": "full"}"#)
        let general = rule(".*", #"{"context": "default", "animated": true}"#)
        #expect(
            places(specific, general) == [
                "overridden $.rules[0].properties.context", "overridden $.rules[0].properties.animated",
            ])
        #expect(places(general, specific) == [])
    }

    /// The patterns' texts differ, but one matches whatever the other one does.
    @Test(arguments: [
        ("^/posts/[0-9]+/edit$", "/edit$"), ("/posts/new$", "^/posts/.*"), ("^/admin/users", "^/admin"),
        ("/posts/1$", "/posts/\\d+$"), ("^/(a|b)/new$", "/new"), ("/login$", "(?i)/LOGIN$"), ("/new", "/"),
    ]) func looksPathsUp(specific: String, general: String) {
        let first = #"{"context": "modal", "animated": false}"#
        let second = #"{"context": "default"}"#
        #expect(places(rule(specific, first), rule(general, second)) == ["overridden $.rules[0].properties.context"])
        #expect(places(rule(general, first), rule(specific, second)) == [])
    }

    @Test func namesThePatternsThatAreOverridden() {
        let first =
            #"{"patterns": ["/posts/new$", "/posts/1/edit$"], "properties": {"context": "modal", "animated": false}}"#
        let found = findings("\(first),\(rule("/edit$", #"{"context": "default"}"#))").filter {
            $0.code == "overridden"
        }
        #expect(
            found.map(\.message) == [
                #"this has no effect for the paths of "/posts/1/edit$": $.rules[1] comes later, matches the same paths "#
                    + #"and more, and sets "context" to "default""#
            ])
    }

    @Test func findsNothingInRefinements() {
        // Equal values, paths that overlap in part, and a part of an earlier rule's own patterns.
        #expect(
            places(rule("/new$", #"{"context": "modal", "title": "x"}"#), rule(".*", #"{"context": "modal"}"#)) == [])
        #expect(places(rule("/new$"), rule("^/admin", #"{"context": "default"}"#)) == [])
        #expect(
            places(
                #"{"patterns": ["/new$", "/edit$"], "properties": {"context": "modal"}}"#,
                rule("/edit$", #"{"context": "default"}"#)) == [])
        #expect(
            places(
                rule(".*", #"{"context": "default"}"#), rule("/new$"),
                rule("^/posts/new$", #"{"context": "default"}"#)) == [])
    }

    @Test func saysThatARuleIsUnreachable() {
        #expect(places(rule("/posts/new$"), rule("/new$", #"{"context": "default"}"#)) == ["unreachable $.rules[0]"])
    }

    /// The linter cannot tell which paths a pattern matches that refers back to a group.
    @Test func saysNothingOfARuleWithoutSamples() {
        let first = #"{"patterns": ["/posts/new$", "^/(a|z)\\1"], "properties": {"context": "modal"}}"#
        #expect(places(first, rule("/new$", #"{"context": "default"}"#)) == [])
    }

    /// Each repetition of a repetition has eight times as many parts, which would fill the memory.
    @Test func formsOfNestedRepetitionsAreBounded() {
        let nested = String(repeating: "(", count: 20) + "a" + String(repeating: "{8})", count: 20)
        #expect(PatternForms(nested).forms.isEmpty)
        #expect(PatternForms("/(a{8}){8}$").forms.map(\.count) == [66])
    }

    // MARK: Destinations

    private let android = PathConfigurationDocument.Options(platform: .android)

    private func destinations(_ rules: String..., named: Set<String> = []) -> [String] {
        findings(rules.joined(separator: ","), destinations: named, for: android).map { "\($0.severity) \($0.fix)" }
    }

    @Test func warnsOfTurboAndroidsDestinations() {
        let old = rule(".*", #"{"uri": "turbo://fragment/web"}"#)
        let sheet = rule("/new$", #"{"uri": "turbo://fragment/web/modal"}"#)
        #expect(
            destinations(old, sheet) == [
                #"warning Write "hotwire://fragment/web", or register a fragment with this uri "#
                    + "(--destination turbo://fragment/web).",
                #"warning Write "hotwire://fragment/web/modal/sheet", or register a fragment with this uri "#
                    + "(--destination turbo://fragment/web/modal).",
            ])
        #expect(destinations(old, named: ["turbo://fragment/web"]) == [])
    }

    /// The app may register it, so it is a note until the app's destinations are named.
    @Test func judgesTheAppsOwnDestinations() {
        let own = rule("/map$", #"{"uri": "hotwire://fragment/map"}"#)
        #expect(destinations(own).map { $0.prefix(4) } == ["note"])
        #expect(destinations(own, named: ["hotwire://fragment/map"]) == [])
        #expect(destinations(own, named: ["hotwire://fragment/numbers"]).map { $0.prefix(7) } == ["warning"])
    }

    @Test func acceptsDestinationsThatShow() {
        let web = #""fallback_uri": "hotwire://fragment/web""#
        #expect(destinations(rule("/a$", #"{"uri": "hotwire://fragment/web/modal/sheet"}"#)) == [])
        #expect(destinations(rule("/a$", #"{"uri": "turbo://fragment/web", \#(web)}"#)) == [])
        #expect(destinations(rule(".*", "{\(web)}"), rule("/a$", #"{"uri": "hotwire://fragment/map"}"#)) == [])
        #expect(
            findings(rule("/a$", #"{"uri": "turbo://fragment/web"}"#), for: .init()).map(\.code) == ["platformsDiffer"])
    }

    /// A fallback that does not exist either is reported, too.
    @Test func warnsIfTheFallbackDoesNotExist() {
        let both = #"{"uri": "turbo://fragment/web", "fallback_uri": "turbo://fragment/web"}"#
        #expect(destinations(rule(".*", both)).count == 1)
    }
}
