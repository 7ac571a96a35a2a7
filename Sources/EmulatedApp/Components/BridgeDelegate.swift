import BridgeProtocol
import BridgeServer

/// The components of one screen; see hotwire-native-ios, `BridgeDelegate`.
///
/// It makes each component when it receives the first message to it, and drops messages that are not for this screen.
@MainActor public final class BridgeDelegate {
    /// The screen's URL.
    public let location: String
    public private(set) weak var destination: (any BridgeDestination)?
    /// The bridge of the web view that shows the screen or showed it last.
    public private(set) weak var bridge: Bridge?
    private let componentTypes: [BridgeComponent.Type]
    private var components: [String: BridgeComponent] = [:]
    private(set) var destinationIsActive = false

    /// - Parameter componentTypes: if several have the same name, the last one is used.
    public init(location: String, destination: any BridgeDestination, componentTypes: [BridgeComponent.Type]) {
        self.location = location
        self.destination = destination
        self.componentTypes = componentTypes
    }

    public var componentNames: [String] { Set(componentTypes.map { $0.name }).sorted() }

    /// The components made so far, in the order of their names.
    public var activeComponents: [BridgeComponent] {
        components.values.sorted { type(of: $0).name < type(of: $1).name }
    }

    public func component<C: BridgeComponent>() -> C? { activeComponents.lazy.compactMap { $0 as? C }.first }

    func component(named name: String) -> BridgeComponent? { components[name] }

    // MARK: The web view

    public func webViewDidBecomeActive(_ bridge: Bridge) {
        self.bridge = bridge
        bridge.delegate = self
    }

    public func webViewDidBecomeDeactivated() {
        if bridge?.delegate === self { bridge?.delegate = nil }
    }

    // MARK: The screen's life cycle

    public func onViewDidLoad() { activeComponents.forEach { $0.onViewDidLoad() } }

    public func onViewWillAppear() {
        destinationIsActive = true
        activeComponents.forEach { $0.onViewWillAppear() }
    }

    public func onViewDidAppear() { activeComponents.forEach { $0.onViewDidAppear() } }
    public func onViewWillDisappear() { activeComponents.forEach { $0.onViewWillDisappear() } }

    public func onViewDidDisappear() {
        activeComponents.forEach { $0.onViewDidDisappear() }
        destinationIsActive = false
    }

    // MARK: Messages

    func bridgeDidInitialize() { bridge?.register(components: componentNames) }

    func bridgeDidReceiveMessage(_ message: Message) -> Verdict {
        guard destinationIsActive else { return .inactiveDestination(location) }
        let location = bridge?.location ?? location
        guard message.metadata?.url == location else { return .urlMismatch(message.metadata?.url, location) }
        guard let component = makeComponent(message.component) else {
            return .unknownComponent(message.component, among: componentNames)
        }
        if let verdict = type(of: component).profile.refusal(of: message) { return verdict }
        if let memory = bridge?.memory, !memory.admit(message, to: component, of: self) {
            return .noRoomForComponents(memory.limit)
        }
        let report = DecodingReport()
        DecodingReport.$current.withValue(report) { component.didReceive(message) }
        return report.verdict ?? .handled
    }

    /// Drops a component to free its memory.
    func drop(_ component: BridgeComponent) {
        let name = type(of: component).name
        if components[name] === component { components[name] = nil }
    }

    private func makeComponent(_ name: String) -> BridgeComponent? {
        if let component = components[name] { return component }
        guard let destination, let type = componentTypes.last(where: { $0.name == name }) else { return nil }
        let component = type.init(destination: destination, delegate: self)
        components[name] = component
        return component
    }
}
