import BridgeProtocol

/// A form that the browser does not send, because a field in it is invalid. On a phone the user sees a bubble at the field;
/// without a screen only this tells why nothing came.
enum RefusedForm {
    /// The browser moves the focus to the first invalid field of the form that it refuses. Before that, no field is
    /// `:user-invalid` that nobody has changed.
    private static let script = """
        (() => {
          const field = document.activeElement
          if (!field?.form || field.form.noValidate || !field.matches(":user-invalid")) return null
          const name = field.id ? `#${field.id}` : `[name=${JSON.stringify(field.name)}]`
          return `${name} (${field.validationMessage})`
        })()
        """
    private static let timeout = Duration.seconds(1)

    /// - Returns: a sentence about the field; nil if the focus is in no invalid field, or the page does not answer.
    @MainActor static func explanation(in app: BridgedApp) async -> String? {
        guard let field = try? await app.evaluate(script, as: String?.self, within: timeout) else { return nil }
        return "the focus is in an invalid field, and a browser does not send its form: \(shortened(field, to: 300))"
    }
}

extension Flow.Action {
    /// Whether a step waits for what may follow from a form that was sent.
    var mayFollowFromForm: Bool {
        switch self {
        case .expectMessage, .expectRequests, .expectPage, .expectNative, .expectState, .waitUntil: true
        case .open, .evaluate, .expectNoMessage, .expectNoProblem, .stub, .stubComponent, .fault, .post, .act, .wait,
            .perform:
            false
        }
    }
}
