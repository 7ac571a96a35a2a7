import BridgeProtocol

/// The bridge components of the app's web screens.
extension EmulatedApp {
    /// The names in the order of registration, each once.
    static func names(of components: [BridgeComponent.Type]) -> [String] {
        components.reduce(into: []) { names, component in
            if !names.contains(component.name) { names.append(component.name) }
        }
    }

    /// Attaches each web view of each tab to the screen that it shows now, and calls the life-cycle methods of the screens
    /// that appear and disappear.
    func updateDestinations() {
        for (tab, views) in shownViews {
            for stack in NavigationStack.allCases {
                guard let bridge = views.bridges[stack], let session = views.sessions[stack] else { continue }
                let shown = attachedScreen(of: session, stack, tab)?.bridgeDelegate
                guard bridge.delegate !== shown else { continue }
                bridge.delegate?.webViewDidBecomeDeactivated()
                if let view = bridge.webView { shown?.webViewDidBecomeActive(view) }
            }
        }
        let (former, appearing) = (appearedScreens, screensInSight)
        appearedScreens = appearing
        let gone = former.filter { screen in !appearing.contains { $0 === screen } }
        let new = appearing.filter { screen in !former.contains { $0 === screen } }
        // UIKit calls the methods in this order.
        gone.forEach { $0.bridgeDelegate.onViewWillDisappear() }
        new.forEach { $0.bridgeDelegate.onViewWillAppear() }
        gone.forEach { $0.bridgeDelegate.onViewDidDisappear() }
        new.forEach { $0.bridgeDelegate.onViewDidAppear() }
    }

    /// The screen that owns a web view. A session takes the web view from a screen that disappears; see
    /// `Session.swift`, `deactivateVisitable`.
    private func attachedScreen(of session: Session, _ stack: NavigationStack, _ tab: Int) -> WebScreen? {
        guard let state = navigators[tab]?.state, let shown = shownStack(of: session, stack, tab) else { return nil }
        if shown == .main, hidesMain(state) { return nil }
        return state[shown].last.flatMap { screens[$0.id] }
    }

    /// Whether the web view is attached to that screen.
    func ownsWebView(_ visitable: (any Visitable)?, of session: Session) -> Bool {
        shownViews.contains { tab, views in
            NavigationStack.allCases.contains { stack in
                guard views.sessions[stack] === session else { return false }
                let owner = attachedScreen(of: session, stack, tab)
                return owner != nil && owner === visitable
            }
        }
    }

    /// The web screens that have appeared: on iOS those of the selected tab. UIKit lets the screen beneath a sheet stay, and
    /// Android hides the views of the other tabs without stopping their fragments.
    private var screensInSight: [WebScreen] {
        let tabs = configuration.framework.platform == .android ? Array(navigators.indices) : [selectedTab]
        return tabs.flatMap { tab -> [WebScreen] in
            guard let state = navigators[tab]?.state else { return [] }
            let main = hidesMain(state) ? nil : state.main.last
            return [main, state.modal.last].compactMap { $0.flatMap { screens[$0.id] } }
        }
    }

    /// The web screen that the user sees; nil if the visible screen is native.
    var visibleWebScreen: WebScreen? { visibleScreen.flatMap { screens[$0.id] } }

    /// The actions on components of the visible screen. If two components have the same name, the later one is used.
    var componentActions: [ActionHandler] {
        let types = Dictionary(configuration.components.map { ($0.name, $0) }) { _, later in later }
        return EmulatedApp.names(of: configuration.components).sorted().flatMap { name in
            (types[name].map { ComponentProfile(of: $0) }?.actions ?? []).map { $0.onVisibleComponent(name) }
        }
    }

    /// The component of that type on the screen that the user sees.
    func visibleComponent<Component: BridgeComponent>(_ type: Component.Type) -> Component? {
        visibleWebScreen?.bridgeDelegate.component()
    }
}

extension WebScreen: BridgeDestination {
    /// The state of each component that has one, by the component's name.
    var componentStates: JSONValue {
        .object(
            bridgeDelegate.activeComponents.compactMap { component in
                (component as? any EmulatedComponent)?.state.map { .init(type(of: component).name, $0) }
            })
    }
}
