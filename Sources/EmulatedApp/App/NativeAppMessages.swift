public import BridgeProtocol
import BridgeServer

/// The error for a page's message with a path that cannot be resolved.
struct UnresolvablePath: Error, CustomStringConvertible {
    let path: String
    let base: String

    var description: String {
        "'\(path)' cannot be resolved against '\(base)'. Give the app's address with \(setting("root-url", "rootURL"))."
    }
}

/// A page's request for a bar button on its screen. A tap on the button visits the path.
public struct ActionButton: ScriptMessage, Equatable {
    public static let name = "ActionButton"
    /// The path to visit, resolved against the app's root URL.
    public let path: String
    /// The name of an SF Symbol.
    public let icon: String

    public init(path: String, icon: String) {
        self.path = path
        self.icon = icon
    }
}

/// A page's request for the device's push token. The app calls `window.bridge.register("<token>")` with it.
public struct RegisterPushToken: ScriptMessage, Equatable {
    public static let name = "RegisterPushToken"

    public init() {}
}
