/// A typed message of the page: a struct with the message's fields, told apart by the body's `name`.
///
/// ```swift
/// struct ShowToast: ScriptMessage {
///     static let name = "ShowToast"
///     let text: String
/// }
/// ```
public protocol ScriptMessage: Decodable, Sendable {
    /// What the body's `name` says.
    static var name: String { get }
}

/// Asks for a bar button on the screen now visible; a tap goes to the path.
public struct ActionButton: ScriptMessage, Equatable {
    public static let name = "ActionButton"
    /// Resolved against the app's root URL.
    public let path: String
    /// The name of an SF Symbol.
    public let icon: String

    public init(path: String, icon: String) {
        self.path = path
        self.icon = icon
    }
}

/// Asks for the device's push token; the app answers with `window.bridge.register("<token>")`.
public struct RegisterPushToken: ScriptMessage, Equatable {
    public static let name = "RegisterPushToken"

    public init() {}
}
