import BridgeProtocol
import Foundation

/// A web screen on a stack. A session visits its URL.
@MainActor final class WebScreen: Visitable {
    let id: Screen.ID
    let initialVisitableURL: URL
    var currentVisitableURL: URL
    var restorationIdentifier: String?
    /// Why the last visit failed. The screen shows it with a button to try again.
    var error: TurboError?
    /// The form of `error` in the app's release of the framework, for `app.state`.
    var errorState: JSONValue?
    private(set) weak var app: EmulatedApp?
    private(set) lazy var bridgeDelegate = makeBridgeDelegate()

    init(_ id: Screen.ID, _ url: URL, of app: EmulatedApp) {
        self.id = id
        initialVisitableURL = url
        currentVisitableURL = url
        self.app = app
    }

    private func makeBridgeDelegate() -> BridgeDelegate {
        let delegate = BridgeDelegate(
            location: initialVisitableURL.absoluteString, destination: self,
            componentTypes: app?.configuration.components ?? [],
            otherNames: app?.configuration.binary.ownComponents ?? [])
        delegate.declared = app?.declaredComponents
        if let framework = app?.configuration.framework { delegate.activity = framework.destinationActivity }
        return delegate
    }
}

extension WebScreen: BridgeDestination {
    /// The state of each component that has one, by the component's name.
    var componentStates: JSONValue {
        .object(
            bridgeDelegate.activeComponents.compactMap { component in
                let states = [(component as? any EmulatedComponent)?.state, component.declaredParts.state]
                let members = states.compactMap { $0?.members }
                return members.isEmpty ? nil : .init(component.componentName, .object(members.flatMap(\.self)))
            })
    }
}
