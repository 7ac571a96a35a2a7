import BridgeProtocol
import BridgeServer
import BridgeWebKit
import Foundation
import PathConfiguration

/// The app's tabs, which work like those of `HotwireTabBarController`: each has a navigator of its own. An app without tabs
/// has one navigator.
///
/// With `lazyLoadTabs` a tab visits its URL when it is first tapped. In a driven browser each tab has its own web views,
/// for which the app asks the browser when it needs them. Otherwise all tabs share two web views, and load lazily; the
/// selected tab uses them. On the main actor.
@MainActor final class Tabs {
    /// The index of the selected tab.
    private(set) var selected = 0
    /// The navigator of each tab, nil until its first tap.
    private(set) var navigators: [Navigator?]
    /// The web views of the tabs with which the app has not started, by the tab's index. Only a driven browser has some.
    private(set) var otherViews: [Int: TabViews] = [:]
    /// Connects the web views that a tab has got with the app.
    var connect: ((TabViews) -> Void)?

    private let server: BridgeServer
    private let configuration: EmulatedApp.Configuration
    private let dataStore = WKWebsiteDataStore.nonPersistent()
    /// The web views of the tab with which the app has started. They have the names of the stacks.
    private let startViews: TabViews
    /// The index of the tab with which the app has started.
    private var start = 0
    /// The tab on which the app works while a session of it reports something; nil for the selected one.
    private var working: Int?
    /// The session that shows the presented modal of each tab. It is the session `modal` if the browser is driven, or a page
    /// was attached to the web view `modal` when the modal's first visit began, and otherwise the session `main`.
    private var modalSessions: [Int: Session] = [:]
    /// The web views whose windows a driven browser is opening.
    private var openingWebViews: Set<String> = []
    /// The web views in which a page has attached.
    private var openedWebViews: Set<String> = []

    /// - Throws: `MissingWebFile` if web/turbo.js or web/components.js is not beside the executable.
    init(_ server: BridgeServer, _ configuration: EmulatedApp.Configuration) throws {
        (self.server, self.configuration) = (server, configuration)
        navigators = Array(repeating: nil, count: max(1, configuration.tabs.count))
        startViews = try TabViews(server, dataStore, configuration)
    }

    // MARK: The tab on which the app works

    /// The selected tab, except while a session of another tab reports something.
    private var current: Int { working ?? selected }

    /// The navigator of this tab; nil until the tab has started.
    var navigator: Navigator? {
        get { navigators[current] }
        set { navigators[current] = newValue }
    }

    var navigation: NavigationState { navigator?.state ?? NavigationState() }

    /// The web views of this tab. Without a browser that is driven, all tabs share those of the first one.
    var views: TabViews { current == start ? startViews : otherViews[current] ?? startViews }
    var sessions: [NavigationStack: Session] { views.sessions }

    /// The session that shows the modal; nil if no modal is presented.
    var modalSession: Session? { modalSessions[current] }

    /// The session that shows a stack's screens.
    func session(of stack: NavigationStack) -> Session? {
        stack == .modal ? modalSession ?? sessions[.main] : sessions[.main]
    }

    /// Works on the tab of a session, which the user may not see.
    func work<Result>(for session: Session, _ body: () throws -> Result) rethrows -> Result {
        let tab = shownViews.first { $0.views.sessions.values.contains { $0 === session } }?.tab
        return try work(on: tab ?? selected, body)
    }

    func work<Result>(on tab: Int, _ body: () throws -> Result) rethrows -> Result {
        let former = working
        working = tab
        defer { working = former }
        return try body()
    }

    /// Chooses the session for a modal that is about to be presented, unless one shows it already.
    func beginModal() { if modalSession == nil { modalSessions[current] = sessionForModal() } }

    func endModal() {
        // If both stacks share a session, Turbo itself caches the snapshot when main's screen takes over.
        if modalSession !== sessions[.main] { modalSession?.visitableDidDisappear() }
        modalSessions[current] = nil
    }

    /// Returns the session `modal`, unless the browser has only one window, or the app is one for Android.
    private func sessionForModal() -> Session? {
        // Android has one session for all destinations of a navigator, those of modals included.
        guard configuration.framework.platform == .ios, let modal = sessions[.modal] else { return sessions[.main] }
        return hasWindow(modal) || openWebView(of: modal) ? modal : sessions[.main]
    }

    // MARK: All tabs

