import BridgeProtocol
import BridgeServer
import BridgeTesting
import EmulatedApp
import Foundation
import TestSupport
import Testing

/// Tests `bridged doctor` with pages in real browsers.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2)), .browserTurns) struct DoctorTests {
    private func codes(_ outcome: Executable.Outcome) throws -> [String] {
        try outcome.output.split(separator: "\n").map { line in
            let finding = try JSON.parse(line)
            return "\(finding["severity"]?.string ?? "") \(finding["code"]?.string ?? "")"
        }
    }

    @Test(arguments: Browser.Engine.allCases.tried)
    func reportsProblemsOfAPage_worstFirst(_ engine: Browser.Engine) async throws {
        try await withServer { server, address in
            let emulatedApp = try EmulatedApp(server: server)
            let recorder = Recorder(server)
            let app = try await StaticApp(
                """
                <!DOCTYPE html><html><head><title>Sick</title><script>window.early = typeof webkit</script>
                <script defer src="http://localhost:\(address.port)/bridge.js"></script></head><body><script>
                addEventListener("load", () => {
                  const { messageHandlers } = webkit
                  messageHandlers.nativeAp?.postMessage(1)
                  window.webkit.messageHandlers["camera"]?.postMessage(1)
                  messageHandlers.nativeApp.postMessage({ name: "Nope" })
                })
                </script></body></html>
                """)
            let browser = try launch(engine, app.url)
            _ = try await recorder.problem("unknownName")
            let outcome = try await Executable.run(["doctor", "--url", address.url, "--json"])
            let expected = [
                "error scriptLate", "error scriptNotFirst", "error handlerMissing", "error handlerMissing",
                "warning unknownName", "note userAgent", "note turboMissing",
            ]
            #expect(try codes(outcome).filter { $0 != "note hidden" } == expected)
            #expect(outcome.status == 1)
            #expect(outcome.output.contains("Did the page mean nativeApp?"))
            withExtendedLifetime((emulatedApp, browser, app)) {}
        }
    }

    /// Pages that know only message handlers are the most frequent problem on Android. The demo supports both
    /// platforms.
    @Test func reportsMessageHandlers_onAndroid() async throws {
        for (path, found) in [("demo/", false), ("", true)] {
            try await withServer { server, address in
                var configuration = EmulatedApp.Configuration()
                configuration.framework = .android13
                let emulatedApp = try EmulatedApp(server: server, configuration)
                let recorder = Recorder(server)
                let app = try await StaticApp(
                    """
                    <!DOCTYPE html><script src="\(address.url)bridge.js"></script>
                    <script>window.webkit?.messageHandlers.nativeApp.postMessage({ name: "RegisterPushToken" })</script>
                    """)
                let browser = try launch(.chromium, path.isEmpty ? app.url : address.url + path)
                _ = try await recorder.first { if case .page(.attached) = $0.event { true } else { false } }
                let outcome = try await Executable.run(["doctor", "--url", address.url, "--json"])
                #expect(try codes(outcome).contains("error handlerOnAndroid") == found)
                #expect(outcome.status == (found ? 1 : 0))
                browser.close()
                withExtendedLifetime((emulatedApp, app)) {}
            }
        }
    }

    @Test func reportsNoProblems_forTheDemo() async throws {
        try await withDemo(in: .chromium) { demo in
            _ = try await demo.attached()
            let outcome = try await Executable.run(["doctor", "--url", demo.address.url, "--json"])
            #expect(
                try codes(outcome).filter { $0 != "note hidden" } == [
                    "note userAgent", "note turboMissing", "ok script", "ok handlers", "ok policy",
                ])
            #expect(outcome.status == 0)
        }
    }

    @Test(arguments: [Browser.Engine.chromium, .firefox].tried)
    func reportsProblemsOfComponents(_ engine: Browser.Engine) async throws {
        let body = """
            <form data-controller="other bridge--form"></form><a data-controller="bridge--mnu"></a>
            <a data-controller="bridge--share" data-controller-optout-ios="bridge--share"></a>
            """
        try await ComponentFixture.run(engine, .hotwire, #"ask("form", "connect")"#, body: body) { fixture in
            try await fixture.arrival("form", "connect")
            let outcome = try await Executable.run(["doctor", "--url", fixture.app.address.url, "--json"])
            let own = try codes(outcome).filter { $0.contains("omponent") }
            #expect(own == ["error componentMissing", "note componentOptedOut"])
            #expect(outcome.output.contains("Did the page mean menu?"))
        }
    }
}
