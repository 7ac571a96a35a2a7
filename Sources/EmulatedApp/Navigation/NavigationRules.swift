import BridgeProtocol
public import PathConfiguration

/// A rule set: the table of ``rule(_:_:modal:action:isHistorical:)``, and where one framework goes about it otherwise
/// than the other.
public struct NavigationRules: Sendable, Equatable {
    /// What `--rules` calls it.
    public let name: String
    /// A page's proposal that was redirected pops the screen it was on, before anything else.
    let popsOnRedirect: Bool
    /// Recede, resume and refresh routes are built in, and dismiss a modal first.
    public let knowsHistoricalLocations: Bool
    /// After a modal was dismissed for it, a screen is pushed whatever its action is.
    let pushesAfterModal: Bool
    /// Same place: path and query are equal. Otherwise the whole URL must be.
    let comparesPathAndQuery: Bool
    /// A session gets its order before the stacks change.
    let visitsFirst: Bool
    /// `refresh` and `clear_all` reload what the session visited last, and not the screen that comes to light.
    let reloadsLastVisited: Bool
    /// The host of every proposal is checked, not only that of a page's.
    let checksNativeHosts: Bool
    /// `animated`, `modal_style`, `modal_dismiss_gesture_enabled`, `query_string_presentation` and redirects to another
    /// origin are known.
    let knowsDetails: Bool
    /// The property that names a native screen.
    public private(set) var nativeScreenKey: String
    /// Whose properties are read.
    public private(set) var platform = Platform.ios

    /// hotwire-native-ios 1.3.
    public static let hotwireNative = NavigationRules(
        name: "hotwire-native", popsOnRedirect: true, knowsHistoricalLocations: true, pushesAfterModal: true,
        comparesPathAndQuery: true, visitsFirst: true, reloadsLastVisited: false, checksNativeHosts: true,
        knowsDetails: true, nativeScreenKey: "view_controller")

    /// TurboNavigator, as its README describes it: what turbo-ios apps used before Hotwire Native.
    public static let turboNavigator = NavigationRules(
        name: "turbo-navigator", popsOnRedirect: false, knowsHistoricalLocations: false, pushesAfterModal: false,
        comparesPathAndQuery: false, visitsFirst: false, reloadsLastVisited: true, checksNativeHosts: false,
        knowsDetails: false, nativeScreenKey: "view-controller")

    public static let all = [hotwireNative, turboNavigator]

    /// The same decisions over what a platform reads from properties.
    func reading(as platform: Platform) -> NavigationRules {
        var rules = self
        rules.platform = platform
        if platform == .android { rules.nativeScreenKey = "uri" }
        return rules
    }

    /// What these rules read from properties.
    func interpret(_ properties: PathProperties) -> InterpretedProperties {
        guard !knowsDetails else { return properties.interpreted(as: platform) }
        let known = ["context", "presentation", nativeScreenKey]
        var read = PathProperties(properties.values.filter { known.contains($0.key) })
        read["view_controller"] = properties[nativeScreenKey] as JSONValue?
        return read.interpreted()
    }
}
