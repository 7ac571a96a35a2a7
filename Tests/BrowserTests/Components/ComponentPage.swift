import Foundation

/// A page with the small web library of Examples/TurboApp, which keeps all answers in `answers`.
enum ComponentPage: String, CaseIterable, CustomStringConvertible {
    /// As @hotwired/hotwire-native-bridge offers itself, and as @hotwired/strada.
    case hotwire = "HotwireNative"
    case strada = "Strada"

    var description: String { rawValue }

    /// - Parameter script: the page's own, before its library is announced, or behind that. It may `ask`.
    func html(bridge: String, _ script: String, body: String) throws -> String {
        let library = try String(
            contentsOf: WebApp.root.appending(path: "Examples/TurboApp/components.js"), encoding: .utf8)
        return """
            <!DOCTYPE html><html><head><title>Components</title><script src="\(bridge)"></script></head><body>\(body)<script>
            \(library)
            const { library, send, announce } = window.components
            const answers = []
            const ask = (component, event, data) => send(component, event, data, (message) => answers.push(message))
            \(self == .hotwire ? script : "")
            announce("\(rawValue)")
            \(self == .strada ? script : "")
            </script></body></html>
            """
    }
}
