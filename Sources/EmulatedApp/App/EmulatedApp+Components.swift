import BridgeProtocol

/// Bridge components: each web screen has its own.
extension EmulatedApp {
    static func names(of components: [BridgeComponent.Type]) -> [String] { Set(components.map { $0.name }).sorted() }

    /// The screens that web views show have come to be others, or the one that the user sees has.
    func updateDestinations() {
        for (stack, bridge) in bridges {
            let shown = topScreen(in: stack.rawValue).flatMap { screens[$0.id] }?.bridgeDelegate
            guard bridge.delegate !== shown else { continue }
            bridge.delegate?.webViewDidBecomeDeactivated()
            shown?.webViewDidBecomeActive(bridge)
        }
        let visible = visibleScreen.flatMap { screens[$0.id] }
        guard visible !== visibleWebScreen else { return }
        let former = visibleWebScreen
        visibleWebScreen = visible
        // As UIKit orders them.
        former?.bridgeDelegate.onViewWillDisappear()
        visible?.bridgeDelegate.onViewWillAppear()
        former?.bridgeDelegate.onViewDidDisappear()
        visible?.bridgeDelegate.onViewDidAppear()
    }

    /// The actions on components of the visible screen. If two components have one name, the later one counts.
    var componentActions: [ActionHandler] {
        let types = Dictionary(configuration.components.map { ($0.name, $0) }) { _, later in later }
        return EmulatedApp.names(of: configuration.components).flatMap { name in
            (types[name]?.profile.actions ?? []).map { $0.onVisibleComponent(name) }
        }
    }

    /// The component of that type on the screen that the user sees.
    func visibleComponent<Component: BridgeComponent>(_ type: Component.Type) -> Component? {
        visibleWebScreen?.bridgeDelegate.component()
    }
}

extension WebScreen: BridgeDestination {
    /// What its components show, by their names.
    var componentStates: JSONValue {
        .object(
            bridgeDelegate.activeComponents.compactMap { component in
                component.state.map { .init(type(of: component).name, $0) }
            })
    }
}