    /// The tabs that have web views now. Those that share the first one's have them while they are selected.
    var shownViews: [(tab: Int, views: TabViews)] {
        let others = otherViews.filter { $0.key != start }
        let first = others[selected] == nil ? selected : start
        return [(first, startViews)] + others.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    var allSessions: [Session] {
        let views = [startViews] + otherViews.sorted { $0.key < $1.key }.map(\.value)
        return views.flatMap { views in NavigationStack.allCases.compactMap { views.sessions[$0] } }
    }

    func session(in webView: String) -> Session? { allSessions.first { $0.webView.bridgedName == webView } }

    /// The number of screens that were made. All tabs share one count, so that the ids of screens are unique.
    var screensMade: Int { navigators.compactMap { $0?.state.screensMade }.max() ?? 0 }

    /// The ids of the screens on all stacks.
    var screenIDs: Set<Screen.ID> { Set(navigators.flatMap { $0?.state.ids ?? [] }) }

    /// Changes a screen of any tab, because its visit may end after the user has tapped another tab.
    func updateScreen(_ id: Screen.ID, _ change: (inout Screen) -> Void) {
        for index in navigators.indices { navigators[index]?.updateScreen(id, change) }
    }

    /// The stack whose top screen a session of a tab shows: main's session shows the modal if that has no web view, and
    /// the session `modal` shows nothing in that case.
    func shownStack(of session: Session, _ stack: NavigationStack, _ tab: Int) -> NavigationStack? {
        guard navigators[tab]?.state.isModalPresented == true else { return stack }
        let showsModal = modalSessions[tab].map { $0 === session } ?? (stack == .main)
        return showsModal ? .modal : stack == .main ? .main : nil
    }

    /// The top screen of the stack that a web view of any tab shows; nil for a web view that the app does not use.
    func topScreen(in webView: String) -> Screen? {
        for (tab, views) in shownViews {
            for stack in NavigationStack.allCases {
                guard let session = views.sessions[stack], session.webView.bridgedName == webView else { continue }
                return shownStack(of: session, stack, tab).flatMap { navigators[tab]?.state[$0].last }
            }
        }
        return nil
    }

    // MARK: Starting and selecting

    /// The URL that the app's paths are resolved against.
    var baseURL: URL? {
        configuration.rootURL
            ?? navigator.map(\.startLocation).flatMap { server.isOfApp($0.absoluteString) ? $0 : nil }
    }

    func url(of tab: EmulatedApp.Tab) -> URL {
        URL(string: tab.url.relativeString, relativeTo: baseURL)?.absoluteURL ?? tab.url
    }

    /// Starts the tab that begins at that URL, or the first one.
    func start(at url: URL) {
        selected = configuration.tabs.firstIndex { $0.url.path == url.path && $0.url.query() == url.query() } ?? 0
        start = selected
        navigator = configuration.makeNavigator(startLocation: url)
    }

    func select(_ index: Int) {
        prepare(index)
        selected = index
    }

    /// Makes the navigator of a tab, and its web views if the browser is driven, unless it has them.
    func prepare(_ index: Int) {
        if navigators[index] == nil {
            navigators[index] = configuration.makeNavigator(startLocation: url(of: configuration.tabs[index]))
        }
        guard index != start, drivenPage != nil else { return }
        if otherViews[index] == nil {
            guard let views = try? TabViews(server, dataStore, configuration, tab: index + 1) else { return }
            connect?(views)
            otherViews[index] = views
        }
        guard let main = otherViews[index]?.sessions[.main], !hasWindow(main) else { return }
        _ = openWebView(of: main)
    }

    /// Discards what the tabs lose when the app ends.
    func reset() {
        for session in allSessions { session.invalidate() }
        navigators = navigators.map { _ in nil }
        modalSessions = [:]
    }

    // MARK: The tab bar

    /// Whether the user sees the tab bar.
    ///
    /// A modal covers it on iOS, and hides it on Android (`HotwireBottomNavigationController`, `updateVisibility`). Above a
    /// stack's first screen UIKit hides it if `HotwireNavigationController` says so. Android's keyboard hides it, too, which
    /// is not emulated: neither page nor stacks depend on it, and a user closes the keyboard to tap a tab.
    var isBarVisible: Bool {
        guard !configuration.tabs.isEmpty, !navigation.isModalPresented else { return false }
        guard let hiding = configuration.tabBarHiding, hiding.platform == configuration.framework.platform else {
            return true
        }
        return hiding == .whenPushed && navigation.main.count < 2
    }

    /// Whether the tab bar shows a tab; see hotwire-native-android, `HotwireBottomNavigationController`, `loadMenu`.
    func isVisible(_ tab: EmulatedApp.Tab) -> Bool {
        configuration.framework.platform == .ios || !configuration.hiddenTabs.contains(tab.title)
    }

    /// How many tabs an app can have: an iPhone shows five items, and so does Material's `BottomNavigationView`.
    private static let maximumCount = 5

    /// Reports more tabs than the frameworks can have. The emulated app shows them nevertheless.
    func reportExcess() {
        let count = configuration.tabs.count
        guard count > Tabs.maximumCount else { return }
        let consequence =
            configuration.framework.platform == .ios
            ? """
            an iPhone shows four of them and the item More, and a tab behind it does not work in HotwireTabBarController, \
            whose stacks cannot lie in that of More (hotwire-native-ios 186).
            """
            : "a BottomNavigationView takes five, and ends the app at the next one with an IllegalArgumentException."
        server.traffic.problem(
            .tooManyTabs, "The app has \(count) tabs: \(consequence)",
            hint: "Give the app at most five tabs, and let a page in one of them lead to the others.")
    }

    // MARK: Windows of a driven browser

    /// A page whose driver can open windows.
    var drivenPage: Page? { allSessions.lazy.compactMap { self.page(of: $0) }.first { $0.isDriven } }

    private func page(of session: Session) -> Page? { server.mainPage(of: session.webView.bridgedName) }

    /// Whether a window shows the web view of a session. While a load goes on, one document has left and the next one has
    /// not attached.
    private func hasWindow(_ session: Session) -> Bool {
        page(of: session) != nil || session.isVisiting && openedWebViews.contains(session.webView.bridgedName)
    }

    /// Asks the browser to open a window for a session. Loads wait until its empty document attaches.
    /// - Returns: false if no browser is driven.
    private func openWebView(of session: Session) -> Bool {
        guard let page = drivenPage else { return false }
        let name = session.webView.bridgedName
        // Only one window is opened for each web view: a second one would replace the first, together with the page
        // that loads there.
        guard openingWebViews.insert(name).inserted else { return true }
        page.command(.openWebView(name)) { [weak self, weak page] result in
            guard case .failure(let error) = result else { return }
            self?.openingWebViews.remove(name)
            self?.server.traffic.problem(
                .webViewNotOpened, "The browser opened no window for the web view \(name): \(error)",
                hint: "Close other windows, or start the browser again.", page: page)
        }
        return true
    }

    /// Notes that a page has attached to a web view.
    func webViewHasPage(_ webView: String) {
        openingWebViews.remove(webView)
        openedWebViews.insert(webView)
    }
}

/// The two sessions of a tab, and the bridges in their web views.
@MainActor struct TabViews {
    let sessions: [NavigationStack: Session]
    let bridges: [NavigationStack: Bridge]

