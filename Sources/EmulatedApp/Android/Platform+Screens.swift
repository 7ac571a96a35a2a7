import BridgeProtocol
import BridgeServer
import PathConfiguration

extension Platform {
    /// The part of the user agent that servers look for, with `Turbo Native`.
    var userAgent: String { "Hotwire Native \(name); Turbo Native \(name)" }

    /// Returns the name of the native screen for a URL: its `view_controller` on iOS, and the fragment in its `uri` on
    /// Android. There, `hotwire://fragment/web` and the paths below it are web screens.
    /// - Parameter key: the property that names the screen; see `NavigationRules.nativeScreenKey`.
    /// - Returns: nil for a web screen.
    func nativeScreen(of properties: PathProperties, key: String) -> String? {
        guard let text: String = properties[key] else { return nil }
        guard self == .android else { return text == "web" ? nil : text }
        let parts = text.split(separator: "/", omittingEmptySubsequences: true).dropFirst(2)
        return parts.first == "web" || parts.isEmpty ? nil : parts.joined(separator: "/")
    }
}

extension JavascriptInterface {
    /// The stand-in for `nativeApp` on Android, which has no message handlers: pages call
    /// `nativeApp.postMessage(JSON.stringify(message))`.
    @MainActor static func nativeApp(_ dispatcher: ScriptMessageDispatcher) -> JavascriptInterface {
        var object = JavascriptInterface()
        object.message("postMessage") { body, context in dispatcher.dispatch(body, context: context) }
        return object
    }
}
