import BridgeProtocol
import BridgeServer

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

    /// What can be done to the components of the screen that the user sees.
    var componentActions: [AppAction] {
        let types = Dictionary(configuration.components.map { ($0.name, $0) }) { _, later in later }
        return EmulatedApp.names(of: configuration.components).flatMap { name in
            (types[name]?.profile.actions ?? []).map { action in
                AppAction(
                    "\(name).\(action.name)", action.summary, required: action.required, optional: action.optional
                ) { [weak self] arguments in
                    guard let self else { return }
                    try action.perform(self, visibleWebScreen?.bridgeDelegate.component(named: name), arguments)
                }
            }
        }
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