    /// - Parameter tab: the number of the tab, from 1; nil for the web views `main` and `modal`.
    /// - Throws: `MissingWebFile` if web/turbo.js or web/components.js is not beside the executable.
    init(
        _ server: BridgeServer, _ dataStore: WKWebsiteDataStore, _ configuration: EmulatedApp.Configuration,
        tab: Int? = nil
    ) throws {
        sessions = try Dictionary(
            uniqueKeysWithValues: NavigationStack.allCases.map { stack in
                let name = stack.rawValue + (tab.map { ".\($0)" } ?? "")
                return (stack, try TabViews.makeSession(name, server, dataStore, configuration))
            })
        let framework = configuration.framework
        bridges =
            framework.components == .none
            ? [:]
            : try sessions.mapValues {
                if configuration.binary.name != nil { try $0.webView.reportMissingComponents() }
                return try framework.makeBridge(for: $0.webView, server, adapter: configuration.bridgeAdapter)
            }
    }

    /// Makes a session, and its web view of that name.
    private static func makeSession(
        _ name: String, _ server: BridgeServer, _ dataStore: WKWebsiteDataStore,
        _ configuration: EmulatedApp.Configuration
    ) throws -> Session {
        let webView = WKWebViewConfiguration()
        webView.bridgedWebViewName = name
        webView.bridgeServer = server
        webView.websiteDataStore = dataStore
        // Servers look for "Turbo Native"; the web half of bridge components reads their names.
        webView.applicationNameForUserAgent = configuration.framework.userAgent(
            prefix: configuration.applicationUserAgentPrefix,
            components: configuration.componentNames + configuration.binary.ownComponents)
        let session = try Session(
            webViewConfiguration: webView, adapter: configuration.turboAdapter, framework: configuration.framework)
        session.loadTimeout = configuration.loadTimeout
        session.policyHandlers = configuration.webViewPolicyDecisionHandlers
        session.redirectTimeout = configuration.redirectResolutionTimeout
        server.scope(for: name)?.inheritsDefaults = true
        return session
    }
}
