import BridgeProtocol

/// A lock that closes when the app goes into the background.
final class BiometricsLockComponent: BridgeComponent, EmulatedComponent {
    override class var name: String { "biometrics-lock" }

    class var profile: ComponentProfile {
        ComponentProfile(
            "A lock that closes in the background, and opens when the app comes back and sees the user.",
            events: [
                .init("enable", "Turns the lock on."),
                .init("disable", "Turns the lock off."),
                .init("reenable", "Changes nothing. Every page sends it."),
            ],
            state: "`{isEnabled, isLocked}`",
            actions: [
                .init(
                    "refuse", "The device stops recognizing the face, so the app stays locked.",
                    app: { app, _ in app.device.lock.knowsFace = false }),
                .init(
                    "unlock", "The device recognizes the face again and unlocks the app.",
                    app: { app, _ in app.device.lock.open() }),
            ])
    }

    var state: JSONValue? {
        app.map { ["isEnabled": .bool($0.device.lock.isEnabled), "isLocked": .bool($0.device.lock.isLocked)] }
    }

    override func onReceive(message: Message) {
        guard message.event != "reenable" else { return }
        app?.device.lock.isEnabled = message.event == "enable"
    }
}
