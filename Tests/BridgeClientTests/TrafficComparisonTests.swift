import BridgeClient
import BridgeProtocol
import BridgeTraffic
import Testing

/// Compares the log of a phone with logs that are made from it.
@Suite struct TrafficComparisonTests {
    /// Two documents: one with a component, a camera and a push token, and one with a visit.
    private static let phone = [
        #""page":"p1","url":"http://10.0.2.2:3000/","kind":"page","event":"attached"}"#,
        #""page":"p1","url":"http://10.0.2.2:3000/","kind":"evaluate","id":1,"source":"window.nativeBridge.register([\"form\",\"menu\"])"}"#,
        #""page":"p1","url":"http://10.0.2.2:3000/","kind":"message","handler":"bridge","body":{"id":"1","component":"form","event":"connect","data":{"submitTitle":"Save","metadata":{"url":"http://10.0.2.2:3000/"}}},"seq":1,"verdict":{"outcome":"handled"}}"#,
        #""page":"p1","url":"http://10.0.2.2:3000/","kind":"message","handler":"bridge","body":{"id":"2","component":"menu","event":"connect","data":{"title":"More"}},"seq":2,"verdict":{"outcome":"handled"}}"#,
        #""page":"p1","url":"http://10.0.2.2:3000/","kind":"message","handler":"camera","name":"take","body":{"name":"take","at":1767225600123},"seq":3,"verdict":{"outcome":"awaitingReply"}}"#,
        #""page":"p1","url":"http://10.0.2.2:3000/","kind":"reply","handler":"camera","seq":3,"value":{"path":"/photos/17","width":640},"durationMs":1000,"verdict":{"outcome":"replied"}}"#,
        #""page":"p1","url":"http://10.0.2.2:3000/","kind":"message","handler":"camera","name":"fail","body":{"name":"fail"},"seq":4,"verdict":{"outcome":"awaitingReply"}}"#,
        #""page":"p1","url":"http://10.0.2.2:3000/","kind":"reply","handler":"camera","seq":4,"error":{"code":-32000,"message":"no camera"},"durationMs":1,"verdict":{"outcome":"rejected"}}"#,
        #""page":"p1","url":"http://10.0.2.2:3000/","kind":"evaluate","id":2,"source":"window.bridge.register(\"c0ffee\")"}"#,
        #""page":"p1","url":"http://10.0.2.2:3000/","kind":"evaluate","id":3,"source":"window.turboNative.visitLocationWithOptionsAndRestorationIdentifier(\"http://10.0.2.2:3000/posts/17\",{\"action\":\"advance\"},\"aa932c91-aa56-4edb-85e5-844af5b56fad\")"}"#,
        #""page":"p2","url":"http://10.0.2.2:3000/posts/17","kind":"page","event":"attached"}"#,
        #""page":"p2","url":"http://10.0.2.2:3000/posts/17","kind":"message","handler":"turbo","name":"visitStarted","body":{"name":"visitStarted","data":{"identifier":"619f3fd2-ab56-4372-bfbb-d08e083dd5d6"}},"seq":1,"verdict":{"outcome":"handled"}}"#,
        #""page":"p2","url":"http://10.0.2.2:3000/posts/17","kind":"message","handler":"turbo","name":"visitCompleted","body":{"name":"visitCompleted","data":{"identifier":"619f3fd2-ab56-4372-bfbb-d08e083dd5d6"}},"seq":2,"verdict":{"outcome":"handled"}}"#,
        #""page":"p2","url":"http://10.0.2.2:3000/posts/17","kind":"message","handler":"turbo","name":"visitFailed","body":{"name":"visitFailed","data":{"identifier":"619f3fd2-ab56-4372-bfbb-d08e083dd5d6"}},"seq":3,"verdict":{"outcome":"handled"}}"#,
    ]

