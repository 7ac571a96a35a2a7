import WebKit

/// A screen with the shop's page, as in an iOS app: it remembers orders, and answers the page's questions.
@MainActor public final class OrderViewController: NSObject {
    public let webView: WKWebView
    public private(set) var orders: [Order] = []
    public private(set) var finishedLoads = 0
    /// Answers the page's `confirm`.
    public var confirms: (String) -> Bool = { _ in true }
    private let handler = OrderHandler()
    private let stockHandler = StockHandler()

    /// - Parameter configure: changes the configuration before the web view is made.
    public init(stock: [String: Int], _ configure: (WKWebViewConfiguration) -> Void = { _ in }) {
        let configuration = WKWebViewConfiguration()
        configuration.applicationNameForUserAgent = "PhoneApp/1.0"
        configuration.userContentController.add(handler, name: "orders")
        configuration.userContentController.addScriptMessageHandler(
            stockHandler, contentWorld: .page, name: "stock")
        configuration.userContentController.addUserScript(
            WKUserScript(
                source: "window.phoneApp = { version: '1.0' }", injectionTime: .atDocumentStart,
                forMainFrameOnly: true))
        configure(configuration)
        webView = WKWebView(frame: .zero, configuration: configuration)
        super.init()
        stockHandler.stock = stock
        handler.delegate = self
        webView.navigationDelegate = self
        webView.uiDelegate = self
    }

    public func show(_ url: URL) {
        webView.load(URLRequest(url: url))
    }

    /// Makes the page show a number on its badge.
    public func showBadge() {
        webView.evaluateJavaScript("window.showBadge(\(orders.count))") { _, error in
            if let error { print("The page has no badge: \(error.localizedDescription)") }
        }
    }

    /// Asks the page for the items in its basket.
    public func basket() async throws -> [String] {
        let result = try await webView.callAsyncJavaScript(
            "return await basket(limit)", arguments: ["limit": 10], contentWorld: .page)
        return result as? [String] ?? []
    }
}

// MARK: - Messages

/// An order, as the page posts it.
public struct Order: Equatable, Sendable {
    public let item: String
    public let count: Int
    public let due: Date
    public let note: String?

    init?(_ body: Any) {
        guard let body = body as? [String: Any], let item = body["item"] as? String,
            let count = body["count"] as? Int, let due = body["due"] as? Date
        else { return nil }
        self.item = item
        self.count = count
        self.due = due
        note = body["note"] as? String
    }
}

@MainActor protocol OrderHandlerDelegate: AnyObject {
    func received(_ order: Order)
}

/// Receives orders. The content controller retains its handlers, so the delegate is weak.
private final class OrderHandler: NSObject, WKScriptMessageHandler {
    weak var delegate: (any OrderHandlerDelegate)?

    func userContentController(
        _ userContentController: WKUserContentController, didReceive message: WKScriptMessage
    ) {
        guard let order = Order(message.body) else {
            print("The page posted \(message.body), which is no order")
            return
        }
        delegate?.received(order)
    }
}

/// Answers how much there is of an item.
private final class StockHandler: NSObject, WKScriptMessageHandlerWithReply {
    var stock: [String: Int] = [:]

    func userContentController(
        _ userContentController: WKUserContentController, didReceive message: WKScriptMessage
    ) async -> (Any?, String?) {
        guard let item = message.body as? String else { return (nil, "Ask for an item by its name.") }
        guard let count = stock[item] else { return (nil, "The shop has no \(item).") }
        return (["item": item, "count": count], nil)
    }
}

extension OrderViewController: OrderHandlerDelegate {
    func received(_ order: Order) {
        orders.append(order)
        showBadge()
    }
}

// MARK: - Navigation and dialogs

extension OrderViewController: WKNavigationDelegate {
    public func webView(
        _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction,
        decisionHandler: @escaping @MainActor @Sendable (WKNavigationActionPolicy) -> Void
    ) {
        // Links to other apps are not for this web view.
        let scheme = navigationAction.request.url?.scheme ?? ""
        decisionHandler(["http", "https", "about"].contains(scheme) ? .allow : .cancel)
    }

    public func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!) {
        finishedLoads += 1
    }

    public func webView(_ webView: WKWebView, didFail navigation: WKNavigation!, withError error: any Error) {
        print("The page did not load: \(error.localizedDescription)")
    }
}

extension OrderViewController: WKUIDelegate {
    public func webView(
        _ webView: WKWebView, runJavaScriptConfirmPanelWithMessage message: String,
        initiatedByFrame frame: WKFrameInfo, completionHandler: @escaping @MainActor @Sendable (Bool) -> Void
    ) {
        completionHandler(confirms(message))
    }
}

// MARK: - Settings

extension OrderViewController {
    /// Forgets the orders and removes the handlers, when the user signs out.
    public func signOut() {
        orders = []
        let controller = webView.configuration.userContentController
        controller.removeScriptMessageHandler(forName: "orders")
        controller.removeAllUserScripts()
        webView.stopLoading()
    }
}
