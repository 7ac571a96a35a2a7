import BridgeProtocol
import BridgeTraffic
import TestSupport
import Testing

@testable import BridgeServer

/// A server that answers from a cassette.
@MainActor @Suite(.timeLimit(.minutes(4))) struct CassetteTests {
    private func entry(
        _ handler: String, _ body: JSONValue, _ reply: StubReply, delay: Duration = .zero, calls: [StubCall] = []
    ) -> Cassette.Entry {
        Cassette.Entry(.handler(handler), .exactly(body), reply: reply, delay: delay, calls: calls, line: 7)
    }

    private func withCassette(
        _ entries: [Cassette.Entry], timing: Cassette.Timing = .instant,
        _ body: @MainActor (BridgeServer, BridgeServer.Address, Recorder) async throws -> Void
    ) async throws {
        try await withServer { server, address in
            var cassette = Cassette(name: "phone.yml", entries: entries)
            cassette.timing = timing
            server.play(cassette)
            try await body(server, address, Recorder(server))
        }
    }

    private static let register = StubCall(.function("window.bridge.register", ["c0ffee"]), delay: .milliseconds(2))

    @Test func answersInPlaceOfHandlers() async throws {
        let entries = [
            entry("camera", ["name": "take"], .value("cat.jpg"), delay: .seconds(60)),
            entry("camera", ["name": "fail"], .error("no camera")), entry("log", "x", .none),
        ]
        try await withCassette(entries) { server, address, recorder in
            server.addHandler("camera", .replying { _, _, reply in reply.reject("not the cassette") })
            let (page, attached) = try await PageClient.attach(port: address.port)
            #expect(
                attached["handlers"]?.description
                    == #"[{"name":"camera","replies":true},{"name":"log","replies":false}]"#)
            await page.post(#"{"name":"take"}"#, seq: 1, to: "camera", id: "a")
            #expect(try await page.next("id", "a")["result"]?["value"]?.string == "cat.jpg")
            await page.post(#"{"name":"fail"}"#, seq: 2, to: "camera", id: "b")
            #expect(try await page.next("id", "b")["error"]?["message"]?.string == "no camera")
            await page.post(#""x""#, seq: 3, to: "log")
            _ = try await recorder.first { record in
                if case .message("log", _, _, _, let verdict) = record.event { verdict.stub == "c3" } else { false }
            }
        }
    }

    @Test func stubsComeFirst_andOtherHandlersStay() async throws {
        try await withCassette([entry("camera", "x", .value(1))]) { server, address, _ in
            server.stub("camera", match: "y", reply: .value(2))
            server.addHandler("other", .replying { _, _, reply in reply.resolve(3) })
            let (page, _) = try await PageClient.attach(port: address.port)
            for (seq, handler, body, value) in [(1, "camera", "x", 1.0), (2, "camera", "y", 2), (3, "other", "x", 3)] {
                await page.post("\"\(body)\"", seq: seq, to: handler, id: "\(seq)")
                #expect(try await page.next("id", "\(seq)")["result"]?["value"]?.number == value)
            }
        }
    }

    @Test(arguments: [Cassette.Timing.instant, .recorded])
    func callsComeBeforeAndAfterTheReply_asTheyWereRecorded(_ timing: Cassette.Timing) async throws {
        let after = StubCall(.script("later()"), delay: .milliseconds(20))
        let entries = [entry("camera", "x", .value(1), delay: .milliseconds(10), calls: [Self.register, after])]
        try await withCassette(entries, timing: timing) { _, address, recorder in
            let (page, _) = try await PageClient.attach(port: address.port)
            await page.post(#""x""#, seq: 1, to: "camera", id: "a")
            _ = try await page.next("method", "script.evaluate")
            #expect(try await page.next("method", "script.evaluate")["params"]?["source"]?.string == "later()")
            _ = try await recorder.first { if case .evaluate(_, "later()") = $0.event { true } else { false } }
            let order = recorder.records.compactMap { record in
                switch record.event {
                case .evaluate(_, let source): source
                case .reply: "reply"
                default: nil
                }
            }
            #expect(order == [#"window.bridge.register("c0ffee")"#, "reply", "later()"])
        }
    }

    @Test func stubsMayCall() async throws {
        try await withServer { server, address in
            server.stub("nativeApp", reply: .none, calls: [Self.register])
            let (page, _) = try await PageClient.attach(port: address.port)
            await page.post(#"{"name":"RegisterPushToken"}"#, seq: 1)
            let call = try await page.next("method", "script.evaluate")
            #expect(call["params"]?["source"]?.string == #"window.bridge.register("c0ffee")"#)
        }
    }

    @Test func dropsWhatItDoesNotHave_andNamesTheDifference() async throws {
        try await withCassette([entry("camera", ["name": "take", "pin": 1], .value(1))]) { _, address, recorder in
            let (page, _) = try await PageClient.attach(port: address.port)
            await page.post(#"{"name":"tke","pin":1}"#, seq: 1, to: "camera", id: "a")
            let message = try await page.next("id", "a")["error"]?["message"]?.string
            #expect(message?.contains(#"expected "take" as in phone.yml:7, found "tke""#) == true)
            let problem = try await recorder.problem("notInCassette")
            #expect(problem.text.hasPrefix("A message to camera was dropped: notInCassette at /name: expected"))
        }
    }

    @Test func secretsOfWhatItDoesNotHaveAreNotQuoted() async throws {
        let known: JSONValue = ["password": "[redacted string, 3 characters]", "note": "a"]
        try await withCassette([entry("login", known, .none)]) { _, address, recorder in
            let (page, _) = try await PageClient.attach(port: address.port)
            await page.post(#"{"password":"hunter2","note":{"secret":"s3cret"}}"#, seq: 1, to: "login")
            let problem = try await recorder.problem("notInCassette")
            let text = "\(problem.text) \(problem.hint ?? "")"
            #expect(!text.contains("hunter2") && !text.contains("s3cret"), "\(text)")
        }
    }

    @Test func interfaceObjectsExist_andAnswer() async throws {
        let model = Cassette.Receiver.method("model", of: "Device")
        let entries = [
            Cassette.Entry(model, .exactly(["full"]), reply: .value("Pixel 8"), calls: [Self.register]),
            Cassette.Entry(model, .exactly(["fail"]), reply: .error("no")),
        ]
        try await withCassette(entries) { server, address, recorder in
            let interfaces = InterfaceTests()
            let (page, _) = try await PageClient.attach(port: address.port)
            let answer = try await interfaces.call("model", #"["full"]"#, address)
            #expect(answer["result"]?["value"]?.string == "Pixel 8")
            #expect(
                try await page.next("method", "script.evaluate")["params"]?["source"]?.string?.hasSuffix(#"("c0ffee")"#)
                    == true)
            let failed = try await interfaces.call("model", #"["fail"]"#, seq: 2, address)
            #expect(failed["error"]?["data"]?["exception"] != nil)
            _ = try await interfaces.call("model", #"["short"]"#, seq: 3, address)
            #expect(try await recorder.problem("notInCassette").text.contains(#"expected "full""#))
            #expect(server.cassette?.name == "phone.yml")
        }
    }
}
