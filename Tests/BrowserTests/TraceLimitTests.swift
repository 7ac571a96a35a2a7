import BridgeProtocol
import BridgeServer
import EmulatedApp
import TestSupport
import Testing

@testable import BridgeTesting

/// What a trace holds and what it leaves out, without a browser.
@MainActor @Suite(.timeLimit(.minutes(2))) struct TraceLimitTests {
    private func withApp(_ body: @MainActor (BridgedApp, PageStandIn) async throws -> Void) async throws {
        var configuration = BridgeServer.Configuration()
        configuration.port = 0
        let server = try BridgeServer(configuration)
        let app = try await BridgedApp(.attached(.chromium), server: server, emulatedApp: EmulatedApp(server: server))
        try await body(app, PageStandIn(server))
        await app.close()
    }

    private func trace(_ recorder: TraceRecorder, _ failure: Trace.Failure? = nil) -> Trace {
        recorder.trace(name: "test", file: nil, framework: nil, steps: [(nil, nil, "step")], failure: failure)
    }

    private func html(_ trace: Trace, _ app: BridgedApp) throws -> String {
        try TraceDocument.html(of: trace, withoutSecrets: app.server.traffic.withoutTokens)
    }

    @Test func leavesSecretsAndTokensOut() async throws {
        try await withApp { app, page in
            _ = try? await page.post(["name": "Login", "password": "hunter2"])
            let recorder = TraceRecorder(app)
            await recorder.start()
            let failure = Trace.Failure(step: nil, expected: "nothing", found: "the token \(app.server.token)")
            let html = try html(trace(recorder, failure), app)
            #expect(html.contains(#""password":"[redacted string, 7 characters]""#))
            #expect(html.contains(#""pushToken":"[redacted string"#))
            #expect(!html.contains("hunter2") && !html.contains(app.server.token))
        }
    }

    @Test func keepsTheLatestRecords_andSaysWhatIsMissing() async throws {
        try await withApp { app, page in
            for _ in 1...5 { _ = try? await page.post(["name": "Small"]) }
            _ = try? await page.post(["name": "Large", "text": .string(String(repeating: "x", count: 2_000))])
            var limits = TraceLimits()
            (limits.records, limits.recordBytes) = (3, 1_000)
            let recorder = TraceRecorder(app, limits: limits)
            let trace = trace(recorder)
            let last = app.server.traffic.lastRecord
            #expect(trace.records.map(\.number) == [last - 2, last - 1, last])
            #expect(trace.records.allSatisfy { $0.line.count < 1_000 })
            #expect(trace.leftOut.joined().contains("Records left out at the beginning: \(last - 3)."))
            #expect(trace.leftOut.joined().contains("Records without their contents, which are too large: 1."))
        }
    }

    @Test func keepsTheLatestPictures() async throws {
        try await withApp { app, _ in
            var limits = TraceLimits()
            (limits.pictureBytes, limits.allPictureBytes) = (40, 50)
            let recorder = TraceRecorder(app, limits: limits)
            let png = "iVBORw0KGgo"
            #expect(recorder.keep(png + "AAAAAAAAAA") == .taken(0))
            #expect(recorder.keep(png + "AAAAAAAAAA") == .taken(0))
            #expect(recorder.keep(png + "BBBBBBBBBB") == .taken(1))
            #expect(recorder.keep(png + "CCCCCCCCCC") == .taken(2))
            let trace = trace(recorder)
            #expect(trace.pictures.map(\.isEmpty) == [true, false, false])
            #expect(trace.leftOut.joined().contains("because all have more than 50 bytes: 1."))
            for wrong in ["<script>", "", png + String(repeating: "A", count: 40)] {
                guard case .missing = recorder.keep(wrong) else {
                    Issue.record("\(wrong) was kept")
                    continue
                }
            }
        }
    }

    /// Calls that wait again and again for the same are one step.
    @Test func keepsTheLatestCallsOfATest() async throws {
        try await withApp { app, _ in
            var limits = TraceLimits()
            limits.calls = 2
            let recorder = TraceRecorder(app, limits: limits)
            await recorder.start()
            let dropped = [false, true, false, false].map { recorder.called(.now, .zero, isRepeated: $0) }
            #expect(dropped == [false, false, false, true])
            let trace = trace(recorder)
            #expect(trace.moments.count == 3)
            #expect(trace.leftOut.contains("Calls left out at the beginning: 1."))
        }
    }

    @Test func callWithinACall_isNoStep() async throws {
        try await withApp { app, _ in
            let trace = try #require(await TraceOfTest(app, test: "test"))
            let call = trace.callBegins("outer")
            #expect(call != nil && trace.callBegins("inner") == nil)
            call?.end()
            #expect(trace.callBegins("outer") != nil)
        }
    }

    @Test func cutsLongTexts() async throws {
        try await withApp { app, _ in
            let failure = Trace.Failure(step: 1, expected: "", found: String(repeating: "x", count: 1_000_000))
            let html = try html(trace(TraceRecorder(app), failure), app)
            #expect(html.utf8.count < 500_000 && html.contains("xx… (cut: 1000000 characters)"))
        }
    }

    /// A picture that is no base64 could end its element.
    @Test func writesNoPictureThatIsNoBase64() async throws {
        try await withApp { app, _ in
            let recorder = TraceRecorder(app)
            #expect(recorder.keep("iVBORw0KGgo</script>") == .taken(0))
            let html = try html(trace(recorder), app)
            #expect(!html.contains("iVBORw0KGgo</script>"))
        }
    }
}
