public import Foundation

/// The pages that a web view has shown. In a page with the script tag, and in driven Firefox, it is an estimate, because
/// a page cannot read the URLs of its history.
@preconcurrency @MainActor open class WKBackForwardList: NSObject {
    private weak var webView: WKWebView?
    private var history: History { webView?.loader.history ?? History() }

    init(_ webView: WKWebView) { self.webView = webView }

    open var currentItem: WKBackForwardListItem? { history.current }
    open var backItem: WKBackForwardListItem? { history.item(-1) }
    open var forwardItem: WKBackForwardListItem? { history.item(1) }
    /// The items before the current one, oldest first.
    open var backList: [WKBackForwardListItem] { history.back }
    /// The items after the current one.
    open var forwardList: [WKBackForwardListItem] { history.forward }

    /// - Parameter index: 0 for the current item, -1 for the one before it.
    open func item(at index: Int) -> WKBackForwardListItem? { history.item(index) }
}

/// A page in a web view's history.
@preconcurrency @MainActor open class WKBackForwardListItem: NSObject {
    open private(set) var url: URL
    open var initialURL: URL { url }
    open internal(set) var title: String?

    init(_ url: URL) { self.url = url }
}
