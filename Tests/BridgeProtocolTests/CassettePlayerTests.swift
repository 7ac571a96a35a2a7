import Testing

@testable import BridgeProtocol

/// Which entry of a cassette answers a message, and what is said if none does.
@Suite struct CassettePlayerTests {
    private static let camera = Cassette.Receiver.handler("camera")

    private func cassette(_ entries: [Cassette.Entry]) -> Cassette { Cassette(name: "phone.yml", entries: entries) }

    private func entry(
        _ content: JSONValue, _ answer: ScriptValue = "a.jpg", _ receiver: Cassette.Receiver = camera, line: Int? = nil
    ) -> Cassette.Entry {
        Cassette.Entry(receiver, .exactly(content), reply: .value(answer), line: line)
    }

    private func number(_ outcome: CassettePlayer.Outcome) -> Int? {
        if case .entry(let number, _) = outcome { number } else { nil }
    }

    /// The numbers of the entries that answer these bodies; 0 for a miss.
    private func numbers(_ cassette: Cassette, _ bodies: ScriptValue...) -> [Int] {
        var player = CassettePlayer(cassette)
        return bodies.map { number(player.take(Cassette.Message(Self.camera, $0))) ?? 0 }
    }

    private func verdict(_ cassette: Cassette, _ messages: Cassette.Message...) -> Verdict? {
        var player = CassettePlayer(cassette)
        var verdict: Verdict?
        for message in messages {
            if case .missing(let miss) = player.take(message) { verdict = player.verdict(on: message, miss) }
        }
        return verdict
    }

    @Test func bodiesAreExactByDefault() {
        let cassette = cassette([entry(["name": "take", "size": [1, 2]])])
        #expect(numbers(cassette, ["size": [1, 2], "name": "take"]) == [1])
        #expect(numbers(cassette, ["name": "take", "size": [1, 2], "flash": true]) == [0])
        #expect(numbers(cassette, ["name": "take", "size": [1]]) == [0])
    }

    @Test func patternsAreThoseOfStubs() {
        let cassette = cassette([Cassette.Entry(Self.camera, .containing(["name": "take"]), reply: .echo)])
        #expect(numbers(cassette, ["name": "take", "more": 1], #"{"name":"take"}"#, ["name": "stop"]) == [1, 1, 0])
    }

    @Test func entryWithoutAPatternTakesEverything() {
        #expect(numbers(cassette([Cassette.Entry(Self.camera, .anything)]), nil, "x", ["a": 1]) == [1, 1, 1])
    }

    /// Dates, undefined members and JSON text are compared as people write them.
    @Test func bodiesAreComparedAsPlainJSON() throws {
        let body = try ScriptValue(
            json: JSON.parse(#"{"at":"1970-01-01T00:00:00.000Z","none":null,"text":"{\"a\":[1]}"}"#),
            types: JSON.parse(#"{"/at":"date","/none":"undefined"}"#))
        let cassette = cassette([entry(["at": "1970-01-01T00:00:00.000Z", "text": ["a": [1]]])])
        #expect(numbers(cassette, body) == [1])
    }

    @Test func redactedValueFitsAnySecret() {
        let cassette = cassette([entry(["user": "zoe", "password": "[redacted string, 6 characters]"])])
        #expect(
            numbers(cassette, ["user": "zoe", "password": "x"], ["user": "zoe"], ["user": "mia", "password": "x"]) == [
                1, 0, 0,
            ])
    }

    @Test func sameMessagesGetOneAnswerAfterTheOther_andTheLastOneStays() {
        let cassette = cassette([entry("a", 1), entry("b", 2), entry("a", 3)])
        #expect(numbers(cassette, "a", "a", "a", "b", "b") == [1, 3, 3, 2, 2])
    }

    @Test func refusesMoreMessagesThanRecorded_ifRepeatsAreFalse() {
        var cassette = cassette([entry("a", line: 4), entry("b")])
        cassette.repeats = false
        #expect(numbers(cassette, "a", "a", "b") == [1, 0, 2])
        let message = Cassette.Message(Self.camera, "a")
        let verdict = verdict(cassette, message, message)
        #expect(
            verdict?.description
                == "dropped: notInCassette: expected no more such messages than phone.yml has, the last one in phone.yml:4, found one more"
        )
    }

    @Test func ordersMessages_ifTheFileSaysSo() {
        var cassette = cassette([entry("a", line: 4), entry("b", line: 6), entry("c")])
        cassette.order = .recorded
        #expect(numbers(cassette, "a", "b", "c") == [1, 2, 3])
        #expect(numbers(cassette, "a", "c", "a", "b", "c", "b") == [1, 0, 1, 2, 3, 2])
        let verdict = verdict(cassette, Cassette.Message(Self.camera, "b"))
        #expect(
            verdict?.description
                == "dropped: notInCassette: expected the message of phone.yml:4 next: camera, found that of phone.yml:6"
        )
        #expect(verdict?.hint?.contains("order: recorded") == true)
    }

