/// The functions that native code of an app may have called in its page. `web/bridge/observed-calls.js` observes no others.
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

    /// - Parameter function: such as `window.bridge.register`.
    func contains(_ function: String) -> Bool {
        guard function.hasPrefix("window.") else { return false }
        let path = function.dropFirst("window.".count)
        let hasOnlyNames = path.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { name in
            !name.isEmpty && name.allSatisfy { $0.isLetter || $0.isNumber || "_$".contains($0) }
        }
        return hasOnlyNames && paths.contains { path == $0 || path.hasPrefix("\($0).") }
    }
}