    /// What another machine, another day and other ids change.
    private static let here = phone.map {
        $0.replacing("http://10.0.2.2:3000", with: "http://localhost:8080")
            .replacing("aa932c91-aa56-4edb-85e5-844af5b56fad", with: "00000000-aa56-4edb-85e5-844af5b56fad")
            .replacing("619f3fd2-ab56-4372-bfbb-d08e083dd5d6", with: "11111111-ab56-4372-bfbb-d08e083dd5d6")
            .replacing("/posts/17", with: "/posts/21").replacing("/photos/17", with: "/photos/3")
            .replacing("1767225600123", with: "1767312000456")
            .replacing(
                "window.turboNative.visitLocationWithOptionsAndRestorationIdentifier(",
                with:
                    "(function(result) { try { result.value = window.turboNative.visitLocationWithOptionsAndRestorationIdentifier("
            )
    }.map {
        $0.contains("(function(result)")
            ? $0.replacing(#"844af5b56fad\")"#, with: #"844af5b56fad\") } catch (error) {} return result })({})"#) : $0
    }

    private static func records(_ lines: [String], day: String = "01") -> [TrafficRecord] {
        let records = zip(1..., lines).compactMap { number, line in
            TrafficRecord(
                line: #"{"record":\#(number),"time":"2026-01-\#(day)T00:00:00.000Z","direction":"toNative",\#(line)"#
                    .utf8)
        }
        #expect(records.count == lines.count)
        return records
    }

    private func compare(_ change: (inout [String]) -> Void, ignoring ignored: [String] = []) -> TrafficComparison {
        var lines = Self.here
        change(&lines)
        return TrafficComparison(
            Self.records(Self.phone), Self.records(lines, day: "02"), ignoring: ignored.compactMap { JSONPointer($0) })
    }

    /// `message form connect /body/data/submitTitle "Save" "Send"`, with `-` for nothing.
    private func text(_ difference: TrafficDifference) -> String {
        "\(difference.kind.rawValue) \(difference.name) \(difference.place) \(difference.first?.text ?? "-") "
            + (difference.second?.text ?? "-")
    }

    @Test func findsNothing_ifOnlyTheRunDiffers() {
        let comparison = compare { _ in }
        #expect(comparison.differences == [])
        #expect(comparison.counts == [.page: 2, .message: 6, .reply: 2, .call: 3])
        #expect(comparison.kindsOfOneRun == [])
        #expect(!comparison.isEmpty && TrafficComparison([], []).isEmpty)
    }

    /// Ten differences. Each is the only one that is found.
    @Test(arguments: [
        (
            "another body", "submitTitle\":\"Save", "submitTitle\":\"Send",
            #"message bridge form connect /body/data/submitTitle "Save" "Send""#
        ),
        (
            "a member more", "\"title\":\"More\"", "\"title\":\"More\",\"side\":\"left\"",
            #"message bridge menu connect /body/data/side nothing "left""#
        ),
        ("another reply", "\"width\":640", "\"width\":480", "reply camera take /value/width 640 480"),
        ("another error", "no camera", "not now", #"reply camera fail /error "no camera" "not now""#),
        ("another argument", "c0ffee", "decaf", #"call bridge.register /arguments/0 "c0ffee" "decaf""#),
        (
            "another action", #"{\"action\":\"advance\"}"#, #"{\"action\":\"replace\"}"#,
            #"call turboNative.visitLocationWithOptionsAndRestorationIdentifier /arguments/1/action "advance" "replace""#
        ),
        (
            "dropped here", #""data":{"title":"More"}},"seq":2,"verdict":{"outcome":"handled"}"#,
            #""data":{"title":"More"}},"seq":2,"verdict":{"outcome":"dropped","reason":"unknownName"}"#,
            #"message bridge menu connect /verdict nothing "dropped, unknownName""#
        ),
        (
            "another component", #"\"form\",\"menu\""#, #"\"form\""#,
            #"call nativeBridge.register /arguments/0/1 "menu" nothing"#
        ),
    ])
    func finds(_ name: String, _ old: String, _ new: String, _ expected: String) {
        let comparison = compare { lines in
            lines = lines.map { $0.replacing(old, with: new) }
        }
        #expect(comparison.differences.map(text) == [expected], "\(name)")
    }

    @Test func findsAMissingMessage() {
        let comparison = compare { $0.remove(at: 3) }
        #expect(comparison.differences.map { "\($0.kind) \($0.name)" } == ["message bridge menu connect"])
        #expect(comparison.differences.first?.first?.record == 4)
        #expect(comparison.differences.first?.second == nil)
    }

    @Test func findsOneMessageMore_amongOthersOfItsName() {
        let comparison = compare { lines in
            lines.insert(lines[3].replacing("More", with: "Less").replacing("\"seq\":2", with: "\"seq\":9"), at: 3)
        }
        #expect(comparison.differences.map { "\($0.kind) \($0.name)" } == ["message bridge menu connect"])
        #expect(comparison.differences.first?.second?.record == 4)
        #expect(comparison.differences.first?.first == nil)
    }

    @Test func findsAnotherOrder() {
        let comparison = compare { $0.swapAt(2, 3) }
        #expect(comparison.differences.count == 1)
        #expect(comparison.differences.first?.isOrder == true)
    }

    @Test func findsAMissingReply_andAMissingDocument() {
        let withoutReply = compare { $0.remove(at: 5) }
        #expect(withoutReply.differences.map { "\($0.kind) \($0.name)" } == ["reply camera take"])
        let withoutPage = compare { $0.removeLast(4) }
        #expect(withoutPage.differences.map { "\($0.kind) \($0.page)" } == ["page /posts/17"])
    }

    @Test func findsAnIDThatNamesSomethingElse() {
        let comparison = compare { lines in
            lines[13] = lines[13].replacing("11111111-", with: "22222222-")
        }
        #expect(comparison.differences.map(\.place.description) == ["/body/data/identifier"])
    }

    /// A page may leave before Turbo has told that its visit is complete.
    @Test func leavesOutHowFarAVisitHasCome() {
        #expect(compare { $0.remove(at: 12) }.differences == [])
    }

    @Test func leavesOutWhatIsIgnored() {
        let comparison = compare(
            { lines in lines = lines.map { $0.replacing("c0ffee", with: "decaf").replacing("640", with: "1") } },
            ignoring: ["/arguments/*", "/value/width"])
        #expect(comparison.differences == [])
    }

    @Test func comparesVisitsAndRequests_ifBothLogsHaveThem() {
        let visit =
            #""page":"p1","url":"http://10.0.2.2:3000/","kind":"app","event":"visit","location":"http://10.0.2.2:3000/a","visit":"coldBoot","action":"advance"}"#
        let request =
            #""page":"p1","url":"http://10.0.2.2:3000/","kind":"request","method":"GET","requestURL":"http://10.0.2.2:3000/a","type":"document","status":200}"#
        let phone = Self.records(Self.phone + [visit, request])
        let other = Self.records(
            Self.phone + [request.replacing("200", with: "404"), visit.replacing("coldBoot", with: "javaScript")])
        let comparison = TrafficComparison(phone, other)
        #expect(
            comparison.differences.map(text) == [
                #"visit visit /visit "coldBoot" "javaScript""#, "request GET /a /status 200 404",
            ])
        #expect(TrafficComparison(phone, Self.records(Self.phone)).kindsOfOneRun == [.visit, .request])
    }

    /// Android's pages post JSON as text.
    @Test func looksIntoTexts() {
        func lines(_ title: String, _ time: String) -> [String] {
            let text = #"{\"title\":\"\#(title)\",\"at\":\#(time)}"#
            return [
                #""page":"p1","url":"http://localhost/","kind":"message","handler":"App","name":"show","body":["\#(text)"],"seq":1,"verdict":{"outcome":"handled"}}"#
            ]
        }
        let first = Self.records(lines("One", "1767225600123"))
        let same = TrafficComparison(first, Self.records(lines("One", "1767312000456"), day: "02"))
        #expect(same.differences == [] && same.counts[.message] == 1)
        let other = TrafficComparison(first, Self.records(lines("Two", "1767312000456"), day: "02"))
        #expect(other.differences.map(text) == [#"message App show /body/0/title "One" "Two""#])
    }

    /// The numbers of records begin again with each run of the daemon.
    @Test func keepsTheOrderOfALogOfTwoRuns() {
        let visit =
            #""page":"p1","url":"http://localhost/","kind":"message","handler":"a","body":"TEXT","seq":1,"verdict":{"outcome":"handled"}}"#
        func log(_ texts: [String]) -> [TrafficRecord] {
            texts.flatMap { Self.records([visit.replacing("TEXT", with: $0)]) }
        }
        let comparison = TrafficComparison(log(["1", "2", "3"]), log(["a", "b", "c"]))
        #expect(comparison.differences.compactMap(\.first?.text) == [#""1""#, #""2""#, #""3""#])
    }

    /// A picture as text has no slash in megabytes.
    @Test func readsLongTextsQuickly() {
        let line =
            #""page":"p1","url":"http://localhost/","kind":"message","handler":"a","body":"/\#(String(repeating: "0a", count: 1 << 20))","seq":1,"verdict":{"outcome":"handled"}}"#
        let start = ContinuousClock.now
        #expect(TrafficComparison(Self.records([line]), Self.records([line])).differences == [])
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    /// A difference in thousands of messages takes neither the square of the time nor of the memory.
    @Test func comparesLongLogs() {
        func lines(_ text: String) -> [String] {
            (1...6_000).map {
                #""page":"p1","url":"http://localhost/","kind":"message","handler":"log","body":{"index":\#($0 % 700),"text":"\#(text)"},"seq":\#($0),"verdict":{"outcome":"handled"}}"#
            }
        }
        let comparison = TrafficComparison(Self.records(lines("a")), Self.records(lines("b")))
        #expect(comparison.differences.count == 6_000)
    }

    @Test(arguments: [
        ("window.bridge.register(\"a\")", "bridge.register", "[\"a\"]"),
        ("window.turboNative.visitCompleted()", "turboNative.visitCompleted", "[]"),
        ("document.querySelector(\"a\").click()", "a script", ""),
        (
            "try { window.nativeBridge.replyWith({\"a\":\"(\\\")\"}) } catch {}", "nativeBridge.replyWith",
            #"[{"a":"(\")"}]"#
        ),
    ])
    func readsCalls(_ source: String, _ function: String, _ arguments: String) {
        let line =
            #""page":"p1","url":"http://localhost/","kind":"evaluate","id":1,"source":\#(JSONValue.string(source).text)}"#
        let page = #""page":"p1","url":"http://localhost/","kind":"page","event":"attached"}"#
        let differences = TrafficComparison(Self.records([line]), Self.records([page])).differences
        #expect(differences.map(\.name) == [function])
        if !arguments.isEmpty { #expect(differences.first?.first?.text == #"{"arguments":\#(arguments)}"#) }
    }
}
