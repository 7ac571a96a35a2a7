import BridgeProtocol

/// The app's theme: light or dark.
final class ThemeComponent: BridgeComponent, EmulatedComponent {
    private struct Connect: Decodable { let theme: String }

    override class var name: String { "theme" }

    class var profile: ComponentProfile {
        ComponentProfile(
            "The app's theme: light or dark.",
            events: [
                .init(
                    "connect", data: "theme",
                    "Sets the theme: `light`, `dark`, or any other text for the device's own.")
            ],
            state: "`{theme}`")
    }

    var state: JSONValue? { (app?.device.theme).map { ["theme": .string($0)] } }

    override func onReceive(message: Message) {
        guard let data: Connect = message.data() else { return }
        app?.device.theme = data.theme
    }
}
