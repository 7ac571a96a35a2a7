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
            .init("isLoading", .bool(isLoading)),
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
        // The user sees a page, and can go on.
        case .started where session.hasLostResponse: return .ended
        case .started
        where session.turbo.isReady || current.visit.kind != .coldBoot || !session.turbo.isLoaded:
            return .underWay
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

    /// Whether a visit goes on, in any web view.
    public var isLoading: Bool { tabs.allSessions.contains(where: \.isVisiting) }

    // MARK: Actions

    public var actions: [Action] { handlers.map(\.action) }

    @discardableResult
    public func perform(_ name: String, _ arguments: Action.Arguments = [:]) throws -> ActionResult {
        guard let handler = handlers.first(where: { $0.action.name == name }) else {
            throw ActionError.unknownAction(name, among: actions.map(\.name))
        }
        try handler.action.validate(arguments)
        let result = ActionResult()
        willAct?()
        try ActionResult.$current.withValue(result) { try handler.perform(self, nil, arguments) }
        onAction?(name, arguments)
        return result
    }

    private var handlers: [ActionHandler] { UserActions.handlers + componentHandlers }

    /// The actions on components of the visible screen. If two components have the same name, the later one is used.
    private var componentHandlers: [ActionHandler] {
        let types = Dictionary(configuration.components.map { ($0.name, $0) }) { _, later in later }
        return Set(configuration.componentNames + declaredComponents.names).sorted().flatMap { name in
            let declared = declaredComponents[name].map(DeclaredParts.actions) ?? []
            let type = declaredComponents.replaces(name) ? nil : types[name]
            let others = (type.map { ComponentProfile(of: $0) }?.actions ?? []).filter { other in
                !declared.contains { $0.action.name == other.action.name }
            }
            return (declared + others).map { $0.onVisibleComponent(name) }
        }
    }

    // MARK: Declared components

    /// Declares components. Each replaces one of its name. The app registers new ones in the pages that are open, and the
    /// user agent of later documents lists them.
    public func declare(_ components: [DeclaredComponent]) {
        registering { for component in components { declaredComponents.declare(component) } }
    }

    /// Answers single events in place of the app's own component, which the app gets if it lacks it.
    /// - Throws: an error if a name is almost that of another component or event: nobody would ask for it.
    public func stub(_ component: DeclaredComponent) throws(ActionRefusal) {
        let (name, declared) = (component.name, declaredComponents[component.name])
        try EmulatedApp.check(name, "component", among: configuration.componentNames + declaredComponents.names)
        let type = declaredComponents.replaces(name) ? nil : configuration.components.last { $0.name == name }
        let events = type.map { ComponentProfile(of: $0) }?.events.map(\.name) ?? []
        for event in component.events {
            try EmulatedApp.check(event.name, "event", among: events + (declared?.events ?? []).map(\.name))
        }
        registering { declaredComponents.stub(component) }
    }

    private static func check(_ name: String, _ kind: String, among names: [String]) throws(ActionRefusal) {
        guard !names.contains(name), let nearest = EditDistance.nearest(to: name, in: names) else { return }
        throw ActionRefusal(
            "there is no \(kind) \(quoted(name)). Did you mean \(quoted(nearest))? If not, declare it under components."
        )
    }

    public func declare(components json: JSON) throws {
        let components: [DeclaredComponent]
        do throws(DeclarationError) { components = try DeclaredComponent.all(in: JSONValue(json)) } catch {
            throw ActionRefusal("\(error)")
        }
        let others = declaredComponents.eventCount(without: Set(components.map(\.name)))
        try EmulatedApp.requireRoom(for: others + components.reduce(0) { $0 + $1.events.count })
        declare(components)
    }

    /// Tools may declare so many events.
    static let maximumDeclaredEvents = 256

    /// - Parameter events: how many events would be declared.
    private static func requireRoom(for events: Int) throws(ActionRefusal) {
        guard events > maximumDeclaredEvents else { return }
        throw ActionRefusal(
            "components have at most \(maximumDeclaredEvents) declared events. components.reset removes those of tools."
        )
    }

    public func resetComponents() { registering { declaredComponents.reset(to: configuration.declaredComponents) } }

    public func stub(component: String, event: String, response: JSON) throws {
        let declared: DeclaredComponent
        do throws(DeclarationError) { declared = try DeclaredComponent(component, [event: JSONValue(response)]) } catch
        {
            throw ActionRefusal("\(error.withinEvent)")
        }
        if declaredComponents[component]?[event] == nil {
            try EmulatedApp.requireRoom(for: declaredComponents.eventCount() + 1)
        }
        try stub(declared)
    }

    /// Changes what is declared, and tells web views of components that are new to the app.
    private func registering(_ change: () -> Void) {
        let former = declaredComponents.names
        change()
        let names = declaredComponents.names
        let new = names.filter { !(former + configuration.componentNames).contains($0) }
        let gone = former.filter { !(names + configuration.componentNames).contains($0) }
        guard !new.isEmpty || !gone.isEmpty else { return }
        for (_, views) in tabs.shownViews {
            for bridge in views.bridges.values where bridge.delegate != nil {
                if !new.isEmpty { bridge.register(components: new) }
                for name in gone { bridge.unregister(component: name) }
            }
        }
        for session in tabs.allSessions { nameComponents(in: session) }
    }

    /// Lets the user agent of a web view list all components, in the order of registration.
    func nameComponents(in session: Session) {
        let names = configuration.componentNames
        let others = declaredComponents.names.filter { !names.contains($0) }
        server.scope(for: session.webView.bridgedName)?.applicationNameForUserAgent =
            configuration.framework.userAgent(
                prefix: configuration.applicationUserAgentPrefix,
                components: names + configuration.binary.ownComponents + others)
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
