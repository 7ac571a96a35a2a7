import BridgeProtocol
import BridgeServer
import BridgeWebKit
import Foundation
import HeadlessUIKit

/// A real app as the control methods show it: its own view controllers, in the form of the emulated app's state.
@MainActor final class HostedApp: ControllableApp {
    private let server: BridgeServer

    init(_ server: BridgeServer) {
        self.server = server
        Transitions.shared.onWarning = { text in
            server.traffic.problem("uiKitWarning", text, hint: "UIKit would warn about it, or end the app.")
        }
    }

    // MARK: State

    var state: [JSONValue.Member] {
        let screen = ScreenState.current
        return [
            .init("framework", "the app's own"),
            .init("title", screen.front.flatMap(ScreenState.title).map { .string($0) } ?? .null),
            .init("visible", .string(screen.modal.isEmpty ? "main" : "modal")),
            .init("tabs", .array(screen.tabs)),
            .init("main", .array(screen.main.map(ScreenState.json))),
            .init("modal", .array(screen.modal.map(ScreenState.json))),
            .init("alerts", .array(screen.alerts.map(ScreenState.json))),
            .init("outbox", .array(UIApplication.shared.openedURLs.map { ["url": .string($0.absoluteString)] })),
            .init("isInBackground", .bool(UIApplication.shared.applicationState == .background)),
        ]
    }

    /// Its web views are `WKWebView`s.
    var isMainWebView: Bool { false }

    // MARK: Actions

    var actions: [Action] { UserAction.all.map(\.action) }

    @discardableResult
    func perform(_ name: String, _ arguments: Action.Arguments) throws -> ActionResult {
        guard let action = UserAction.all.first(where: { $0.action.name == name }) else {
            throw ActionError.unknownAction(name, among: actions.map(\.name))
        }
        try action.action.validate(arguments)
        try action.perform(arguments)
        let result = ActionResult()
        // The answer shows the state after the transition.
        result.begin()
        Task {
            await Transitions.shared.settled()
            result.end()
        }
        return result
    }

    func explain(_ url: String) throws -> any JSONWritable & Sendable {
        throw ActionRefusal("the app's own Swift decides about \(url), so that only a visit shows what it does.")
    }
}
