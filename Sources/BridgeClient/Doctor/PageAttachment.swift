import BridgeProtocol

/// How bridged reaches a page. What a fact about the page means, and what helps, depends on it.
enum PageAttachment: Equatable {
    /// The page loads `bridge.js` by its script tag.
    case tag
    /// bridged drives the browser, which needs nothing from the page.
    case driven(BrowserEngine)
    /// The page is in an app of its own, in which `bridge.js` only observes it.
    case device(DeviceInfo)

    /// - Parameter page: an element of `pages.list`.
    init(_ page: JSON) {
        if page["device"]?.bool == true {
            func text(_ key: String) -> String? { page[key]?.string }
            self = .device(DeviceInfo(model: text("model"), system: text("system"), framework: text("framework")))
            return
        }
        self = page["engine"]?.string.flatMap(BrowserEngine.init(rawValue:)).map { .driven($0) } ?? .tag
    }

    var isDriven: Bool { if case .driven = self { true } else { false } }

    /// What adds the app's scripts to the page.
    var source: String { isDriven ? "bridged" : "bridge.js" }
}
