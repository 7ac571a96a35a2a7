import BridgeWebKit
import EmulatedApp

/// A delegate as an iOS app's tests have it, to test a component without a page.
final class BridgeDelegateSpy: BridgingDelegate {
    let location = ""
    let destination: BridgeDestination? = nil
    let webView: WKWebView? = nil
    private(set) var replies: [Message] = []

    func webViewDidBecomeActive(_ webView: WKWebView) {}
    func webViewDidBecomeDeactivated() {}

    func reply(with message: Message) async throws -> Bool {
        replies.append(message)
        return true
    }

    func onViewDidLoad() {}
    func onViewWillAppear() {}
    func onViewDidAppear() {}
    func onViewWillDisappear() {}
    func onViewDidDisappear() {}

    func component<C: BridgeComponent>() -> C? { nil }

    func bridgeDidInitialize() {}
    func bridgeDidReceiveMessage(_ message: Message) -> Bool { false }
}

final class AppDestination: BridgeDestination {
    private(set) var initialized: [String] = []

    func onBridgeComponentInitialized(_ component: BridgeComponent) {
        initialized.append(type(of: component).name)
    }
}
