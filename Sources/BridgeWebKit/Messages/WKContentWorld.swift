public import Foundation

/// A scope of execution in which scripts are isolated from each other. A browser has only `page`; calls with another
/// world fail.
@preconcurrency @MainActor open class WKContentWorld: NSObject {
    public static let page = WKContentWorld(name: nil, isPage: true)
    public static let defaultClient = WKContentWorld(name: nil, isPage: false)
    private static var named: [String: WKContentWorld] = [:]

    /// Returns the world with that name, which is the same object each time.
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

    /// The reason why the world is unavailable, for errors and the log.
    var refusal: String {
        """
        The content world \(name.map { "'\($0)'" } ?? "defaultClient") is unavailable: a script in a browser's page cannot make \
        a world of its own. Use WKContentWorld.page.
        """
    }
}
