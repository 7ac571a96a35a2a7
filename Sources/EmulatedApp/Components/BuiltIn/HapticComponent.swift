import BridgeProtocol

/// Vibrations of the device.
final class HapticComponent: BridgeComponent, EmulatedComponent {
    private struct Vibrate: Decodable { let feedback: String? }

    override class var name: String { "haptic" }

    class var profile: ComponentProfile {
        ComponentProfile(
            "Vibrations of the device.",
            events: [.init("vibrate", data: "feedback?", "Vibrates the device, with `success` by default.")],
            state: "`{feedback, count}`")
    }

    private var feedback: String?
    private var count = 0

    var state: JSONValue? {
        feedback.map { ["feedback": .string($0), "count": .number(Double(count))] }
    }

    override func onReceive(message: Message) {
        guard let data: Vibrate = message.data() else { return }
        feedback = data.feedback ?? "success"
        count += 1
    }
}
