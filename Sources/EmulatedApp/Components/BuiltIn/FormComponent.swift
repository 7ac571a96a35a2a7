import BridgeProtocol
import BridgeServer

/// A form's submit button in the screen's bar, as in Hotwire Native's demo app and in bridge-components.
final class FormComponent: BridgeComponent, EmulatedComponent {
    private struct Connect: Decodable {
        let submitTitle: String?
        let title: String?
    }

    override class var name: String { "form" }

    class var profile: ComponentProfile {
        ComponentProfile(
            "The page's submit button, in the bar.",
            events: [
                .init("connect", data: "submitTitle? or title?", "Shows the button. Each tap replies."),
                .init("submitDisabled", "Disables the button."),
                .init("disableSubmit", "Disables the button."),
                .init("submitEnabled", "Enables the button."),
                .init("enableSubmit", "Enables the button."),
                .init("disconnect", "Removes the button."),
            ],
            state: "`{title, isEnabled}`",
            actions: [.init("submit", "Taps the submit button.") { (form: FormComponent, _) in try form.submit() }])
    }

    private var title: String?
    private var isEnabled = true

    var state: JSONValue? {
        title.map { ["title": .string($0), "isEnabled": .bool(isEnabled)] }
    }

    override func onReceive(message: Message) {
        switch message.event {
        case "connect":
            guard let data: Connect = message.data() else { return }
            title = data.submitTitle ?? data.title ?? "Submit"
            isEnabled = true
        case "disconnect": title = nil
        default: isEnabled = message.event == "submitEnabled" || message.event == "enableSubmit"
        }
    }

    private func submit() throws {
        guard title != nil else {
            throw ActionRefusal("the screen has no submit button. Its page sends connect to get one.")
        }
        guard isEnabled else {
            throw ActionRefusal("the submit button is disabled, as it is while the form is being sent.")
        }
        reply(to: "connect")
    }
}
