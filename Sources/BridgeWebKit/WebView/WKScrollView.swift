import Foundation
import HeadlessViews

/// A web view's scroll view. `contentOffset` scrolls the page. The other properties are stored and have no effect, because
/// the browser scrolls.
final class WKScrollView: UIScrollView {
    private weak var webView: WKWebView?

    /// The place to which native code has scrolled last. It does not follow what the user scrolls.
    override var contentOffset: CGPoint {
        didSet { webView?.evaluate("window.scrollTo(\(contentOffset.x), \(contentOffset.y))", in: nil) { _ in } }
    }

    init(_ webView: WKWebView) {
        self.webView = webView
        super.init(frame: webView.bounds)
        webView.limitations.report(
            "WKWebView.scrollView only scrolls (contentOffset); its other properties have no effect.",
            hint: "The browser shows and scrolls the page.")
    }

    required init?(coder: NSCoder) { nil }
}
