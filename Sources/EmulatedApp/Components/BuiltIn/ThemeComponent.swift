import BridgeProtocol

/// Light or dark, for the whole app.
final class ThemeComponent: BridgeComponent {
    private struct Connect: Decodable { let theme: String }

    override class var name: String { "theme" }

    override class var profile: ComponentProfile {
        ComponentProfile(
            "Whether the whole app is light or dark.",
            events: [
                .init(
                    "connect", data: "theme",
                    "The app has that theme: `light`, `dark`, or another for the device's own.")
            ],
            state: "`{theme}`")
    }

    override var state: JSONValue? { (app?.device.theme).map { ["theme": .string($0)] } }

    override func onReceive(message: Message) {
        guard let data: Connect = message.data() else { return }
        app?.device.theme = data.theme
    }
}
