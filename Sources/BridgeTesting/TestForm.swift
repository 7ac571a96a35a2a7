import BridgeServer

/// How a test is written. Each piece of advice in a failure is in that form.
enum TestForm {
    case flow, swift

    /// What answers a dialog.
    func answer(to kind: Dialog.Kind) -> String {
        switch self {
        case .flow: "a step before it, \(kind.stepThatAnswers)"
        case .swift: "app.onDialog { _ in .accept }"
        }
    }

    /// How one drives a browser, as the end of a sentence.
    var driving: String {
        switch self {
        case .flow: "such as --in chromium"
        case .swift: "such as withBridgedApp(driving: .chromium)"
        }
    }
}
