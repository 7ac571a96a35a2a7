public import BridgeProtocol
public import Foundation

/// A dialog that a page has opened with `alert`, `confirm` or `prompt`; in a driven browser also the open panel of an
/// `<input type="file">`, the question whether the page may use the camera or know where the device is, or a server's
/// question for a password. The page's script waits for the answer to `alert`, `confirm` and `prompt`.
///
/// A dialog is dismissed if it is deallocated without an answer, or if it waits for longer than `Limits.replyTimeout`.
@MainActor public final class Dialog: CustomStringConvertible {
    public typealias Kind = DialogQuestion.Kind

    public nonisolated let kind: Kind
    public nonisolated let message: String
    /// The text that a prompt suggests; empty for other dialogs.
    public nonisolated let defaultText: String
    /// Whether the user may choose several files in an open panel.
    public nonisolated let allowsMultipleSelection: Bool
    /// The devices that a page wants to use for a media capture; empty for other dialogs.
    public nonisolated let devices: [CaptureDevice]
    /// The server that asks for a user name and a password; nil for other dialogs.
    public nonisolated let challenge: AuthenticationChallenge?
    /// The document that opened the dialog.
    public let page: Page
    private let reply: Reply

    init(_ kind: Kind, _ arguments: ScriptValue, _ page: Page, _ reply: Reply) {
        self.kind = kind
        self.page = page
        self.reply = reply
        message = arguments.child(index: 0)?.string ?? ""
        defaultText = arguments.child(index: 1)?.string ?? ""
        allowsMultipleSelection = arguments.child(index: 0)?.bool ?? false
        challenge = kind == .authentication ? AuthenticationChallenge(arguments.json) : nil
        devices =
            kind == .mediaCapture ? arguments.json.elements.compactMap(\.string).compactMap(CaptureDevice.init) : []
    }

    /// Closes the dialog. Only the first call has an effect.
    public func answer(_ answer: DialogAnswer) {
        switch kind {
        case .alert: reply.resolve(.undefined)
        case .confirm: reply.resolve(ScriptValue(.bool(answer.isAccepted)))
        case .prompt:
            let text = answer.text ?? defaultText
            reply.resolve(ScriptValue(answer.isAccepted ? .string(text) : .null))
        case .openPanel:
            let paths = answer.files.map { JSONValue.string($0.path) }
            reply.resolve(ScriptValue(answer.isAccepted ? .array(paths) : .null))
        case .mediaCapture, .geolocation:
            let isAllowed: JSONValue = answer.isLeftToUser ? .null : .bool(answer.isAccepted)
            reply.resolve(ScriptValue(kind == .geolocation ? answer.position?.json ?? isAllowed : isAllowed))
        case .authentication:
            let credentials = answer.credentials.map { user, password -> JSONValue in
                ["user": .string(user), "password": .string(password)]
            }
            reply.resolve(ScriptValue(credentials ?? .null))
        }
    }

    /// `a confirm: "Delete Zoe?"`
    public nonisolated var description: String {
        switch kind {
        case .alert: "an alert: \"\(message)\""
        case .confirm, .prompt: "a \(kind.rawValue): \"\(message)\""
        case .openPanel: "an open panel for \(allowsMultipleSelection ? "files" : "a file")"
        case .mediaCapture: "a question for the \(devices.map(\.rawValue).joined(separator: " and "))"
        case .geolocation: "a question for the place of the device"
        case .authentication:
            "a question for a user name and a password: \(challenge?.description ?? "of an unknown server")"
        }
    }
}

extension DialogQuestion.Kind {
    private static let prefix = "window."

    /// The name that such a dialog has in stubs and records: `window.confirm`.
    var handler: String { Self.prefix + rawValue }

    /// The kind with this name; nil for any other name.
    package init?(handler: String) {
        // Each message asks this, and `hasPrefix` compares by characters.
        guard handler.utf8.starts(with: Self.prefix.utf8) else { return nil }
        self.init(rawValue: String(handler.unicodeScalars.dropFirst(Self.prefix.unicodeScalars.count)))
    }

    /// Whether only browsers that bridged drives tell of such a dialog.
    package var needsDrivenBrowser: Bool { ![.alert, .confirm, .prompt].contains(self) }

    /// A value that answers such a dialog: text that is both JSON and YAML.
    private var exampleValue: String {
        switch self {
        case .alert: "null"
        case .confirm, .mediaCapture: "true"
        case .prompt: "\"Zoe\""
        case .openPanel: "[\"photo.png\"]"
        case .geolocation: "{\"latitude\": 52.52, \"longitude\": 13.405}"
        case .authentication: "{\"user\": \"me\", \"password\": \"secret\"}"
        }
    }

    /// The step of a flow that answers such a dialog.
    package var stepThatAnswers: String {
        "- stub: {handler: \(handler), reply: {value: \(exampleValue)}}"
    }

    /// How to answer such a dialog: on the command line, in a flow and in Swift.
    var advice: String {
        "Add a stub that answers it before it comes: bridged stub \(handler) --reply '\(exampleValue)'; "
            + "in a flow, \(stepThatAnswers). In Swift, app.onDialog in a test, or a WKUIDelegate."
    }
}

/// What the user does with a dialog.
public struct DialogAnswer: Sendable, Equatable {
    /// "OK". A prompt gives its default text.
    public static let accept = DialogAnswer(isAccepted: true)
    /// "Cancel": `confirm` gives false, and `prompt` null.
    public static let dismiss = DialogAnswer(isAccepted: false)

    /// "OK", after the user has typed a text into a prompt.
    public static func accept(_ text: String) -> DialogAnswer { DialogAnswer(isAccepted: true, text: text) }

    /// The user has chosen these files in an open panel. They must exist.
    public static func files(_ files: [URL]) -> DialogAnswer {
        var answer = DialogAnswer(isAccepted: true)
        answer.files = files
        return answer
    }

    /// The user has allowed the page to know where the device is: here. With ``accept``, it is in Berlin.
    public static func position(_ position: DevicePosition) -> DialogAnswer {
        var answer = DialogAnswer(isAccepted: true)
        answer.position = position
        return answer
    }

    /// The browser asks its user whether a page may use the camera, or know where the device is. Other dialogs are dismissed.
    public static let prompt: DialogAnswer = {
        var answer = DialogAnswer(isAccepted: false)
        answer.isLeftToUser = true
        return answer
    }()

    /// The user name and the password for a server that asks for them.
    public static func credentials(user: String, password: String) -> DialogAnswer {
        var answer = DialogAnswer(isAccepted: true)
        (answer.user, answer.password) = (user, password)
        return answer
    }

    public let isAccepted: Bool
    /// Whether the browser asks its user.
    public private(set) var isLeftToUser = false
    /// The text that the user has typed.
    public private(set) var text: String?
    /// The files that the user has chosen.
    public private(set) var files: [URL] = []
    /// Where the device is.
    public private(set) var position: DevicePosition?
    /// The user name and the password that the user has typed.
    public private(set) var user: String?
    public private(set) var password: String?

    fileprivate var credentials: (user: String, password: String)? {
        guard let user, let password else { return nil }
        return (user, password)
    }
}
