import BridgeProtocol
import BridgeServer
import BridgeWebKit
import PathConfiguration

/// The two sessions of a tab, and the bridges in their web views.
@MainActor struct TabViews {
    let sessions: [NavigationStack: Session]
    let bridges: [NavigationStack: Bridge]

    /// - Parameter tab: the number of the tab, from 1; nil for the web views `main` and `modal`.
    init(
        _ server: BridgeServer, _ dataStore: WKWebsiteDataStore, _ configuration: EmulatedApp.Configuration,
        tab: Int? = nil
    ) throws {
        sessions = try Dictionary(
            uniqueKeysWithValues: NavigationStack.allCases.map { stack in
                let name = stack.rawValue + (tab.map { ".\($0)" } ?? "")
                return (stack, try EmulatedApp.makeSession(name, server, dataStore, configuration))
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
}

/// The web views of a driven browser. The app asks the browser for a window when it needs one: as on a phone, the modal and
/// each tab have their own.
extension EmulatedApp {
    /// The sessions of the tab on which the app works. Without a browser that is driven, all tabs share those of the first
    /// one.
    var views: TabViews { currentTab == startTab ? startViews : otherViews[currentTab] ?? startViews }
    var sessions: [NavigationStack: Session] { views.sessions }

    private var allViews: [TabViews] { [startViews] + otherViews.sorted { $0.key < $1.key }.map(\.value) }

    /// The tabs that have web views now. Those that share the first one's have them while they are selected.
    var shownViews: [(tab: Int, views: TabViews)] {
        let others = otherViews.filter { $0.key != startTab }
        let first = others[selectedTab] == nil ? selectedTab : startTab
        return [(first, startViews)] + others.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The tab whose screens a session shows.
    func tab(of session: Session) -> Int {
        shownViews.first { $0.views.sessions.values.contains { $0 === session } }?.tab ?? selectedTab
    }

    /// The sessions of all tabs.
    var allSessions: [Session] {
        allViews.flatMap { views in NavigationStack.allCases.compactMap { views.sessions[$0] } }
    }

    /// The name of the web view that shows the screen that the user sees.
    public var visibleWebView: String? {
        session(of: navigation.visibleStack)?.webView.bridgedName ?? NavigationStack.main.rawValue
    }

    /// Connects the sessions of a tab with the app.
    func connect(_ views: TabViews) {
        for bridge in views.bridges.values {
            bridge.memory = componentMemory
            bridge.coding = MessageCoding(decoder: configuration.jsonDecoder, encoder: configuration.jsonEncoder)
            bridge.onMissingComponent = { [binaryFindings] in binaryFindings.report($0, on: $1) }
        }
        for session in views.sessions.values { session.delegate = self }
        nameVisitsOfRequests(in: views)
    }

    /// Returns the session for a modal that is about to be presented: the session `modal`, unless the browser has only one
    /// window, or the app is one for Android.
    func sessionForModal() -> Session? {
        // Android has one session for all destinations of a navigator, those of modals included.
        guard configuration.framework.platform == .ios, let modal = sessions[.modal] else { return sessions[.main] }
        return page(of: modal) != nil || openWebView(of: modal) ? modal : sessions[.main]
    }

    /// Gives a tab web views of its own if the browser is driven.
    func prepareViews(ofTab index: Int) {
        guard index != startTab, drivenPage != nil else { return }
        if otherViews[index] == nil {
            guard let views = try? TabViews(server, dataStore, configuration, tab: index + 1) else { return }
            connect(views)
            otherViews[index] = views
        }
        guard let main = otherViews[index]?.sessions[.main], page(of: main) == nil else { return }
        _ = openWebView(of: main)
    }

    /// A page whose driver can open windows.
    var drivenPage: Page? {
        allSessions.lazy.compactMap { self.page(of: $0) }.first { $0.isDriven }
    }

    /// Asks the browser to open a window for a session. Loads wait until its empty document attaches.
    /// - Returns: false if no browser is driven.
    private func openWebView(of session: Session) -> Bool {
        guard let page = drivenPage else { return false }
        let name = session.webView.bridgedName
        // Only one window is opened for each web view: a second one would replace the first, together with the page
        // that loads there.
        guard openingWebViews.insert(name).inserted else { return true }
        page.command("webView.open", [.init("name", .string(name))]) { [weak self, weak page] result in
            guard case .failure(let error) = result else { return }
            self?.openingWebViews.remove(name)
            self?.server.traffic.problem(
                "webViewNotOpened", "The browser opened no window for the web view \(name): \(error)",
                hint: "Close other windows, or start the browser again.", page: page)
        }
        return true
    }
}
