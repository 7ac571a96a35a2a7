import BridgeProtocol

/// The system's question how the user likes the app.
final class ReviewPromptComponent: BridgeComponent {
    override class var name: String { "review-prompt" }

    override class var profile: ComponentProfile {
        ComponentProfile(
            "The system's question how the user likes the app.",
            events: [.init("prompt", "It is asked. What the user says, no app hears.")], state: "`{count}`: how often")
    }

    private var count = 0

    override var state: JSONValue? { ["count": .number(Double(count))] }

    override func onReceive(message: Message) { count += 1 }
}
