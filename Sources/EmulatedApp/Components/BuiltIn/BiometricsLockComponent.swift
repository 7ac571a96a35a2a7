import BridgeProtocol
import BridgeServer

/// Locks the app while it is in the background.
final class BiometricsLockComponent: BridgeComponent {
    override class var name: String { "biometrics-lock" }

    override class var profile: ComponentProfile {
        ComponentProfile(
            "A lock: closed when the app goes into the background, open when it comes back and knows the user.",
            events: [
                .init("enable", "The lock is on."),
                .init("disable", "The lock is off."),
                .init("reenable", "Sent by each page: the lock stays as it is."),
            ],
            state: "`{isEnabled, isLocked}`",
            actions: [
                .init(
                    "refuse", "The face is not known from now on: the app stays locked.",
                    app: { app, _ in app.device.lock.knowsFace = false }),
                .init(
                    "unlock", "The face is known again, and the app opens.",
                    app: { app, _ in app.device.lock.open() }),
            ])
    }

    override var state: JSONValue? {
        app.map { ["isEnabled": .bool($0.device.lock.isEnabled), "isLocked": .bool($0.device.lock.isLocked)] }
    }

    override func onReceive(message: Message) {
        guard message.event != "reenable" else { return }
        app?.device.lock.isEnabled = message.event == "enable"
    }
}
