import BridgeProtocol
import Foundation
import Testing

@testable import PathConfiguration

@Suite struct DocumentTests {
    private func document(
        _ text: String, _ options: PathConfigurationDocument.Options = .init()
    ) throws -> PathConfigurationDocument {
        try PathConfigurationDocument(text.utf8, options: options)
    }

    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    // MARK: Shape

    /// Texts that are rejected as a whole, with the error.
    static let rejected: [(text: String, error: String)] = [
        (
            "{\n  \"rules\": [\n    {\"patterns\": [\"/a\"], \"properties\": {}},\n    {\"patterns\": \"/b\", \"properties\": {}}\n  ]\n}",
            "line 4, $.rules[1].patterns: expected a list of regular expressions, found string \"/b\". Write \"patterns\": [\"/b\"]."
        ),
        (
            "{\"rules\": [{\"patterns\": [3], \"properties\": {}}]}",
            "line 1, $.rules[0].patterns[0]: expected a regular expression as a string, found number 3. Write it in quotes."
        ),
        (
            "{\n\"rules\": [\n{\"patterns\": []}]}",
            "line 3, $.rules[0].properties: expected an object of properties, found nothing. "
                + "Write \"properties\": {\"context\": \"modal\"}, or {} for none."
        ),
        (
            "{}",
            "line 1, $.rules: expected a list of rules, found nothing. "
                + "Write \"rules\": [{\"patterns\": [\"/new$\"], \"properties\": {}}]."
        ),
        (
            "[]",
            "line 1, $: expected an object with settings and rules, found array of 0. "
                + "The smallest configuration is {\"settings\": {}, \"rules\": []}."
        ),
        (
            "{\n  \"rules\": [],,\n}",
            "line 2, column 15: this is not JSON: string or '}' expected near ','. "
                + "JSON has no comments, and no comma after the last element."
        ),
    ]

    @Test(arguments: rejected)
    func rejectsWrongShape_andReportsItsPlace(_ wrong: (text: String, error: String)) throws {
        let error = try #require(throws: PathConfigurationError.self) { try document(wrong.text) }
        #expect(error.description == wrong.error)
    }

    /// Foundation's parser on Apple's systems accepts them; turbo-ios' own demo has one.
    @Test(arguments: ["{\"rules\": [\n{\"patterns\": [\"a,]\",], \"properties\": {\"a\": 1,\t}},\n],}"])
    func acceptsCommasBeforeClosingBrackets(_ text: String) throws {
        #expect(try document(text)["/a,]"] == ["a": 1])
        #expect(TrailingCommas(Array(text.utf8)).offsets.count == 4)
    }

    @Test(arguments: ["{\"rules\": [,]}", "{\"rules\": [1,,]}", "{,}", "{\"rules\":,}"])
    func rejectsCommasWithoutAValue(_ text: String) {
        #expect(throws: PathConfigurationError.self) { try document(text) }
    }

    @Test func acceptsByteOrderMark_andIgnoresOtherKeys() throws {
        let document = try document("\u{FEFF}{\"rules\": [], \"other\": 1, \"settings\": [1]}")
        #expect(document.settings.isEmpty && document.rules.count == 3)
    }

