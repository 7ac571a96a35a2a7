import BridgeProtocol
import BridgeServer
import BridgeTesting
import BridgeTraffic
import EmulatedApp
import Foundation
import TestSupport
import Testing

/// The messages are the contract: an adapter that somebody else wrote works as well.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2)), .browserTurns) struct ForeignAdapterTests {
    private static let adapter = """
        const report = (name, data) => webkit.messageHandlers.turbo.postMessage({ name: name, data: data || {} })
        const events = ["visitRequestStarted", "visitRequestFinished", "visitRendered"]
        window.turboNative = {
          visitLocationWithOptionsAndRestorationIdentifier: (location, options, restorationIdentifier) =>
            Turbo.navigator.startVisit(location, restorationIdentifier, options),
          visitProposedToLocation: (location, options) => report("visitProposed", { location: location.href, options: options }),
          visitStarted: (visit) => {
            report("visitStarted", { identifier: visit.identifier, hasCachedSnapshot: visit.hasCachedSnapshot() })
            visit.issueRequest()
            visit.changeHistory()
            visit.loadCachedSnapshot()
          },
          visitRequestCompleted: (visit) => {
            report("visitRequestCompleted", { identifier: visit.identifier })
            visit.loadResponse()
          },
          visitCompleted: (visit) =>
            report("visitCompleted", { identifier: visit.identifier, restorationIdentifier: visit.restorationIdentifier }),
          pageInvalidated: () => report("pageInvalidated")
        }
        for (const name of events) turboNative[name] = (visit) => report(name, { identifier: visit.identifier })
        Turbo.registerAdapter(turboNative)
        report("turboIsReady", { isReady: true })
        report("pageLoaded", { restorationIdentifier: Turbo.navigator.restorationIdentifier })
        """

    @Test func foreignAdapter_works() async throws {
        try await TurboFixture.run(.chromium, .turbo, adapter: Self.adapter) { fixture in
            try await fixture.scenario("a foreign adapter") {
                try await fixture.tap("#posts")
                // This adapter does not wait for the repaint.
                let visit = Array(WebApp.Library.turbo.visit.dropLast(2)) + ["visitRendered", "visitCompleted"]
                try await fixture.expect(visit, main: ["/", "/posts"], title: "Posts")
                try fixture.perform("back")
                try await fixture.expect(
                    ["visitStarted", "visitRendered", "visitCompleted"], main: ["/"], title: "Home")
            }
        }
    }
}
