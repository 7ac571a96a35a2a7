import BridgeProtocol
public import PathConfiguration

/// A release of a framework, such as `ios@1.3`, and what the emulated app does as that release does it.
///
/// Most releases share one table of rules; see ``rule(_:_:modal:action:isHistorical:)``. Android has a navigator of its
/// own; see `AndroidNavigatorRule`.
public struct Framework: Sendable, Hashable {
    /// What a page's proposal that was redirected does first, because its screen never showed anything.
    enum RedirectPop: Sendable, Hashable {
        case never
        /// The visible stack's top screen is popped.
        case always
        /// The top screen is popped if the proposal is for the other stack. A modal is dismissed as a whole.
        case betweenStacks
    }

    /// The name for `--framework`: the framework, and its release after an `@`.
    public let name: String
    /// The system that the framework is for, which decides how the path configuration is read.
    public let platform: Platform
    let redirectPop: RedirectPop
    /// Whether the historical locations recede, resume and refresh are built in and dismiss a modal first.
    public let knowsHistoricalLocations: Bool
    /// Whether the new screen is pushed after a dismissal of the modal, whatever its action is.
    let pushesAfterModal: Bool
    /// Whether two URLs are the same place if path and query are equal. If false, the whole URLs must be equal.
    let comparesPathAndQuery: Bool
    /// Whether a native screen is the same place if its URL is. If false, its class decides.
    let comparesNativeScreensByURL: Bool
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
    /// Whether errors are those of `HotwireNativeError`. If false, they are those of `TurboError`.
    let hasHotwireNativeErrors: Bool
    /// The property that names a native screen.
    public let nativeScreenKey: String

    /// Reads properties as this release does.
    func interpret(_ properties: PathProperties) -> InterpretedProperties {
        guard !knowsDetails else { return properties.interpreted(as: platform) }
        let known = ["context", "presentation", nativeScreenKey]
        var read = PathProperties(properties.values.filter { known.contains($0.key) })
        read["view_controller"] = properties[nativeScreenKey] as JSONValue?
        return read.interpreted()
    }
}
