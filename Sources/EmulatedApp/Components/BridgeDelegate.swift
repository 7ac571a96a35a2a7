import BridgeProtocol
import BridgeServer
public import BridgeWebKit

/// The components of one screen; see hotwire-native-ios, `BridgeDelegate`.
///
/// It makes each component when it receives the first message to it, and drops messages that are not for this screen.
@MainActor public final class BridgeDelegate: BridgingDelegate {
    /// The screen's URL.
    public let location: String
    public weak var destination: (any BridgeDestination)?
    /// The bridge of the web view that shows the screen or showed it last.
    private(set) weak var bridge: Bridge?
    private let componentTypes: [BridgeComponent.Type]
    /// The names of components that the app has and `bridged` does not emulate.
    private let otherNames: [String]
    /// The components that the app has without Swift; nil for a delegate that other code makes.
    var declared: DeclaredComponents?
    private var components: [String: BridgeComponent] = [:]
    /// The condition under which this screen gets messages. The app sets it for its own screens. A delegate that other
    /// code makes may have no web view.
    var activity = Framework.DestinationActivity.untilItDisappears
    /// Whether the web view was attached to the screen, or it has appeared, since it disappeared the last time.
    private var isActivated = false

    /// - Parameters:
    ///   - componentTypes: if several have the same name, the last one is used.
    ///   - otherNames: components that the app has and `bridged` does not emulate. Messages to them are dropped.
    public init(
        location: String, destination: any BridgeDestination, componentTypes: [BridgeComponent.Type],
        otherNames: [String] = []
    ) {
        self.location = location
        self.destination = destination
        self.componentTypes = componentTypes
        self.otherNames = otherNames
    }

    public var componentNames: [String] {
        Set(componentTypes.map { $0.name } + otherNames + (declared?.names ?? [])).sorted()
    }

    /// The components made so far, in the order of their names.
    public var activeComponents: [BridgeComponent] {
        components.values.sorted { $0.componentName < $1.componentName }
    }

    public func component<C: BridgeComponent>() -> C? { activeComponents.lazy.compactMap { $0 as? C }.first }

    func component(named name: String) -> BridgeComponent? { components[name] }

    // MARK: The web view

    public var webView: WKWebView? { isShown ? bridge?.webView : nil }

    private var isShown: Bool { bridge?.delegate === self }

    public func webViewDidBecomeActive(_ webView: WKWebView) {
        guard let bridge = Bridge.bridge(of: webView) else { return }
        self.bridge = bridge
        bridge.delegate = self
        if activity == .untilItDisappears { isActivated = true }
    }

    public func webViewDidBecomeDeactivated() {
        if isShown { bridge?.delegate = nil }
        if activity == .untilItDisappears { isActivated = false }
    }

    private var destinationIsActive: Bool { activity == .whileAttached ? isShown : isActivated }

    @discardableResult
    public func reply(with message: Message) async throws -> Bool {
        try await withCheckedThrowingContinuation { continuation in
            send(message) { continuation.resume(with: $0) }
        }
    }

    /// Sends a reply at once.
    /// - Parameter completion: gets the result later; see `BridgeComponent.reply(with:)`.
    func send(_ message: Message, completion: @escaping @MainActor (Result<Bool, any Error>) -> Void) {
        guard let bridge, isShown else {
            bridge?.reportLostReply(
                message.component, message.event, "no web view shows its screen.", page: message.page)
            Task { completion(.success(false)) }
            return
        }
        bridge.reply(with: message, completion: completion)
    }

    // MARK: The screen's life cycle

    public func onViewDidLoad() { activeComponents.forEach { $0.viewDidLoad() } }

    public func onViewWillAppear() {
        isActivated = true
        activeComponents.forEach { $0.viewWillAppear() }
    }

    public func onViewDidAppear() { activeComponents.forEach { $0.viewDidAppear() } }
    public func onViewWillDisappear() { activeComponents.forEach { $0.viewWillDisappear() } }

    public func onViewDidDisappear() {
        activeComponents.forEach { $0.viewDidDisappear() }
        isActivated = false
    }

    // MARK: Messages

    public func bridgeDidInitialize() { bridge?.register(components: componentNames) }

    @discardableResult
    public func bridgeDidReceiveMessage(_ message: Message) -> Bool {
        let verdict = receive(message)
        return verdict.reason != .inactiveDestination && verdict.reason != .urlMismatch
    }

    /// Passes a message to its component.
    func receive(_ message: Message) -> Verdict {
        guard destinationIsActive else { return .inactiveDestination(location) }
        let location = bridge?.location ?? location
        guard message.metadata?.url == location else { return .urlMismatch(message.metadata?.url, location) }
        guard let component = makeComponent(message.component) else {
            if otherNames.contains(message.component) { return .componentNotEmulated(message.component) }
            return .unknownComponent(message.component, among: componentNames)
        }
        let isDeclared = declared?[message.component]?[message.event] != nil
        let isRecorded = declared?.isRecorded(message.event, of: message.component) == true
        if !isDeclared, !isRecorded, let verdict = profile(of: component).refusal(of: message) { return verdict }
        if let memory = bridge?.memory, !memory.admit(message, to: component, of: self) {
            return .noRoomForComponents(memory.limit)
        }
        if isRecorded { return play(message, in: component) }
        if let response = declared?.nextResponse(to: message.event, of: message.component) {
            bridge?.server.passInCassette(component: message.component, event: message.event, message.scriptValue)
            component.didReceive(message, respondingWith: response)
            return .handled
        }
        let report = DecodingReport()
        DecodingReport.$current.withValue(report) { component.didReceive(message: message) }
        return report.verdict ?? .handled
    }

    /// Lets the server's cassette answer in place of the component.
    private func play(_ message: Message, in component: BridgeComponent) -> Verdict {
        guard let bridge else { return .handled }
        switch bridge.server.play(component: message.component, event: message.event, message.scriptValue) {
        case .failure(let dropped): return dropped.verdict
        case .success(let answers):
            component.keep(message)
            for answer in answers { bridge.give(answer, to: message, in: component) }
            return .handled
        }
    }

    /// Drops a component to free its memory.
    func drop(_ component: BridgeComponent) {
        let name = component.componentName
        if components[name] === component { components[name] = nil }
    }

    private func profile(of component: BridgeComponent) -> ComponentProfile {
        let isDeclared = component is DeclaredBridgeComponent
        return (isDeclared ? declared?[component.componentName]?.profile : nil)
            ?? ComponentProfile(of: type(of: component))
    }

    private func makeComponent(_ name: String) -> BridgeComponent? {
        let type = componentTypes.last { $0.name == name }
        let hasSwift = type != nil && declared?.replaces(name) != true
        if let component = components[name], component is DeclaredBridgeComponent != hasSwift { return component }
        guard let destination else { return nil }
        let component: BridgeComponent
        if hasSwift, let type {
            component = type.init(destination: destination, delegate: self)
        } else if declared?[name] != nil || declared?.isRecorded(name) == true {
            component = DeclaredBridgeComponent(name, destination: destination, delegate: self)
        } else {
            return nil
        }
        components[name] = component
        destination.onBridgeComponentInitialized(component)
        return component
    }
}