    /// A stub may answer one of them.
    @Test func messageThatIsAnsweredElsewhereHasHadItsTurn() {
        var cassette = cassette([entry("a"), entry("b"), entry("c")])
        cassette.order = .recorded
        var player = CassettePlayer(cassette)
        func take(_ body: ScriptValue) -> Int { number(player.take(Cassette.Message(Self.camera, body))) ?? 0 }
        #expect(take("a") == 1)
        player.pass(Cassette.Message(Self.camera, "c"))
        #expect(take("c") == 0)
        player.pass(Cassette.Message(Self.camera, "b"))
        #expect(take("c") == 3)
        player.pass(Cassette.Message(Self.camera, "d"))
        player.rewind()
        #expect([take("b"), take("a"), take("b")] == [0, 1, 2])
    }

    @Test func namesTheNearestEntryAndTheDifferences() {
        let cassette = cassette([
            entry(["name": "stop", "zoom": 2], line: 3), entry(["name": "take", "zoom": 1, "flash": false], line: 9),
        ])
        let verdict = verdict(
            cassette, Cassette.Message(Self.camera, ["name": "take", "zoom": 3, "front": true, "flash": false]))
        #expect(verdict?.description == "dropped: notInCassette at /zoom: expected 1 as in phone.yml:9, found 3")
        #expect(
            verdict?.hint?.hasPrefix(
                "The nearest entry is phone.yml:9. Also different: /front: recorded nothing, found true.") == true)
        #expect(verdict?.hint?.hasSuffix("See docs/notes/cassettes.md.") == true)
    }

    @Test func ofEntriesThatAreEquallyNearNamesTheOneSpeltAlike() {
        let cassette = cassette([
            entry(["name": "ActionButton"], line: 2), entry(["name": "RegisterToken"], line: 3),
            entry(["name": "Share"], line: 4),
        ])
        func place(_ name: ScriptValue) -> Bool? {
            verdict(cassette, Cassette.Message(Self.camera, ["name": name]))?.expected?.hasSuffix("phone.yml:3")
        }
        #expect(place("RegisterPushToken") == true && place("Unlike") == false)
    }

    @Test func namesThePlaceInAComponentsMessage() {
        let form = Cassette.Receiver.component("form", event: "connect")
        let cassette = cassette([entry(["submitTitle": "Save"], .null, form, line: 2)])
        let body: ScriptValue = [
            "id": "7", "component": "form", "event": "connect",
            "data": ["submitTitle": "Send", "metadata": ["url": "http://localhost/"]],
        ]
        let verdict = verdict(cassette, Cassette.Message(form, body))
        #expect(
            verdict?.description
                == #"dropped: notInCassette at /data/submitTitle: expected "Save" as in phone.yml:2, found "Send""#)
    }

    @Test func namesTheDifferenceToAPattern() {
        let cassette = cassette([Cassette.Entry(Self.camera, .containing(["name": "take", "list": [["a": 1]]]))])
        let verdict = verdict(
            cassette, Cassette.Message(Self.camera, ["name": "take", "x": 1, "list": [["a": 2, "b": 3]]]))
        #expect(verdict?.at == "/list/0/a" && verdict?.expected == "1 as in entry 1 of phone.yml")
    }

    @Test func suggestsEventsAndMethods() {
        let entries = [
            entry([:], .null, .component("form", event: "connect")), entry([], .null, .method("model", of: "Device")),
        ]
        let event = verdict(cassette(entries), Cassette.Message(.component("form", event: "conect"), [:]))
        #expect(event?.at == "/event" && event?.expected == "connect as in phone.yml")
        #expect(event?.hint?.hasPrefix(#"Did you mean "connect"? "#) == true)
        let method = verdict(cassette(entries), Cassette.Message(.method("modell", of: "Device"), []))
        #expect(method?.hint?.hasPrefix(#"Did you mean "model"? "#) == true)
    }

    @Test func knowsWhatItAnswersFor() {
        let player = CassettePlayer(
            cassette([
                entry("a"), Cassette.Entry(.handler("log"), .anything), Cassette.Entry(Self.camera, .anything),
                entry([:], .null, .component("form", event: "connect")),
                entry([], .null, .method("model", of: "Device")),
            ]))
        #expect(player.handlers == ["camera": true, "log": false])
        #expect(player.components == ["form"] && player.methods == ["Device": ["model"]])
    }

    // MARK: Age

    @Test func warnsOfAnOldRecording() throws {
        var cassette = cassette([])
        cassette.recorded = Cassette.Day("2026-02-27")
        cassette.daysUntilOld = 3
        #expect(cassette.warning(on: try #require(Cassette.Day("2026-03-02"))) == nil)
        #expect(
            cassette.warning(on: try #require(Cassette.Day("2026-03-03")))?.hasPrefix(
                "phone.yml was recorded 4 days ago, on 2026-02-27, and expires after 3d.") == true)
        cassette.daysUntilOld = nil
        #expect(cassette.warning(on: try #require(Cassette.Day("2036-03-03"))) == nil)
    }

    // MARK: Calls

    @Test func readsCallsOfFunctions() {
        func members(_ source: String) -> String { StubCall(source: source, delay: .zero).text }
        #expect(
            members(#"window.bridge.register("c0ffee", {"a": [1]})"#)
                == #"{"call":"window.bridge.register","with":["c0ffee",{"a":[1]}]}"#)
        #expect(members("window.bridge.x(undefined)") == #"{"script":"window.bridge.x(undefined)"}"#)
        #expect(members("a(1);b(2)") == #"{"script":"a(1);b(2)"}"#)
    }
}
