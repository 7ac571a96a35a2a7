import Foundation
import TestSupport

/// A page with the small web library of Examples/TurboApp. It stores all answers in `answers`.
enum ComponentPage: String, CaseIterable, CustomStringConvertible {
    /// The two ways in which a library announces itself: @hotwired/hotwire-native-bridge and @hotwired/strada.
    case hotwire = "HotwireNative"
    case strada = "Strada"

    var description: String { rawValue }

    /// - Parameter script: the page's own script, which runs before or after its library is announced. It may call
    ///   `ask`.
    func html(bridge: String, _ script: String, body: String) throws -> String {
        let library = try String(
            contentsOf: Repository.file("Examples/TurboApp/components.js"), encoding: .utf8)
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
