public import BridgeProtocol
public import BridgeServer

/// The app's state as `app.state` shows it.
extension EmulatedApp: ControllableApp {
    public var state: [JSONValue.Member] {
        let names = Set(server.pages.filter(\.frame.isMainFrame).map(\.webView)).sorted()
        return [
            .init("framework", .string(configuration.framework.name)),
            .init("pushToken", .string(pushToken)),
            .init("pushDenied", .bool(pushTokens.isDenied)),
            .init("webViews", .object(names.map { .init($0, state(of: $0)) })),
            .init("title", visibleScreen?.title.map { .string($0) } ?? .null),
            .init("isLoading", .bool(allSessions.contains(where: \.isVisiting))),
            .init("visible", .string(navigation.visibleStack.rawValue)),
            .init("tabs", .array(configuration.tabs.indices.map(state(ofTab:)))),
            .init("isTabBarVisible", .bool(isTabBarVisible)),
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
        guard let session = allSessions.first(where: { $0.webView.bridgedName == webView }),
            let current = session.current
        else { return .none }
        switch current.visit.state {
        case .started where session.isTurboReady || current.visit.kind != .coldBoot: return .underWay
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
        for session in allSessions { await session.reportReasonNow() }
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

    func state(of screen: Screen) -> JSONValue {
        let native: JSONValue = if case .native(let name) = screen.kind { .string(name) } else { .null }
        return [
            "url": .string(screen.url.absoluteString), "title": screen.title.map { .string($0) } ?? .null,
            "native": native, "barButtons": .array(screen.barButtons.map(\.json)),
            "error": screens[screen.id]?.errorState ?? .null,
            "components": screens[screen.id]?.componentStates ?? .null,
        ]
    }
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
