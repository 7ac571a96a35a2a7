public import Foundation

/// The stand-in for a web view's `UIScrollView`. `contentOffset` scrolls the page. The other properties are stored and have
/// no effect, because the browser scrolls.
@preconcurrency @MainActor open class WKScrollView: NSObject {
    public enum ContentInsetAdjustmentBehavior: Int, Sendable { case automatic, scrollableAxes, never, always }

    open var bounces = true
    open var alwaysBounceVertical = false
    open var alwaysBounceHorizontal = false
    open var isScrollEnabled = true
    open var isPagingEnabled = false
    open var scrollsToTop = true
    open var showsVerticalScrollIndicator = true
    open var showsHorizontalScrollIndicator = true
    open var minimumZoomScale: CGFloat = 1
    open var maximumZoomScale: CGFloat = 1
    open var zoomScale: CGFloat = 1
    open var contentInsetAdjustmentBehavior = ContentInsetAdjustmentBehavior.automatic
    open var contentSize = CGSize.zero
    /// The place to which native code has scrolled last. It does not follow what the user scrolls.
    open var contentOffset = CGPoint.zero {
        didSet { webView?.evaluate("window.scrollTo(\(contentOffset.x), \(contentOffset.y))", in: nil) { _ in } }
    }

    private weak var webView: WKWebView?

    init(_ webView: WKWebView) {
        self.webView = webView
        webView.limitations.report(
            "WKWebView.scrollView only scrolls (contentOffset); its other properties have no effect.",
            hint: "The browser shows and scrolls the page.")
    }

    open func setContentOffset(_ contentOffset: CGPoint, animated: Bool) { self.contentOffset = contentOffset }
}
