public import Foundation

/// A scope of execution in which scripts are isolated from each other. A browser that bridged drives has all of them. A
/// page with the script tag has only `page`, and calls with another world fail there.
@preconcurrency @MainActor open class WKContentWorld: NSObject {
    public static let page = WKContentWorld(name: nil, key: nil)
    public static let defaultClient = WKContentWorld(name: nil, key: "defaultClient")
    private static var named: [String: WKContentWorld] = [:]

    /// Returns the world with that name, which is the same object each time.
    open class func world(name: String) -> WKContentWorld {
        if let world = named[name] { return world }
        let world = WKContentWorld(name: name, key: name)
        named[name] = world
        return world
    }

    open var name: String? { worldName }
    /// The name between daemon and driver; nil for the page's own world.
    let key: String?
    var isPage: Bool { key == nil }
    private let worldName: String?

    private init(name: String?, key: String?) {
        worldName = name
        self.key = key
    }

    /// Returns the world that a driver names.
    static func of(key: String?) -> WKContentWorld {
        guard let key else { return page }
        return key == defaultClient.key && named[key] == nil ? defaultClient : world(name: key)
    }

    /// The reason why the world is unavailable, for errors and the log.
    var refusal: String {
        """
        The content world \(name.map { "'\($0)'" } ?? "defaultClient") is unavailable: a script in a browser's page cannot make \
        a world of its own. Use WKContentWorld.page. A browser that bridged drives (bridged open) has content worlds.
        """
    }
}
