import BridgeProtocol
import BridgeTraffic
import Testing

/// What is recorded of pages in apps of their own.
@Suite struct CassetteRecorderTests {
    private final class Log {
        var recorder: CassetteRecorder
        private var count = 0
        private var time = Timestamp("2026-11-29T10:00:00Z") ?? .now

        init(_ limits: CassetteRecorder.Limits = .usual) { recorder = CassetteRecorder(limits: limits) }

        func add(
            _ event: TrafficRecord.Event, page: String = "p1", after milliseconds: Int64 = 1, device: DeviceInfo? = nil
        ) {
            count += 1
            time = Timestamp(microseconds: time.microseconds + milliseconds * 1_000)
            let record = TrafficRecord(
                record: count, time: time, page: page, webView: "device", url: "http://localhost/", device: device,
                direction: .toNative, event: event)
            // As from a log.
            _ = TrafficRecord(line: record.text.utf8).map { recorder.add($0) }
        }

        func post(_ body: ScriptValue, to handler: String, name: String? = nil, seq: Int, verdict: Verdict = .observed)
        {
            add(.message(handler: handler, name: name, body: body, seq: seq, verdict: verdict))
        }

        func call(_ source: String, after milliseconds: Int64 = 1) {
            add(.evaluate(id: .number(1), source: source), after: milliseconds)
        }
    }

    private func texts(_ entries: [Cassette.Entry]) -> [String] {
        entries.map { entry in
            let content = if case .exactly(let content) = entry.pattern { content.text } else { "?" }
            return "\(entry.receiver) \(content) → \(entry.answer) \(entry.delay.milliseconds)"
        }
    }

    /// A page of a daemon that records can post without end.
    @Test func recordsNoMoreThanItsLimits() {
        let log = Log(.init(messages: 3, bytes: .max))
        for seq in 1...5 { log.post("take", to: "camera", seq: seq) }
        log.add(
            .reply(
                handler: "camera", seq: 3, result: .success(1), duration: .milliseconds(40), verdict: .replied))
        #expect(log.recorder.isFull && log.recorder.entries.count == 3)
        #expect(log.recorder.entries.last?.delay == .milliseconds(40), "The answers to what it has are recorded.")
        let large = Log(.init(messages: .max, bytes: 100_000))
        for seq in 1...5 { large.post(ScriptValue(.string(String(repeating: "x", count: 60_000))), to: "a", seq: seq) }
        for _ in 1...5 { large.call("window.app.start(1)") }
        #expect(large.recorder.isFull && large.recorder.entries.count == 2)
        #expect(large.recorder.entries.last?.calls.count == 0)
    }