    @Test func skipsInvalidPattern_andReadsTheRest() throws {
        let document = try document("{\"rules\": [{\"patterns\": [\"/a\",\n\"(\"], \"properties\": {\"x\": 1}}]}")
        #expect(
            document["/a"] == ["x": 1] && document.rules[0].match(path: "/a") && !document.rules[0].match(path: "/b"))
        #expect(
            document.problems.map(\.description) == [
                "line 2, $.rules[0].patterns[1]: skipping \"(\", which is not a valid regular expression: "
                    + "this ( is never closed. Close it with ), or write \\\\( to match a (."
            ])
    }

    // MARK: Look-up

    @Test func laterRulesWin_andValuesAreNotMerged() throws {
        let document = try document(
            #"""
            {"rules": [
                {"patterns": [".*"], "properties": {"a": {"b": 1}, "context": "default"}},
                {"patterns": ["/new"], "properties": {"a": {"c": 2}}}
            ]}
            """#)
        #expect(document["/new"] == ["a": ["c": 2], "context": "default"])
        #expect(document[try url("https://app.test/old#/new")] == ["a": ["b": 1], "context": "default"])
    }

    @Test func queryTakesPart_unlessSwitchedOff() throws {
        let text =
            #"{"rules": [{"patterns": ["/new$"], "properties": {"end": 1}}, {"patterns": ["x=1"], "properties": {"query": 1}}]}"#
        let location = try url("https://app.test/new?x=1")
        #expect(try document(text)[location] == ["query": 1])
        #expect(try document(text, .init(matchQueryStrings: false))[location] == ["end": 1])
        #expect(try document(text, .init(platform: .android, matchQueryStrings: false))[location] == ["query": 1])
    }

    @Test func builtInRulesOverrideAllOthers() throws {
        let text = #"{"rules": [{"patterns": ["historical"], "properties": {"presentation": "clear_all", "x": 1}}]}"#
        let location = try url("https://app.test/recede_historical_location")
        #expect(
            try document(text)[location]
                == ["presentation": "pop", "context": "default", "historical_location": true, "x": 1])
        #expect(
            try document(text, .init(includesHistoricalLocations: false))[location] == [
                "presentation": "clear_all", "x": 1,
            ])
    }

    // MARK: Platforms

    @Test func androidIgnoresCase_andMatchesTheEmptyPattern() throws {
        let text =
            #"{"rules": [{"patterns": ["/New"], "properties": {"a": 1}}, {"patterns": [""], "properties": {"b": 1}}]}"#
        #expect(try document(text)["/new"] == [:])
        #expect(try document(text, .init(platform: .android))["/new"] == ["a": 1, "b": 1])
    }

    @Test func platformsReadTheSamePropertiesDifferently() {
        let properties: PathProperties = [
            "presentation": "Push", "context": "MODAL", "uri": "hotwire://fragment/web", "view_controller": "map",
        ]
        let ios = properties.interpreted(as: .ios)
        #expect(ios.presentation == .default && ios.context == .default)
        #expect(ios.viewController == "map" && ios.uri == nil && ios.pullToRefreshEnabled)
        let android = properties.interpreted(as: .android)
        #expect(android.presentation == .push && android.context == .modal)
        #expect(
            android.viewController == "web" && android.uri == "hotwire://fragment/web" && !android.pullToRefreshEnabled)
        #expect((["presentation": "push"] as PathProperties).interpreted().presentation == .default)
    }

    // MARK: Properties

    @Test func decodesPropertiesIntoTypes() throws {
        struct Tab: Codable, Equatable {
            let title: String
            let badge: Int?
            let items: [String]
        }
        let document = try document(
            #"{"rules": [{"patterns": [".*"], "properties": {"title": "Home", "items": ["a"], "deep": {"on": [true, null, 1.5]}}}]}"#
        )
        #expect(try document["/"].decode() == Tab(title: "Home", badge: nil, items: ["a"]))
        let copy = try JSONDecoder().decode(PathProperties.self, from: JSONEncoder().encode(document["/"]))
        #expect(copy == document["/"])
        #expect(copy["title"] as String? == "Home" && copy["items"] as String? == nil)
        #expect(throws: DecodingError.self) { try (["title": 3] as PathProperties).decode(Tab.self) }
    }

    /// Each value would have a path of 2,000 steps.
    @Test(.timeLimit(.minutes(4))) func deepTextNeedsLittleMemory() throws {
        let deep = String(repeating: "[", count: 2_000) + String(repeating: "1,", count: 100_000) + "1"
        let value = deep + String(repeating: "]", count: 2_000)
        let text = #"{"rules": [{"patterns": ["("], "properties": {"x": \#(value)}}]}"#
        #expect(try document(text).problems.map(\.line) == [1])
    }

    @Test func findsLinesAndColumns() throws {
        let text = "{\n  \"a\\\"b\": [1, {\"ä\": \"x\", \"k\": [\n  true]}],\n  \"a\\\"b\": 2\n}"
        let places = JSONPlaces(Array(text.utf8))
        let key = JSONPath.root.member("a\"b")
        #expect(places.place(of: key.element(1).member("k").element(0)) == .init(line: 3, column: 3))
        #expect(places.place(of: key.element(1).member("k")) == .init(line: 2, column: 31))
        #expect(places.place(of: key.element(7)) == places.place(of: key))
        #expect(places.duplicates.map(\.overridden) == [.init(line: 2, column: 11)])
        #expect(key.element(0).member("plain").description == #"$["a\"b"][0].plain"#)
    }
}
