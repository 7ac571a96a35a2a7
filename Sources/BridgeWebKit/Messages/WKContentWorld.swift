public import Foundation

/// A JavaScript world. Only `page`, the page's own, can be had in a browser: what asks for another fails and says so.
@preconcurrency @MainActor open class WKContentWorld: NSObject {
    public static let page = WKContentWorld(name: nil, isPage: true)
    public static let defaultClient = WKContentWorld(name: nil, isPage: false)
    private static var named: [String: WKContentWorld] = [:]

    /// The world of that name: the same object each time.
    open class func world(name: String) -> WKContentWorld {
        if let world = named[name] { return world }
        let world = WKContentWorld(name: name, isPage: false)
        named[name] = world
        return world
    }

    open var name: String? { worldName }
    let isPage: Bool
    private let worldName: String?

    private init(name: String?, isPage: Bool) {
        worldName = name
        self.isPage = isPage
    }

    /// Why a world can't be had, for errors and the log.
    var refusal: String {
        """
        The content world \(name.map { "'\($0)'" } ?? "defaultClient") can't be had: a script in a browser's page can't make a \
        world of its own. Use WKContentWorld.page.
        """
    }
}
