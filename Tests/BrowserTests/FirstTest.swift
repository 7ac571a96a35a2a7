// The first test of an app, as the documentation of BridgeTesting shows it.
import BridgeProtocol
import BridgeTesting
import EmulatedApp
import Testing

@MainActor @Test func offersANewCustomer() async throws {
    try await withBridgedApp(in: .chromium) { app in
        try await app.open("/demo/")  // or http://localhost:3000/
        let button = try await app.nextMessage(ActionButton.self)
        #expect(button.path == "/customers/new")
        try await app.tap("#register-push-token")
        _ = try await app.nextMessage(RegisterPushToken.self)
    }
}
