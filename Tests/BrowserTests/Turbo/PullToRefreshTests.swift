import BridgeProtocol
import BridgeServer
import BridgeTesting
import Foundation
import PathConfiguration
import TestSupport
import Testing

@testable import EmulatedApp

/// Elements of Android's page that keep the screen from being pulled down, in a real browser; see the framework's turbo.js.
@MainActor @Suite(.serialized, .timeLimit(.minutes(3)), .browserTurns) struct PullToRefreshTests {
    @Test func touchedElementDecides() async throws {
        try await TurboFixture.run(.chromium, .turbo, on: .android) { fixture in
            fixture.app.emulatedApp?.configuration.pathConfiguration.sources = [
                .data(Data(#"{"rules":[{"patterns":["."],"properties":{"pull_to_refresh_enabled":true}}]}"#.utf8))
            ]
            try await fixture.app.run(
                """
                document.body.insertAdjacentHTML("beforeend", `
                  <div data-native-prevent-pull-to-refresh><i id="pin">x</i></div>
                  <div style="height: 20px; overflow-y: auto"><p style="height: 90px"><i id="row">x</i></p></div>
                  <p id="text">x</p>`)
                """)
            for element in ["#pin", "#row", "#nowhere"] {
                await #expect(throws: ActionRefusal.self) {
                    try await fixture.app.emulatedApp?.perform("pullToRefresh", ["element": element]).arrive()
                }
                #expect(fixture.app.emulatedApp?.sessions[.main]?.isVisiting == false)
            }
            try await fixture.app.emulatedApp?.perform("pullToRefresh", ["element": "#text"]).arrive()
            #expect(fixture.app.emulatedApp?.sessions[.main]?.isVisiting == true)
        }
    }
}
