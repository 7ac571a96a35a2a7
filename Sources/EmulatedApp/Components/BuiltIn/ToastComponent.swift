import BridgeProtocol

/// A short message over the screen, which disappears by itself.
final class ToastComponent: BridgeComponent, EmulatedComponent {
    private struct Show: Decodable { let message: String }

    override class var name: String { "toast" }

    class var profile: ComponentProfile {
        ComponentProfile(
            "A short message over the screen, which stays in the state.",
            events: [.init("show", data: "message", "Shows the message.")], state: "`{message}`")
    }

    private var shown: String?

    var state: JSONValue? { shown.map { ["message": .string($0)] } }

    override func onReceive(message: Message) {
        guard let data: Show = message.data() else { return }
        shown = data.message
    }
}
