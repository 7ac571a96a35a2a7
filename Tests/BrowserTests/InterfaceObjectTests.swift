import BridgeProtocol
import BridgeServer
import BridgeTesting
import BridgeTraffic
import EmulatedApp
import Foundation
import TestSupport
import Testing

/// Tests Android's interface objects in real pages, which wait for each answer.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2)), .browserTurns) struct InterfaceObjectTests {
    nonisolated static let engines = [Browser.Engine.chromium, .firefox].tried

    /// A page whose first script calls the object before the socket is open.
    private static func page(_ bridge: String) -> String {
        """
        <!DOCTYPE html><html><head><title>Before</title><script src="\(bridge)"></script><script>
        window.first = Device.echo("first")
        document.title = window.first
        </script></head><body>An app of its own</body></html>
        """
    }

    private func withDevice(
        in engine: Browser.Engine, _ body: @MainActor (BridgedApp, Calls) async throws -> Void
    ) async throws {
        try requireInstalled(engine)
        try await withBridgedApp(in: engine) { app in
            app.timeout = .seconds(20)
            let calls = Calls(app.server)
            let site = try await StaticApp(Self.page("http://localhost:\(app.address.port)/bridge.js"))
            try await app.open(site.url)
            try await app.wait(until: "document.readyState == 'complete'")
            try await body(app, calls)
        }
    }

    /// The interface object `Device`, and a record of its calls.
    @MainActor private final class Calls {
        var order: [String] = []
        var evaluated: [String] = []

        init(_ server: BridgeServer) {
            var device = JavascriptInterface()
            device.method("echo") { (text: String) in text }
            device.method("half") { (number: Double) in number / 2 }
            device.method("not") { (isSet: Bool) in !isSet }
            device.method("maybe") { (text: String?) in text }
            device.method("nothing") {}
            device.method("join") { (first: String, second: Int, third: Bool) in "\(first) \(second) \(third)" }
            device.method("fail") { () throws -> Void in throw CocoaError(.fileNoSuchFile) }
            device.method("note") { [weak self] (text: String) in self?.order.append(text) }
            device.method(
                "look",
                withContext: { [weak self] context in
                    // The page can evaluate this only after it has received the answer to its call.
                    context.evaluator.evaluate("window.state", timeout: nil) { result in
                        self?.evaluated.append((try? result.get())?.string ?? "failed")
                    }
                })
            server.addJavascriptInterface(device, name: "Device")
            server.addHandler(
                "nativeApp",
                .plain { [weak self] body, _ in
                    self?.order.append(body.string ?? "")
                    return .handled
                })
        }
    }

    @Test(arguments: engines) func call_returnsTheAnswer(_ engine: Browser.Engine) async throws {
        try await withDevice(in: engine) { app, _ in
            #expect(try await app.evaluate("window.first") as String == "first")
            for (script, expected) in [
                ("Device.echo('Zoë 🦊 \\u0000 \"quoted\"')", "Zoë 🦊 \u{0} \"quoted\""), ("Device.half(3) + ''", "1.5"),
                ("Device.half(NaN) + ''", "NaN"), ("typeof Device.not(true) + Device.not(true)", "booleanfalse"),
                ("typeof Device.nothing()", "undefined"), ("typeof Device.maybe(null)", "undefined"),
                ("Device.maybe('x')", "x"), ("Device.join('a', 2.9, true)", "a 2 true"),
                ("Device.join({}, undefined, 1)", "undefined 0 false"), ("Device.echo(() => 1)", "undefined"),
                ("Object.keys(Device).includes('echo') + typeof Device.nope", "trueundefined"),
                (
                    "try { Device.fail() } catch (error) { String(error) }",
                    "Error: Error invoking fail: Java exception was raised during method invocation"
                ),
                (
                    "try { Device.echo() } catch (error) { String(error) }",
                    "Error: Error invoking echo: Method not found"
                ),
                (
                    "let deep = []; for (let n = 0; n < 100000; n++) deep = [deep]; Device.echo(deep)", "undefined"
                ),
            ] {
                let value = try await app.evaluate(script) as String
                #expect(value == expected, "\(script)")
            }
        }
    }

    @Test(arguments: engines) func call_worksInFrames(_ engine: Browser.Engine) async throws {
        try await withDevice(in: engine) { app, _ in
            try await app.run(
                """
                const frame = document.createElement("iframe")
                frame.srcdoc = "<p>A frame</p>"
                frame.onload = () => { window.answer = frame.contentWindow.Device.echo("from a frame") }
                document.body.append(frame)
                """)
            try await app.wait(until: "window.answer")
            #expect(try await app.evaluate("window.answer") as String == "from a frame")
        }
    }

    @Test(arguments: engines) func callsAndMessages_keepTheirOrder(_ engine: Browser.Engine) async throws {
        try await withDevice(in: engine) { app, calls in
            try await app.run(
                """
                const post = (text) => webkit.messageHandlers.nativeApp.postMessage(text)
                post("1"); post("2"); Device.note("3"); post("4"); Device.note("5"); post("6")
                """)
            try await app.wait(until: "true")
            _ = try await app.nextRecord(TrafficFilter([.init(.handler, "nativeApp")]), match: .string("6"))
            #expect(calls.order == ["1", "2", "3", "4", "5", "6"])
        }
    }

    /// While a call waits for its answer, Firefox runs other tasks. The page must not evaluate in one of these.
    @Test(arguments: engines) func evaluation_waitsForTheCallingScript_withoutDeadlock(
        _ engine: Browser.Engine
    ) async throws {
        try await withDevice(in: engine) { app, calls in
            try await app.run(
                """
                setTimeout(() => {
                    window.state = "in the script"
                    for (let count = 0; count < 50; count++) Device.look()
                    window.state = "after it"
                })
                """)
            try await app.wait(until: "window.state === 'after it'")
            // When this evaluation ends, all earlier ones have ended.
            try await app.run("true")
            #expect(calls.evaluated == Array(repeating: "after it", count: 50))
        }
    }
}

extension ScriptValue {
    fileprivate static func string(_ text: String) -> ScriptValue? { try? ScriptValue(encoding: text) }
}
