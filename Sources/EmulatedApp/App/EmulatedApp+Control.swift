public import BridgeProtocol
public import BridgeServer
import Foundation
import PathConfiguration

/// What the control channel asks of the app: `app.state`, `app.perform`, and explanations.
extension EmulatedApp: ControllableApp {
    public var state: [JSONValue.Member] {
        let names = Set(server.pages.filter(\.frame.isMainFrame).map(\.webView)).sorted()
        return [
            .init("framework", .string(configuration.framework.name)),
            .init("pushToken", .string(pushToken)),
            .init("pushDenied", .bool(pushNotifications.isDenied)),
            .init("webViews", .object(names.map { .init($0, state(of: $0)) })),
            .init("title", visibleScreen?.title.map { .string($0) } ?? .null),
            .init("isLoading", .bool(tabs.allSessions.contains(where: \.isVisiting))),
            .init("visible", .string(navigation.visibleStack.rawValue)),
            .init("tabs", .array(configuration.tabs.indices.map(state(ofTab:)))),
            .init("isTabBarVisible", .bool(tabs.isBarVisible)),
            .init("main", .array(navigation.main.map(state))),
            .init("modal", .array(navigation.modal.map(state))),
            .init("alerts", .array(alerts.map(\.json))),
            .init("outbox", .array(outbox.map(\.json))),
            .init("signIn", signIn?.json ?? .null),
            .init("authentication", server.passwords.missing?.json ?? .null),
            .init("accessToken", accessToken.map { .string($0) } ?? .null),
            .init("isInBackground", .bool(isInBackground)),
        ]
    }

    /// The names of the members of `app.state`.
    public nonisolated static let stateNames = [
        "framework", "pushToken", "pushDenied", "webViews", "title", "isLoading", "visible", "tabs",
        "isTabBarVisible", "main", "modal", "alerts", "outbox", "signIn", "authentication",
        "accessToken", "isInBackground",
    ]

    public func visit(in webView: String) -> AppVisit {
        guard let session = tabs.session(in: webView),
            let current = session.current
        else { return .none }
        switch current.visit.state {
        case .started where session.turbo.isReady || current.visit.kind != .coldBoot: return .underWay
        // In WebKit and on Android the adapter finds Turbo only after the load event, and some frameworks report it
        // only when Turbo shows the page.
        case .started: return .mayWaitForTurbo
        case .failed:
            let error = (current.visitable as? WebScreen)?.error
            // The server's page is there, and the app shows its own error in place of it.
            if case .http = error { return .ended }
            return .failed(error?.description ?? "the app does not say why")
        default: return .ended
        }
    }

    public func findProblems() async {
        for session in tabs.allSessions { await session.turbo.reportReasonNow() }
    }

    private func state(of webView: String) -> JSONValue {
        let page = page(of: webView)
        return [
            "page": page.map { .string($0.id) } ?? .null,
            "url": page.map { .string($0.frame.url) } ?? .null,
            "title": page.map { .string($0.title) } ?? .null,
            "actionButton": actionButtons[webView]?.json ?? .null,
        ]
    }

    private func state(ofTab index: Int) -> JSONValue {
        let tab = configuration.tabs[index]
        let navigation = tabs.navigators[index]?.state ?? NavigationState()
        return [
            "title": .string(tab.title), "url": .string(tabs.url(of: tab).absoluteString),
            "selected": .bool(index == tabs.selected), "isVisible": .bool(tabs.isVisible(tab)),
            "main": .array(navigation.main.map(state)), "modal": .array(navigation.modal.map(state)),
        ]
    }

    private func state(of screen: Screen) -> JSONValue {
        let native: JSONValue = if case .native(let name) = screen.kind { .string(name) } else { .null }
        return [
            "url": .string(screen.url.absoluteString), "title": screen.title.map { .string($0) } ?? .null,
            "native": native, "barButtons": .array(screen.barButtons.map(\.json)),
            "error": screens[screen.id]?.errorState ?? .null,
            "components": screens[screen.id]?.componentStates ?? .null,
        ]
    }

    // MARK: Actions

    public var actions: [Action] { handlers.map(\.action) }

    @discardableResult
    public func perform(_ name: String, _ arguments: Action.Arguments = [:]) throws -> ActionResult {
        guard let handler = handlers.first(where: { $0.action.name == name }) else {
            throw ActionError.unknownAction(name, among: actions.map(\.name))
        }
        try handler.action.validate(arguments)
        let result = ActionResult()
        try ActionResult.$current.withValue(result) { try handler.perform(self, nil, arguments) }
        onAction?(name, arguments)
        return result
    }

    private var handlers: [ActionHandler] { UserActions.handlers + componentHandlers }

    /// The actions on components of the visible screen. If two components have the same name, the later one is used.
    private var componentHandlers: [ActionHandler] {
        let types = Dictionary(configuration.components.map { ($0.name, $0) }) { _, later in later }
        return configuration.componentNames.sorted().flatMap { name in
            (types[name].map { ComponentProfile(of: $0) }?.actions ?? []).map { $0.onVisibleComponent(name) }
        }
    }

    // MARK: Explanations

    public func explain(_ text: String) throws -> any JSONWritable & Sendable {
        let framework = configuration.framework
        return PathExplanation(
            try url(text), in: configuration.pathConfiguration.document,
            meanings: { NavigationMeaning.all(of: $0, framework: framework) })
    }

    public func explainVisits(to text: String?, last: Int) throws -> any JSONWritable & Sendable {
        ExplainedVisits(visits: visits.explanations(to: try text.map(url), last: max(0, last)))
    }

    private func url(_ text: String) throws -> URL {
        guard !text.isEmpty, let url = URL(string: text, relativeTo: baseURL)?.absoluteURL else {
            throw ActionRefusal("'\(text)' is not a URL. Give one like /posts/1.")
        }
        return url
    }
}

/// The answer of `visits.explain`.
private struct ExplainedVisits: JSONObject, Sendable {
    let visits: [VisitExplanation]

    var members: JSONMembers { ["visits": visits] }
}

extension EmulatedApp.BarButton {
    fileprivate var json: JSONValue { ["url": .string(url), "icon": .string(icon)] }
}

extension EmulatedApp.Alert {
    fileprivate var json: JSONValue {
        ["url": .string(url.absoluteString), "title": .string(title), "over": .string(stack.rawValue)]
    }
}

extension EmulatedApp.ExternalURL {
    fileprivate var json: JSONValue { ["url": .string(url.absoluteString), "via": .string(browser.rawValue)] }
}

extension SignIn {
    fileprivate var json: JSONValue { ["url": .string(url), "error": error.map { .string($0) } ?? .null] }
}
