import BridgeProtocol

/// A dialog that a page has opened with `alert`, `confirm` or `prompt`. The page's script waits for the answer.
///
/// A dialog that is released without an answer is dismissed, and so is one that waits for longer than
/// `Limits.replyTimeout`.
@MainActor public final class Dialog: CustomStringConvertible {
    public enum Kind: String, Sendable, CaseIterable { case alert, confirm, prompt }

    public nonisolated let kind: Kind
    public nonisolated let message: String
    /// The text that a prompt suggests; empty for other dialogs.
    public nonisolated let defaultText: String
    /// The document that opened the dialog.
    public let page: Page
    private let reply: Reply

    init(_ kind: Kind, _ arguments: ScriptValue, _ page: Page, _ reply: Reply) {
        self.kind = kind
        self.page = page
        self.reply = reply
        message = arguments.child(index: 0)?.string ?? ""
        defaultText = arguments.child(index: 1)?.string ?? ""
    }

    /// Closes the dialog. Only the first call has an effect.
    public func answer(_ answer: DialogAnswer) {
        switch kind {
        case .alert: reply.resolve(.undefined)
        case .confirm: reply.resolve(ScriptValue(.bool(answer.isAccepted)))
        case .prompt:
            let text = answer.text ?? defaultText
            reply.resolve(ScriptValue(answer.isAccepted ? .string(text) : .null))
        }
    }

    /// `a confirm: "Delete Zoe?"`
    public nonisolated var description: String { "\(kind == .alert ? "an" : "a") \(kind.rawValue): \"\(message)\"" }
}

/// What the user does with a dialog.
public struct DialogAnswer: Sendable, Equatable {
    /// "OK". A prompt gives its default text.
    public static let accept = DialogAnswer(isAccepted: true)
    /// "Cancel": `confirm` gives false, and `prompt` null.
    public static let dismiss = DialogAnswer(isAccepted: false)

    /// "OK", after the user has typed a text into a prompt.
    public static func accept(_ text: String) -> DialogAnswer { DialogAnswer(isAccepted: true, text: text) }

    public let isAccepted: Bool
    /// The text that the user has typed.
    public private(set) var text: String?
}
