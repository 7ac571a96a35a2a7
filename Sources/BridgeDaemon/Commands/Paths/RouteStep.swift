import BridgeProtocol
import EmulatedApp
import Foundation

/// A STEP of `bridged route`.
struct RouteStep {
    /// The step as it was typed.
    let text: String
    let step: NavigationStep
    /// The location of a visit; nil for `back`, `dismiss` and `clear`.
    let url: URL?

    private static let namedSteps: [String: NavigationStep] = [
        "back": .back, "dismiss": .dismissModal, "clear": .clearAll,
    ]

    static func start(at url: URL) -> RouteStep { RouteStep(text: "start", step: .start, url: url) }

    private init(text: String, step: NavigationStep, url: URL?) {
        self.text = text
        self.step = step
        self.url = url
    }

    /// Reads a STEP, such as `/posts` or `back`.
    /// - Throws: `CommandFailure`.
    init(_ text: String, startingAt start: URL) throws {
        if let step = RouteStep.namedSteps[text] {
            self.init(text: text, step: step, url: nil)
            return
        }
        let action = [VisitAction.replace, .restore].first { text.hasPrefix("\($0.rawValue):") }
        let location = text.dropFirst(action.map { $0.rawValue.count + 1 } ?? 0)
        guard location.hasPrefix("/") || location.contains(":"),
            let url = URL(string: String(location), relativeTo: start)?.absoluteURL
        else {
            let nearest = EditDistance.nearest(to: text, in: RouteStep.namedSteps.keys.sorted())
            throw CommandFailure(
                "'\(text)' is not a step. "
                    + (nearest.map { "Did you mean \($0)?" }
                        ?? "Give a URL, a path that begins with /, replace:URL, restore:URL, back, dismiss or clear."),
                .usage)
        }
        self.init(text: text, step: .visit(url, action ?? .advance, redirected: false), url: url)
    }
}
