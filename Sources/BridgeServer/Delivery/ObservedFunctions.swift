/// The functions that native code of an app may have called in its page. `web/bridge/observed-calls.js` and
/// `web/bridge/observed-interfaces.js` observe no others.
///
/// A page can claim any call, and a cassette repeats it in pages of the app. So a name must be one of these, and must not
/// hold script.
struct ObservedFunctions {
    private static let ofFrameworks = [
        "nativeBridge", "turboNative", "bridge", "webBridge", "Strada.web", "HotwireNative.web",
    ]
    private let paths: [String]

    /// - Parameter observed: the objects and functions that the configuration names.
    init(observed: [String]) { paths = ObservedFunctions.ofFrameworks + observed }

    /// - Parameter function: such as `window.bridge.register`, or `listener.onmessage` of a `WebMessageListener` of Android.
    func contains(_ function: String) -> Bool {
        let names = function.split(separator: ".", omittingEmptySubsequences: false)
        guard names.allSatisfy(ObservedFunctions.isName) else { return false }
        if names.count > 1, names.last == "onmessage" { return true }
        let path = function.dropFirst("window.".count)
        return names[0] == "window" && paths.contains { path == $0 || path.hasPrefix("\($0).") }
    }

    private static func isName(_ text: Substring) -> Bool {
        !text.isEmpty && text.allSatisfy { $0.isLetter || $0.isNumber || "_$".contains($0) }
    }
}
