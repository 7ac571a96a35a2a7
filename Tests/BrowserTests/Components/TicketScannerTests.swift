import BridgeProtocol
import BridgeTesting
import EmulatedApp
import Foundation
import TestSupport
import Testing

/// Runs Examples/TicketScanner, whose page has a component of its own, in driven browsers. There is no Swift for it.
@MainActor @Suite(.serialized, .timeLimit(.minutes(3)), .browserTurns) struct TicketScannerTests {
    @Test(arguments: BrowserEngine.allCases.tried)
    func componentOfOnesOwn_works_failsAndIsDenied(_ engine: BrowserEngine) async throws {
        try requireDriven(engine)
        let folder = try TemporaryFolder()
        let web = try await examples()
        for name in ["works", "native-error", "permission-denied"] {
            let flow = Repository.file("Examples/TicketScanner/flows/\(name).yml")
            try String(contentsOf: flow, encoding: .utf8).replacing("http://localhost:4567/", with: web.url)
                .write(toFile: folder.path("\(name).yml"), atomically: true, encoding: .utf8)
        }
        let configuration = Repository.file("Examples/TicketScanner/bridged.yml").path
        for framework in engine == .webkit ? ["ios"] : ["ios", "android"] {
            let outcome = try await Executable.run([
                "test", folder.path(""), "--config", configuration, "--in", engine.rawValue, "--framework", framework,
            ])
            #expect(
                outcome.output.hasSuffix("3 passed.\n") && outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        }
    }

    private func examples() async throws -> StaticApp {
        let web = try await StaticApp("")
        for name in ["TicketScanner", "TurboApp"] {
            try FileManager.default.copyItem(
                at: Repository.file("Examples/\(name)"), to: web.folder.appendingPathComponent(name))
        }
        return web
    }

    /// The phone of the inspector shows the button, and then lets its user choose what the scanner does.
    @Test func inspectorShowsTheParts_andTakesTaps() async throws {
        try requireDriven(.chromium)
        let web = try await examples()
        var configuration = EmulatedApp.Configuration()
        configuration.declaredComponents = [
            try DeclaredComponent(
                "ticket-scanner",
                [
                    "connect": ["barButton": ["title": "Scan"], "textField": ["placeholder": "Code"]],
                    "scan": ["choose": ["works": ["reply": ["code": "1"]], "denied": ["error": "denied"]]],
                ])
        ]
        try await withBridgedApp(driving: .chromium, app: configuration) { app in
            app.timeout = .seconds(20)
            try await app.open("\(web.url)TicketScanner/")
            try await withBridgedApp(driving: .chromium, app: .none) { eye in
                eye.timeout = .seconds(20)
                try await eye.open("http://localhost:\(app.address.port)/inspector/#token=\(app.server.token)")
                try await eye.wait(until: "document.querySelector('.bar input')?.placeholder === 'Code'")
                try await eye.tap(".bar [aria-label=Scan]")
                try await eye.tap(".sheet button:nth-of-type(2)")
                try await app.wait(
                    until: "document.getElementById('said').textContent === 'Allow the camera in Settings'")
                try await eye.wait(until: "document.querySelector('.sheet') === null")
            }
        }
    }
}
