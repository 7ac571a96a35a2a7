import BridgeProtocol
import BridgeServer
import BridgeWebKit
import Foundation
import HeadlessUIKit

/// A real app as the control methods show it: its own view controllers, in the form of the emulated app's state.
@MainActor final class HostedApp: ControllableApp {
    private let server: BridgeServer
    /// Called when everything that the app has asked for is on screen.
    var onSettled: (() -> Void)?
    /// The stacks of the latest record `navigation`.
    private var stacks: [[String]] = [[], []]
    /// The page in each web view whose Turbo has shown it, by the web view's name.
    private var visited: [String: String] = [:]

    init(_ server: BridgeServer) {
        self.server = server
        server.traffic.observe { [weak self] record in self?.noteVisit(record) }
        observeMissingCode()
        Transitions.shared.onSettled = { [weak self] in
            self?.recordNavigation()
            self?.onSettled?()
        }
        Transitions.shared.onWarning = { text in
            server.traffic.problem(
                ProblemCode("uiKitWarning", page: "notes/uikit.md"), text,
                hint: "UIKit would warn about it, or end the app.")
        }
    }

    /// Makes a problem of each place that the app comes to and that was cut out of it.
    private func observeMissingCode() {
        MissingCode.shared.observe { [weak self] use in
            DispatchQueue.main.async {
                MainActor.assumeIsolated {
                    self?.server.traffic.problem(
                        ProblemCode("missingOnLinux", page: "run.md#what-it-builds"), use.description,
                        hint: "The build names every such place; --strict makes them errors.")
                }
            }
        }
    }

    /// The adapters of the frameworks post `pageLoaded` when Turbo has shown a page that the web view has loaded.
    private func noteVisit(_ record: TrafficRecord) {
        guard case .message("turbo", _, let body, _, _) = record.event, let webView = record.webView,
            body["name"]?.string == "pageLoaded"
        else { return }
        visited[webView] = record.page
    }

    func visit(in webView: String) -> AppVisit {
        guard let page = server.mainPage(of: webView) else { return .none }
        return visited[webView] == page.id ? .ended : .mayWaitForTurbo
    }

    /// Records the stacks if they have changed, as the emulated app does.
    private func recordNavigation() {
        let screen = ScreenState.current
        let now = [screen.main, screen.modal].map { $0.map(ScreenName.name) }
        guard now != stacks else { return }
        stacks = now
        let fields = zip(["main", "modal"], now).map { key, names in
            JSONValue.Member(key, .array(names.map { .string($0) }))
        }
        server.traffic.app(
            "navigation", fields, page: ScreenState.current.frontWebView.flatMap { server.mainPage(of: $0.bridgedName) }
        )
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
            .init("alerts", .array(screen.alerts.map(ScreenState.json) + recognition)),
            .init("notifications", .array(notifications)),
            .init("outbox", .array(UIApplication.shared.openedURLs.map { ["url": .string($0.absoluteString)] })),
            .init("haptics", .array(Haptics.shared.played.map { .string($0) })),
            .init("reviewRequests", .number(Double(AppStore.reviewRequests))),
            .init("isInBackground", .bool(UIApplication.shared.applicationState == .background)),
        ]
    }

    /// The system's question for the user's face or finger, which is over all else.
    private var recognition: [JSONValue] {
        guard let question = UserRecognition.shared.question else { return [] }
        return [
            [
                "title": .string(UserRecognition.shared.type == .touchID ? "Touch ID" : "Face ID"),
                "message": .string(question.reason), "style": "alert",
                "buttons": .array(question.buttons.map { .string($0) }),
            ]
        ]
    }

    private var notifications: [JSONValue] {
        UNUserNotificationCenter.current().deliveredNotifications.map { notification in
            let content = notification.request.content
            return ["title": .string(content.title), "body": .string(content.body)]
        }
    }

    /// Its web views are `WKWebView`s.
    var isMainWebView: Bool { false }
    var visibleWebView: String? { ScreenState.current.frontWebView?.bridgedName }

    func isLoading(_ webView: String) -> Bool {
        guard let view = ScreenState.current.frontWebView, view.bridgedName == webView else { return false }
        return view.isLoading || view.url == nil
    }

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
