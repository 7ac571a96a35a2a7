import BridgeProtocol

/// The system's prompt to review the app.
final class ReviewPromptComponent: BridgeComponent, EmulatedComponent {
    override class var name: String { "review-prompt" }

    class var profile: ComponentProfile {
        ComponentProfile(
            "The system's prompt to review the app.",
            events: [.init("prompt", "Shows the prompt. No app learns the answer.")],
            state: "`{count}`")
    }

    private var count = 0

    var state: JSONValue? { ["count": .number(Double(count))] }

    override func onReceive(message: Message) { count += 1 }
}
