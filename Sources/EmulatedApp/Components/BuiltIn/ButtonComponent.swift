import BridgeProtocol
import BridgeServer

/// Buttons in the screen's bar.
final class ButtonComponent: BridgeComponent, EmulatedComponent {
    private struct Button: Decodable {
        let title: String?
        let iosImage: String?
        let androidImage: String?
        let image: String?
    }

    override class var name: String { "button" }

    private static let sides = ["left", "right"]

    class var profile: ComponentProfile {
        let data = "title?, iosImage?, androidImage?, image?"
        return ComponentProfile(
            "One button on each side of the bar.",
            events: [
                .init("connect", data: data, "Shows the button on the right. Each tap replies."),
                .init("right", data: data, "Shows the button on the right. Each tap replies."),
                .init("left", data: data, "Shows the button on the left. Each tap replies."),
                .init("disconnect", "Removes both buttons."),
            ],
            state: "`{left: {title, image}, right: …}`",
            actions: [
                .init("tap", "Taps the button on that side, `right` by default.", optional: ["side"]) {
                    (button: ButtonComponent, arguments) in try button.tap(arguments["side", default: "right"])
                }
            ])
    }

    /// The button on each side, and the event that it replies to.
    private var buttons: [String: (event: String, button: Button)] = [:]

    var state: JSONValue? {
        guard !buttons.isEmpty else { return nil }
        return .object(
            Self.sides.compactMap { side in
                guard let button = buttons[side]?.button else { return nil }
                let image = button.iosImage ?? button.image ?? button.androidImage
                return .init(side, ["title": .init(text: button.title), "image": .init(text: image)])
            })
    }

    override func onReceive(message: Message) {
        guard message.event != "disconnect" else { return buttons = [:] }
        guard let button: Button = message.data() else { return }
        buttons[message.event == "left" ? "left" : "right"] = (message.event, button)
    }

    private func tap(_ side: String) throws {
        guard let event = buttons[side]?.event else {
            throw ActionRefusal(
                "the screen has no button on the side '\(side)'. Its page sends left or right to get one.")
        }
        reply(to: event)
    }
}
