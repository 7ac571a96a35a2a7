import BridgeProtocol
import BridgeServer

/// A native dialog with two buttons.
final class AlertComponent: BridgeComponent, EmulatedComponent {
    private struct Show: Decodable {
        let title: String
        let description: String?
        let destructive: Bool?
        let confirm: String?
        let dismiss: String?
    }

    override class var name: String { "alert" }

    class var profile: ComponentProfile {
        ComponentProfile(
            "A native dialog that asks for confirmation.",
            events: [
                .init(
                    "show", data: "title, description?, destructive?, confirm?, dismiss?",
                    "Shows the dialog, whose confirming button replies.")
            ],
            state: "`{title, description, isDestructive, confirm, dismiss}`",
            actions: [
                .init("confirm", "Taps the confirming button.") { (alert: AlertComponent, _) in
                    try alert.close()
                    alert.reply(to: "show")
                },
                .init("dismiss", "Taps the other button.") { (alert: AlertComponent, _) in try alert.close() },
            ])
    }

    private var shown: Show?

    var state: JSONValue? {
        shown.map {
            [
                "title": .string($0.title), "description": .init(text: $0.description),
                "isDestructive": .bool($0.destructive ?? false), "confirm": .string($0.confirm ?? "OK"),
                "dismiss": .string($0.dismiss ?? "Cancel"),
            ]
        }
    }

    override func onReceive(message: Message) { shown = message.data() }

    private func close() throws {
        guard shown != nil else { throw ActionRefusal("no dialog is shown.") }
        shown = nil
    }
}
