import BridgeProtocol
import BridgeServer

/// The button with three dots in the bar, as in Hotwire Native's demo app.
final class OverflowMenuComponent: BridgeComponent, EmulatedComponent {
    private struct Connect: Decodable { let label: String? }

    override class var name: String { "overflow-menu" }

    class var profile: ComponentProfile {
        ComponentProfile(
            "The button with three dots in the bar.",
            events: [
                .init("connect", data: "label?", "Shows the button. Each tap replies."),
                .init("disconnect", "Removes the button."),
            ],
            state: "`{label}`",
            actions: [
                .init("tap", "Taps the button.") { (menu: OverflowMenuComponent, _) in
                    guard menu.label != nil else {
                        throw ActionRefusal("the screen has no overflow menu. Its page sends connect to get one.")
                    }
                    menu.reply(to: "connect")
                }
            ])
    }

    private var label: String?

    var state: JSONValue? { label.map { ["label": .string($0)] } }

    override func onReceive(message: Message) {
        guard message.event == "connect" else { return label = nil }
        guard let data: Connect = message.data() else { return }
        label = data.label ?? "More"
    }
}
