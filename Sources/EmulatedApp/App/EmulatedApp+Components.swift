import BridgeProtocol

/// The bridge components of the app's web screens.
extension EmulatedApp {
    /// The names in the order of registration, each once.
    static func names(of components: [BridgeComponent.Type]) -> [String] {
        components.reduce(into: []) { names, component in
            if !names.contains(component.name) { names.append(component.name) }
        }
    }

    /// Connects each web view's bridge to the screen that the web view shows now, and calls the life-cycle methods of
    /// the screens that appear and disappear.
    func updateDestinations() {
        for stack in NavigationStack.allCases {
            guard let bridge = bridges[stack], let webView = sessions[stack]?.webView.bridgedName else { continue }
            let shown = topScreen(in: webView).flatMap { screens[$0.id] }?.bridgeDelegate
            guard bridge.delegate !== shown else { continue }
            bridge.delegate?.webViewDidBecomeDeactivated()
            if let view = bridge.webView { shown?.webViewDidBecomeActive(view) }
        }
        for bridge in hiddenBridges { bridge.delegate?.webViewDidBecomeDeactivated() }
        let visible = visibleScreen.flatMap { screens[$0.id] }
        guard visible !== visibleWebScreen else { return }
        let former = visibleWebScreen
        visibleWebScreen = visible
        // UIKit calls the methods in this order.
        former?.bridgeDelegate.onViewWillDisappear()
        visible?.bridgeDelegate.onViewWillAppear()
        former?.bridgeDelegate.onViewDidDisappear()
        visible?.bridgeDelegate.onViewDidAppear()
    }

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
