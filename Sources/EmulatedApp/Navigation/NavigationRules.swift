import BridgeProtocol
public import PathConfiguration

/// A rule set: the table of ``rule(_:_:modal:action:isHistorical:)``, and the differences between frameworks.
public struct NavigationRules: Sendable, Equatable {
    /// The name for `--rules`.
    public let name: String
    /// Whether a page's proposal that was redirected first pops the page's screen.
    let popsOnRedirect: Bool
    /// Whether the historical locations recede, resume and refresh are built in and dismiss a modal first.
    public let knowsHistoricalLocations: Bool
    /// Whether the new screen is pushed after a dismissal of the modal, whatever its action is.
    let pushesAfterModal: Bool
    /// Whether two URLs are the same place if path and query are equal. If false, the whole URLs must be equal.
    let comparesPathAndQuery: Bool
    /// Whether a session starts its visit before the stacks change.
    let visitsFirst: Bool
    /// Whether `refresh` and `clear_all` load the URL that the session visited last if they reveal no web screen. If
    /// false, they load nothing then.
    let reloadsLastVisited: Bool
    /// Whether the host is checked for every proposal. If false, it is checked only for those of pages.
    let checksNativeHosts: Bool
    /// Whether the rules use `animated`, `modal_style`, `modal_dismiss_gesture_enabled` and
    /// `query_string_presentation`, and handle redirects to another origin.
    let knowsDetails: Bool
    /// The property that names a native screen.
    public private(set) var nativeScreenKey: String
    /// The platform whose properties are read.
    public private(set) var platform = Platform.ios

    /// The rules of hotwire-native-ios 1.3.
    public static let hotwireNative = NavigationRules(
        name: "hotwire-native", popsOnRedirect: true, knowsHistoricalLocations: true, pushesAfterModal: true,
        comparesPathAndQuery: true, visitsFirst: true, reloadsLastVisited: false, checksNativeHosts: true,
        knowsDetails: true, nativeScreenKey: "view_controller")

    /// The rules of TurboNavigator as its README describes them. turbo-ios apps used it before Hotwire Native.
    public static let turboNavigator = NavigationRules(
        name: "turbo-navigator", popsOnRedirect: false, knowsHistoricalLocations: false, pushesAfterModal: false,
        comparesPathAndQuery: false, visitsFirst: false, reloadsLastVisited: true, checksNativeHosts: false,
        knowsDetails: false, nativeScreenKey: "view-controller")

    public static let all = [hotwireNative, turboNavigator]

    /// Returns the same rules for the properties that a platform reads.
    func reading(as platform: Platform) -> NavigationRules {
        var rules = self
        rules.platform = platform
        if platform == .android { rules.nativeScreenKey = "uri" }
        return rules
    }

    /// Reads properties as these rules do.
    func interpret(_ properties: PathProperties) -> InterpretedProperties {
        guard !knowsDetails else { return properties.interpreted(as: platform) }
        let known = ["context", "presentation", nativeScreenKey]
        var read = PathProperties(properties.values.filter { known.contains($0.key) })
        read["view_controller"] = properties[nativeScreenKey] as JSONValue?
        return read.interpreted()
    }
}
