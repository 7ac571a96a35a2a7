public import BridgeProtocol

/// A component that tells tools what it shows and what its user can do.
///
/// Hotwire Native needs no such protocol, because its user sees the component.
@MainActor public protocol EmulatedComponent: BridgeComponent {
    /// Describes the component for tools and documents.
    static var profile: ComponentProfile { get }
    /// What the user sees of the component, as `app.state` reports it; nil if it shows nothing.
    var state: JSONValue? { get }
}

extension EmulatedComponent {
    public var state: JSONValue? { nil }
}

extension ComponentProfile {
    /// The profile of a component; an empty one if the component is not an ``EmulatedComponent``.
    @MainActor init(of type: BridgeComponent.Type) {
        self = (type as? any EmulatedComponent.Type)?.profile ?? ComponentProfile("A component of the app's own.")
    }
}
