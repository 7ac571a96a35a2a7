import TestSupport
import Testing

@testable import BridgeProtocol
@testable import BridgeTraffic

@Suite struct TrafficFilterTests {
    private static let message = TrafficRecord(
        record: 1, time: Timestamp(microseconds: 1_795_168_800_000_000), page: "p1", webView: "main",
        url: "http://localhost/customers", direction: .toNative,
        event: .message(
            handler: "nativeApp", name: "ActionButton",
            body: (try? ScriptValue(json: JSON.parse(#"{"title":"Say \"Hi\" to Zoë, please"}"#))) ?? .null, seq: 1,
            verdict: Verdict(.dropped, reason: .undecodable)))

    @Test(arguments: [
        ("", true), ("dir:toNative", true), ("dir:toWeb", false), ("-dir:toWeb", true), ("direction:toNative", true),
        ("handler:nativeApp name:ActionButton page:p1 web-view:main", true), ("page:p2", false),
        ("handler:nativeApp -name:ActionButton", false), ("kind:message,reply", true), ("kind:reply,result", false),
        ("-kind:reply,result", true), ("verdict:dropped", true), ("verdict:dropped reason:undecodable", true),
        ("reason:noHandler", false), ("text:customers", true), ("text:CUSTOMERS", true), ("text:nowhere", false),
        (#"text:"say \"hi\" to""#, true), (#"text:"Zoë, please""#, true), ("text:one,customers", true),
        ("-text:nowhere", true), (#"name:"ActionButton""#, true), ("  dir:toNative   ", true),
        ("CUSTOMERS", true), ("nowhere", false), ("-nowhere", true), ("action undecodable", true), ("action no", false),
        ("nowhere,zoë", true), (#""zoë, please" dir:toNative"#, true), (#"-"zoë, please""#, false),
    ])
    func matches(text: String, expected: Bool) throws {
        let filter = try TrafficFilter(parsing: text)
        #expect(filter.matches(Self.message) == expected)
        let stored = try #require(StoredRecord(line: StoredRecord(Self.message).line))
        #expect(filter.matches(stored) == expected, "as read from a file")
    }

    @Test func matchesNegatedTerm_ifTheFieldIsMissing() throws {
        let page = TrafficRecord(record: 1, time: .now, direction: .toNative, event: .page(.attached))
        #expect(try TrafficFilter(parsing: "-handler:nativeApp").matches(page))
        #expect(try !TrafficFilter(parsing: "handler:nativeApp").matches(page))
    }

    @Test func excludesEarlierRecords() {
        var filter = TrafficFilter()
        filter.since = Timestamp("2026-11-20T10:00:00.000001Z")
        #expect(!filter.matches(Self.message))
        filter.since = Timestamp("2026-11-20T10:00:00Z")
        #expect(filter.matches(Self.message))
    }

    @Test(arguments: [
        (
            "dir:toNative hander:nativeApp",
            """
            There is no field "hander"; there are dir, handler, name, node, page, web-view, kind, verdict, reason, text. \
            Did you mean handler?
              dir:toNative hander:nativeApp
                           ^^^^^^
            """
        ),
        (
            "kind:messages",
            """
            kind is message, reply, evaluate, callAsync, result, console, page, request, app, problem, gap, not "messages". \
            Did you mean message?
              kind:messages
                   ^^^^^^^^
            """
        ),
        ("page:", "page: has no value.\n  page:\n       ^"),
        ("dir:toNative -", "A term is missing: write a word, or field:value.\n  dir:toNative -\n                ^"),
        ("text:\"open", "The quotation mark is not closed.\n  text:\"open\n       ^^^^^"),
    ])
    func reportsThePositionOfAMistake(text: String, description: String) {
        let error = #expect(throws: TrafficFilterError.self) { try TrafficFilter(parsing: text) }
        #expect(error?.description == description)
    }

    @Test(arguments: ["dir:toNative -name:a,b", #"text:"two words" page:p1"#, #"text:"a \"b\" \\c""#])
    func printsItself(text: String) throws {
        #expect(try TrafficFilter(parsing: text).description == text)
    }

    /// An accent and the character before it are one `Character` of Swift.
    @Test(arguments: [
        "\u{33C}", "text:\u{33C}", "name:a,\u{301}b", "\"a\u{301}\"", "text:\" \\\"\u{301} \\\\\u{301}\"",
    ])
    func readsWhatItPrints_ifAnAccentFollowsPunctuation(text: String) throws {
        let filter = try TrafficFilter(parsing: text)
        #expect(try TrafficFilter(parsing: filter.description) == filter)
    }

    @Test func makesTermsFromParams() throws {
        let filter = try TrafficFilter(.kind, is: "message").and(TrafficFilter(.handler, is: "nativeApp"))
        #expect(filter.matches(Self.message))
        #expect(throws: TrafficFilterError.self) { try TrafficFilter(.direction, is: "up") }
    }
}

@Suite struct SubsetTests {
    @Test(arguments: [
        (#"{"a":1,"b":{"c":[1,{"d":2,"e":3}]}}"#, #"{"b":{"c":[1,{"d":2}]}}"#, true),
        (#"{"a":1}"#, #"{"a":1,"b":null}"#, false), (#"{"a":null}"#, #"{"a":null}"#, true),
        ("[1,2]", "[1]", false), ("[1,2]", "[1,2]", true), ("[1,2]", "{}", false), ("1", "1", true),
        (#""1""#, "1", false), ("true", "true", true), ("true", "false", false), ("{}", "{}", true),
        (#"{"a":{}}"#, "{}", true), (#"{"a":0}"#, #"{"a":false}"#, false),
    ])
    func matches(text: String, subset: String, expected: Bool) throws {
        #expect(try value(text).contains(subset: value(subset)) == expected)
    }

    @Test func comparesTypes() throws {
        let whole = try value(
            #"{"n":"NaN","at":"2026-11-20T10:00:00.000Z","a":{"k":[1,2]},"b":"/a","u":null}"#,
            types: #"{"/n":"number","/at":"date","/b":"ref","/u":"undefined"}"#)
        #expect(try whole.contains(subset: value(#"{"n":"NaN"}"#, types: #"{"/n":"number"}"#)))
        #expect(try !whole.contains(subset: value(#"{"n":"NaN"}"#)))
        #expect(try whole.contains(subset: value(#"{"at":"2026-11-20T10:00:00.000Z"}"#)))
        #expect(try whole.contains(subset: value(#"{"b":{"k":[1,2]}}"#)))
        #expect(try !whole.contains(subset: value(#"{"u":null}"#)))
    }

    @Test func comparesCycles() throws {
        let cycle = try value(#"{"self":""}"#, types: #"{"/self":"ref"}"#)
        #expect(try cycle.contains(subset: value(#"{"self":{"self":{"self":{}}}}"#)))
        #expect(cycle.contains(subset: cycle))
    }
}
