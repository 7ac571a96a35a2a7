import BridgeProtocol
import BridgeServer

/// Buttons in the screen's bar.
final class ButtonComponent: BridgeComponent {
    private struct Button: Decodable {
        let title: String?
        let iosImage: String?
        let androidImage: String?
        let image: String?
    }

    override class var name: String { "button" }

    private static let sides = ["left", "right"]

    override class var profile: ComponentProfile {
        let data = "title?, iosImage?, androidImage?, image?"
        return ComponentProfile(
            "Buttons in the screen's bar: one on each side.",
            events: [
                .init("connect", data: data, "The button on the right shows. Each tap replies."),
                .init("right", data: data, "As connect."),
                .init("left", data: data, "The same on the left."),
                .init("disconnect", "Both go."),
            ],
            state: "`{left: {title, image}, right: …}`",
            actions: [
                .init("tap", "Taps the button on that side: `right`, unless told.", optional: ["side"]) {
                    (button: ButtonComponent, arguments) in try button.tap(arguments["side", default: "right"])
                }
            ])
    }

    /// By side: the event that put it up, and what it shows.
    private var buttons: [String: (event: String, button: Button)] = [:]

    override var state: JSONValue? {
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
