import BridgeServer

/// How a test is written. Each piece of advice in a failure is in that form.
enum TestForm {
    case flow, swift

    /// What answers a dialog.
    func answer(to kind: Dialog.Kind) -> String {
        guard self == .flow else { return "app.onDialog { _ in .accept }" }
        let reply =
            switch kind {
            case .alert: "{none: true}"
            case .confirm, .mediaCapture: "{value: true}"
            case .prompt: "{value: Zoe}"
            case .openPanel: "{value: [photo.png]}"
            case .authentication: "{value: {user: me, password: secret}}"
            }
        return "a step before it, - stub: {handler: window.\(kind.rawValue), reply: \(reply)}"
    }

    /// How one drives a browser, as the end of a sentence.
    var driving: String {
        switch self {
        case .flow: "such as --in chromium"
        case .swift: "such as withBridgedApp(driving: .chromium)"
        }
    }
}
