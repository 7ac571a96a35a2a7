import BridgeProtocol
import BridgeServer
import Foundation
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

/// The releases that can be emulated. `docs/navigation.md` shows where they differ.
extension Framework {
    /// hotwire-native-ios 1.2.
    public static let ios12 = ios13Beta.changed("ios@1.2") {
        $0.redirectPop = .never
        $0.refreshAction = .restore
        $0.turboLoadTimeout = .seconds(4)
        $0.pathSubject = .decoded
        $0.fetchRecovery = .redirects
        $0.passesRedirected = false
    }

    /// hotwire-native-ios 1.3.0-beta: its redirects and errors, with the rules of the main branch up to 38631e2, which
    /// the recorded cases come from.
    public static let ios13Beta = Framework()

    /// hotwire-native-ios 1.3, as released, with its pull requests 231, 248, 251, 253 and 261. The last of them is from
    /// August 2026 and thus in 1.3.1 at the earliest; see docs/notes/upstream.md.
    public static let ios13 = ios13Beta.changed("ios@1.3") {
        $0.redirectPop = .betweenStacks
        $0.comparesNativeScreensByURL = true
        $0.hasHotwireNativeErrors = true
        $0.destinationActivity = .whileAttached
    }

    /// The main branch of hotwire-native-ios. No difference from the release is known.
    public static let iosMain = ios13.changed("ios@main") { _ in }

    /// hotwire-native-android 1.3.
    public static let android13 = ios13Beta.changed("android@1.3") {
        $0.platform = .android
        $0.navigator = .android
        $0.turboLoadTimeout = .seconds(4)
        $0.redirectPop = .never
        $0.comparesNativeScreensByURL = true
        $0.visitsFirst = false
        $0.fetchRecovery = .redirects
        $0.passesRedirected = false
        $0.cancelsRedirectedColdBoots = false
        $0.destinationActivity = .whileVisible
    }

    /// TurboNavigator 0.3, which apps with turbo-ios used before Hotwire Native.
    public static let turboNavigator = ios13Beta.changed("turbo-navigator") {
        $0.redirectPop = .never
        $0.knowsHistoricalLocations = false
        $0.turboLoadTimeout = .seconds(4)
        $0.pushesAfterModal = false
        $0.samePlace = .sameURL
        $0.visitsFirst = false
        $0.reloadsLastVisited = true
        $0.checksNativeHosts = false
        $0.vocabulary = .turboNavigator
        $0.links = .leaves
        $0.fetchRecovery = .none
        $0.cancelsRedirectedColdBoots = false
        $0.clearsSnapshotsAtOnce = true
        $0.passesRedirected = false
        $0.components = .strada
        $0.destinationActivity = .whileVisible
        $0.pathSubject = .decoded
    }

    /// turbo-ios 7.1 with the navigator of its demo app.
    public static let turboIOS71 = turboNavigator.changed("turbo-ios@7.1") {
        $0.navigator = .turboDemo
        $0.vocabulary = .turboDemo
        $0.samePlace = .never
        $0.links = .leavesAsInDemo
        $0.components = .none
    }

    /// turbo-ios 7.1 with the components of strada-ios 1.0, as in its demo app.
    public static let stradaIOS10 = turboIOS71.changed("strada-ios@1.0") { $0.components = .strada }

    /// Every release, the older before the newer.
    public static let all = [ios12, ios13Beta, ios13, iosMain, android13, turboNavigator, turboIOS71, stradaIOS10]

    /// The framework of a new app.
    public static let `default` = ios13

    /// Finds a release by its name. `ios`, `android`, `turbo-ios` and `strada-ios` alone stand for the newest release.
    public init?(named name: String) {
        let newest = [
            "ios": Framework.ios13, "android": .android13, "turbo-ios": .turboIOS71, "strada-ios": .stradaIOS10,
        ]
        guard let found = newest[name] ?? Framework.all.first(where: { $0.name == name }) else { return nil }
        self = found
    }

    /// The names of all releases as a text for people.
    public static var names: String { all.map(\.name).joined(separator: ", ") }

    private func changed(_ name: String, _ change: (inout Framework) -> Void) -> Framework {
        var framework = self
        framework.name = name
        change(&framework)
        return framework
    }
}

extension Framework {
    /// The part of the user agent that the framework adds, as its `UserAgent.swift` or `HotwireConfig.kt` does.
    /// - Parameters:
    ///   - prefix: what the app puts before it.
    ///   - components: the names of the bridge components in the order in which the app registers them.
    func userAgent(prefix: String? = nil, components: [String]) -> String {
        (prefix.map { "\($0) " } ?? "") + userAgentPart(components)
    }

    private func userAgentPart(_ components: [String]) -> String {
        let list = "bridge-components: [\(components.joined(separator: " "))]"
        switch self.components {
        case .none: return "Turbo Native \(platform.name)"
        case .strada: return "Turbo Native \(platform.name) \(list)"
        case .hotwireNative: break
        }
        let end = platform == .android ? ";" : ""
        return "Hotwire Native \(platform.name); Turbo Native \(platform.name); \(list)\(end)"
    }

    /// How this release reads a path configuration.
    public func pathOptions(matchQueryStrings: Bool = true) -> PathConfigurationDocument.Options {
        .init(
            platform: platform, matchQueryStrings: matchQueryStrings,
            includesHistoricalLocations: knowsHistoricalLocations, subject: pathSubject,
            vocabulary: vocabulary)
    }

    /// Returns the browser or app that opens a link which Turbo does not handle; nil if the app routes it.
    func destination(ofLink url: URL, startLocation: URL?) -> ExternalBrowser? {
        switch links {
        case .handlers: nil
        case .leaves: ExternalBrowser(for: url)
        case .leavesAsInDemo: url.host == startLocation?.host && !url.pathExtension.isEmpty ? .browser : .system
        }
    }

    /// Returns the name of the native screen for a URL: its `view_controller` on iOS, and the fragment in its `uri` on
    /// Android. There, `hotwire://fragment/web` and the paths below it are web screens.
    /// - Returns: nil for a web screen.
    public func nativeScreen(of properties: PathProperties) -> String? {
        guard let text: String = properties[nativeScreenKey] else { return nil }
        guard platform == .android else { return text == "web" ? nil : text }
        let parts = text.split(separator: "/", omittingEmptySubsequences: true).dropFirst(2)
        return parts.first == "web" || parts.isEmpty ? nil : parts.joined(separator: "/")
    }
}

extension JavascriptInterface {
    /// The stand-in for `nativeApp` on Android, which has no message handlers: pages call
    /// `nativeApp.postMessage(JSON.stringify(message))`.
    @MainActor static func nativeApp(_ dispatcher: ScriptMessageDispatcher) -> JavascriptInterface {
        var object = JavascriptInterface()
        object.message("postMessage") { body, context in dispatcher.dispatch(body, context: context) }
        return object
    }
}
