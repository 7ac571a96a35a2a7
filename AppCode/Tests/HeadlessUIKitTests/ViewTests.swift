import HeadlessSwiftUI
import Testing

@testable import AppHost

/// A suite that shows views of SwiftUI, and reads and taps them as a user does.
@MainActor protocol ViewTests {}

extension ViewTests {
    /// Shows a view, runs `body`, and takes it away.
    func show<Content: View>(
        _ view: Content, _ body: @MainActor (UIHostingController<Content>) async throws -> Void
    ) async throws {
        let controller = UIHostingController(rootView: view)
        try await Screen.run(controller) { _ in try await body(controller) }
    }

    func texts(_ controller: UIViewController) async -> [String] {
        await Transitions.shared.settled()
        return ViewTree.texts(controller.view)
    }

    /// The texts of the screen in front, which may be a pushed or a presented one.
    func frontTexts() async -> [String] {
        await Transitions.shared.settled()
        return ScreenState.current.front.map { ViewTree.texts($0.view) } ?? []
    }

    func all<Kind: UIView>(_ kind: Kind.Type, in controller: UIViewController) -> [Kind] {
        ViewTree.all(controller.view).compactMap { $0 as? Kind }
    }

    func perform(_ action: String, _ params: [String: String] = [:]) async throws {
        let action = try #require(UserAction.all.first { $0.action.name == action })
        try action.perform(params)
        await Transitions.shared.settled()
    }

    func tap(_ text: String) async throws { try await perform("tap", ["text": text]) }

    /// The titles of the stack in front.
    var titles: [String?] { ScreenState.current.main.map(ScreenState.title) }
}
