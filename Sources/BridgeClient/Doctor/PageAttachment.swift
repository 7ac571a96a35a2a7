import BridgeProtocol

/// How bridged reaches a page. What a fact about the page means, and what helps, depends on it.
enum PageAttachment: Equatable {
    /// The page loads `bridge.js` by its script tag.
    case tag
    /// bridged drives the browser, which needs nothing from the page.
    case driven(BrowserEngine)

    /// - Parameter page: an element of `pages.list`.
    init(_ page: JSON) {
        self = page["engine"]?.string.flatMap(BrowserEngine.init(rawValue:)).map { .driven($0) } ?? .tag
    }

    var isDriven: Bool { self != .tag }

    /// What adds the app's scripts to the page.
    var source: String { isDriven ? "bridged" : "bridge.js" }
}