    @Test func leavesOutSecretsInTexts() {
        let log = Log()
        log.post([#"{"pin": 1, "password": "s3cret"}"#], to: "Session", name: "open", seq: 1)
        log.add(
            .reply(
                handler: "Session", seq: 1, result: .success(#"{"user": {"token": "s3cret"}}"#), duration: .zero,
                verdict: .replied))
        log.call(#"window.app.start("{\"token\":\"s3cret\"}", ["{\"a\":1}"])"#)
        log.call(#"window.app.start(undefined, {token: "s3cret"})"#)
        let text = texts(log.recorder.neededEntries).joined()
        #expect(!text.contains("s3cret") && text.contains("[redacted string, 6 characters]"), "\(text)")
        #expect(log.recorder.entries.first?.calls.count == 1, "The script that could not be read is left out.")
    }

    /// The daemon gets several entries at once, and then its clock knows nothing of the time between them.
    @Test func callsStayBeforeOrAfterTheReplyAsInThePage() {
        let log = Log()
        let reply = TrafficRecord.Event.reply(
            handler: "camera", seq: 1, result: .success(1), duration: .milliseconds(40), verdict: .replied)
        log.post("take", to: "camera", seq: 1)
        log.call("window.app.before(1)", after: 90)
        log.add(reply)
        log.call("window.app.after(1)", after: 0)
        log.call("window.app.later(1)", after: 500)
        let delays = log.recorder.entries[0].calls.map(\.delay.milliseconds)
        #expect(log.recorder.entries[0].delay == .milliseconds(40))
        #expect(delays == [40, 91, 591])
        let early = Log()
        early.post("take", to: "camera", seq: 1)
        early.add(reply)
        early.call("window.app.after(1)")
        #expect(early.recorder.entries[0].calls.map(\.delay) == [.milliseconds(41)])
    }

    @Test func repliesBelongToTheirMessages() {
        let log = Log()
        log.post(["name": "take"], to: "camera", seq: 1)
        log.post(["name": "fail"], to: "camera", seq: 2)
        log.add(
            .reply(
                handler: "camera", seq: 2, result: .failure(RPCError(.handlerRejected, "no")),
                duration: .milliseconds(5), verdict: Verdict(.rejected)))
        log.add(
            .reply(handler: "camera", seq: 1, result: .success("a.jpg"), duration: .milliseconds(7), verdict: .replied))
        #expect(
            texts(log.recorder.entries) == [
                #"camera {"name":"take"} → ["{\"value\":\"a.jpg\"}",[],[]] 7.0"#,
                #"camera {"name":"fail"} → ["{\"error\":\"no\"}",[],[]] 5.0"#,
            ])
    }

    @Test func callsBelongToTheMessageBefore() {
        let log = Log()
        log.call("window.bridge.hello()")
        log.post(["name": "RegisterPushToken"], to: "nativeApp", seq: 1)
        log.call(#"window.bridge.register("c0ffee")"#, after: 12)
        let entry = log.recorder.entries.first
        #expect(entry?.calls.map(\.source) == [#"window.bridge.register("c0ffee")"#])
        #expect(entry?.calls.first?.delay == .milliseconds(12))
    }

    @Test func repliesOfComponentsBelongToTheirIDs() {
        let log = Log()
        let metadata: ScriptValue = ["url": "http://localhost/"]
        log.post("ready", to: "bridge", seq: 1)
        log.call(#"window.nativeBridge.register(["form"])"#)
        log.post(
            ["id": "1", "component": "form", "event": "connect", "data": ["title": "Save", "metadata": metadata]],
            to: "bridge", seq: 2)
        log.post(["id": "2", "component": "menu", "event": "show", "data": [:]], to: "bridge", seq: 3)
        log.call(
            #"window.nativeBridge.replyWith({"id":"1","component":"form","event":"submitted","data":{"ok":true,"metadata":{"url":"x"}}})"#
        )
        // JSON text, as on Android.
        log.call(
            #"window.nativeBridge.replyWith("{\"id\":\"2\",\"component\":\"menu\",\"event\":\"show\",\"data\":{\"index\":1}}")"#
        )
        #expect(
            texts(log.recorder.entries) == [
                #"form connect {"title":"Save"} → ["{\"none\":true}",[],[["submitted",{"ok":true}]]] 0.0"#,
                #"menu show {} → ["{\"none\":true}",[],[[null,{"index":1}]]] 0.0"#,
            ])
    }

    @Test func androidsComponentsAreComponents_andMethodsHaveTheirArguments() {
        let log = Log()
        log.post(
            [#"{"id":"1","component":"form","event":"connect","data":{"title":"Save"}}"#], to: "BridgeComponentsNative",
            name: "bridgeDidReceiveMessage", seq: 1)
        log.post([], to: "BridgeComponentsNative", name: "bridgeDidInitialize", seq: 2)
        log.post(["full", 2], to: "Device", name: "model", seq: 3)
        log.add(
            .reply(
                handler: "Device", seq: 3, result: .success("Pixel 8"), duration: .milliseconds(1), verdict: .replied))
        #expect(
            texts(log.recorder.entries) == [
                #"form connect {"title":"Save"} → ["{\"none\":true}",[],[]] 0.0"#,
                #"Device.model ["full",2] → ["{\"value\":\"Pixel 8\"}",[],[]] 1.0"#,
            ])
    }

    @Test func onlyAppsOfTheirOwnAreRecorded_withoutTurbo() {
        let log = Log()
        log.add(.page(.attached), device: DeviceInfo(model: "iPhone", system: "iOS 18.5"))
        log.post(["name": "take"], to: "camera", seq: 1, verdict: .handled)
        log.post(["name": "visitProposed"], to: "turbo", seq: 2)
        log.call("window.turboNative.visit()")
        #expect(log.recorder.entries.isEmpty)
        #expect(log.recorder.device?.model == "iPhone")
    }

    /// Also in what a log with `--no-redact` has, and in JSON text.
    @Test func secretsAreLeftOut() {
        let log = Log()
        log.post(["user": "zoe", "password": "hunter2"], to: "login", seq: 1)
        log.post(#"{"password":"hunter2"}"#, to: "login", seq: 2)
        log.add(
            .reply(
                handler: "login", seq: 1, result: .success(["sessionToken": "abc"]), duration: .zero, verdict: .replied)
        )
        log.add(
            .reply(
                handler: "login", seq: 2, result: .failure(RPCError(.handlerRejected, #"{"token":"abc"}"#)),
                duration: .zero,
                verdict: .replied))
        log.call(#"window.bridge.signedIn({"token":"abc"})"#)
        log.post(
            ["id": "1", "component": "login", "event": "connect", "data": ["secret": "abc"]], to: "bridge", seq: 3)
        let text = texts(log.recorder.entries).joined(separator: "\n")
        #expect(!text.contains("hunter2") && !text.contains("abc"))
        #expect(text.contains("[redacted string, 7 characters]"))
    }

    @Test func sameAnswersAreKeptOnce() {
        let log = Log()
        for (seq, answer) in zip(1..., ["a", "a", "b", "b", "a"]) {
            log.post("x", to: "camera", seq: seq)
            log.add(
                .reply(
                    handler: "camera", seq: seq, result: .success(.string(answer)), duration: .milliseconds(Int64(seq)),
                    verdict: .replied))
        }
        #expect(log.recorder.entries.count == 5)
        #expect(
            log.recorder.neededEntries.map(\.reply.text) == [#"{"value":"a"}"#, #"{"value":"b"}"#, #"{"value":"a"}"#])
    }

    @Test func findsWhatACassetteLacks() {
        let log = Log()
        log.post(["name": "take"], to: "camera", seq: 1)
        log.post(["name": "stop"], to: "camera", seq: 2)
        log.post(["id": "1", "component": "form", "event": "connect", "data": ["title": "Save"]], to: "bridge", seq: 3)
        let cassette = Cassette(
            name: "phone.yml",
            entries: [
                Cassette.Entry(.handler("camera"), .containing(["name": "take"])),
                Cassette.Entry(.component("form", event: "connect"), .containing(["data": ["title": "Save"]])),
            ])
        #expect(log.recorder.entries(missingIn: cassette).map { "\($0.pattern)" }.count == 1)
    }
}
