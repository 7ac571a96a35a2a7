import BridgeProtocol
public import PathConfiguration

/// A release of a framework, such as `ios@1.3`, with the behaviour in which releases differ.
///
/// The releases differ in the values of these members; see `Framework+Releases.swift`. The rules for the stacks are in
/// ``rule(_:_:modal:isHistorical:)``, and those of Android in `AndroidNavigatorRule`.
public struct Framework: Sendable, Hashable {
    /// What the navigator does first if a page's proposal was redirected: the screen of that visit has never shown
    /// anything.
    enum RedirectPop: Sendable, Hashable {
        case never
        /// The visible stack's top screen is popped.
        case always
        /// The top screen is popped if the proposal is for the other stack. A modal is dismissed as a whole.
        case betweenStacks
    }

    /// The navigator that moves the stacks.
    enum NavigatorKind: Sendable, Hashable {
        /// `NavigationHierarchyController` of hotwire-native-ios, and TurboNavigator before it.
        case hierarchyController
        /// `Navigator` of hotwire-native-android.
        case android
        /// `TurboNavigationController` of turbo-ios' demo app. turbo-ios itself has no navigator.
        case turboDemo
    }

    /// Which URLs are the same place.
    enum SamePlace: Sendable, Hashable {
        case samePathAndQuery, sameURL
        /// Each proposal is for a new place.
        case never
    }

    /// What happens to a link that Turbo does not handle.
    enum LinkPolicy: Sendable, Hashable {
        /// The handlers of the web view's policy decide. Most links are routed as visits.
        case handlers
        /// It leaves the app: an http or https link opens in the in-app browser.
        case leaves
        /// It leaves the app: a file of the app's own host to the in-app browser, and everything else to the system.
        case leavesAsInDemo
    }

    /// The condition under which a screen gets its page's messages to bridge components, besides being the one that the
    /// web view is attached to.
    enum DestinationActivity: Sendable, Hashable {
        /// While the web view is attached to the screen: also in a tab that is not selected, and beneath a sheet.
        case whileAttached
        /// From the time at which the web view is attached to the screen, or the screen appears, until the screen
        /// disappears. A tab that loads before its first selection is active, and one that was selected before is not.
        case untilItDisappears
        /// From the time at which the screen appears until it disappears. On Android, the screens of all tabs appear.
        case whileVisible
    }

    /// The library of bridge components that the app has.
    enum ComponentLibrary: Sendable, Hashable { case hotwireNative, strada, none }

    /// The name for `--framework`: the framework, and its release after an `@`.
    public internal(set) var name = "ios@1.3-beta"
    /// The system that the framework is for, which decides how the path configuration is read.
    public internal(set) var platform = Platform.ios
    var navigator = NavigatorKind.hierarchyController
    var redirectPop = RedirectPop.always
    /// Whether the historical locations recede, resume and refresh are built in and dismiss a modal first.
    public internal(set) var knowsHistoricalLocations = true
    /// Whether the new screen is pushed after a dismissal of the modal, whatever its action is.
    var pushesAfterModal = true
    var samePlace = SamePlace.samePathAndQuery
    /// Whether a native screen is the same place if its URL is. If false, its class decides.
    var comparesNativeScreensByURL = false
    /// Whether a session starts its visit before the stacks change.
    var visitsFirst = true
    /// Whether `refresh` and `clear_all` load the page again (`Session.reload`), and the URL that the session visited last
    /// if they reveal no web screen. If false, Turbo visits the revealed web screen.
    var reloadsLastVisited = false
    /// The action of that visit.
    var refreshAction = VisitAction.replace
    /// Whether the host is checked for every proposal. If false, it is checked only for those of pages.
    var checksNativeHosts = true
    /// The properties of the path configuration that are read.
    var vocabulary = PathVocabulary.hotwireNative
    var links = LinkPolicy.handlers
    /// What a session does after Turbo's own request has failed.
    var fetchRecovery = FetchRecovery.redirectsAndRetry
    /// How long the adapter waits for Turbo before it says that the page has none; see upstream's `TURBO_LOAD_TIMEOUT`.
    var turboLoadTimeout = Duration.seconds(30)
    /// Whether a cold boot that is redirected to another host is cancelled, and its target proposed.
    var cancelsRedirectedColdBoots = true
    /// Whether main's snapshots are cleared as soon as a form in the modal has ended. If false, they are cleared when
    /// main appears again.
    var clearsSnapshotsAtOnce = false
    /// Whether a visit's response says that it was redirected. If false, `VisitResponse` has no such member.
    var passesRedirected = true
    /// Whether errors are those of `HotwireNativeError`. If false, they are those of `TurboError`.
    var hasHotwireNativeErrors = false
    var components = ComponentLibrary.hotwireNative
    var destinationActivity = DestinationActivity.untilItDisappears
    /// The text of a URL that patterns are matched against.
    var pathSubject = PathSubject.encoded

    /// The property that names a native screen.
    public var nativeScreenKey: String { platform == .android ? "uri" : vocabulary.nativeScreenKey }

    /// Whether a screen at a new place is pushed. If not, it replaces the one on top.
    func pushes(_ action: VisitAction) -> Bool { navigator == .turboDemo ? action != .replace : action == .advance }

    /// Reads properties as this release does.
    public func interpret(_ properties: PathProperties) -> InterpretedProperties {
        properties.interpreted(as: platform, vocabulary)
    }
}
