public import BridgeWebKit

/// A screen that has components; see hotwire-native-ios, `BridgeDestination`.
public protocol BridgeDestination: AnyObject {
    /// Tells the screen that it has a new component, before the component receives its first message.
    @MainActor func onBridgeComponentInitialized(_ component: BridgeComponent)
}

extension BridgeDestination {
    @MainActor public func onBridgeComponentInitialized(_ component: BridgeComponent) {}
}

/// The interface of a screen for its components; see hotwire-native-ios, `BridgingDelegate`. An app uses
/// ``BridgeDelegate``; a test of a component can give it another one.
@MainActor public protocol BridgingDelegate: AnyObject {
    /// The screen's URL.
    var location: String { get }
    var destination: (any BridgeDestination)? { get }
    /// The web view that shows the screen; nil if none does.
    var webView: WKWebView? { get }

    func webViewDidBecomeActive(_ webView: WKWebView)
    func webViewDidBecomeDeactivated()
    /// - Returns: false if no web view shows the screen.
    func reply(with message: Message) async throws -> Bool

    func onViewDidLoad()
    func onViewWillAppear()
    func onViewDidAppear()
    func onViewWillDisappear()
    func onViewDidDisappear()

    func component<C: BridgeComponent>() -> C?

    func bridgeDidInitialize()
    /// - Returns: false if the message is not for this screen.
    func bridgeDidReceiveMessage(_ message: Message) -> Bool
}
