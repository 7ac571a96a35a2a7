public import BridgeProtocol
public import BridgeServer
public import BridgeWebKit
import Foundation

/// An emulated Hotwire Native app with two stacks of screens and two sessions that show them.
///
/// ``Navigator`` decides how the stacks change and ``Session`` visits. This class connects them, and has the state that
/// pages request from the app. The app starts when the first page attaches to `main`, at that page's URL.
@MainActor public final class EmulatedApp {
    /// A button in a screen's navigation bar.
    public struct BarButton: Sendable, Equatable {
        /// The absolute URL that a tap visits.
        public let url: String
        /// The name of an SF Symbol.
        public let icon: String
    }

    /// An alert that waits for an answer.
    public struct Alert: Sendable, Equatable {
        public let url: URL
        public let title: String
        public let stack: NavigationStack
    }

    /// A URL that a real app would open in a browser or in another app. The emulated app does not open it.
    public struct ExternalURL: Sendable, Equatable {
        public let url: URL
        public let browser: ExternalBrowser
    }

    public let configuration: Configuration
    /// Decodes what pages post to `nativeApp`. Add an app's own message types here.
    public let dispatcher: ScriptMessageDispatcher
    /// The navigator of each tab, nil until its first tap. An app without tabs has one navigator.
    var navigators: [Navigator?]
    /// The index of the selected tab.
    public internal(set) var selectedTab = 0
    let server: BridgeServer
    /// The sessions of the tab with which the app has started. Their web views have the names of the stacks.
    let startViews: TabViews
    /// The index of the tab with which the app has started.
    var startTab = 0
    /// The sessions of the other tabs, by the tab's index. Only a driven browser has web views for them.
    var otherViews: [Int: TabViews] = [:]
    /// The web views whose windows a driven browser is opening.
    var openingWebViews: Set<String> = []
    let dataStore = WKWebsiteDataStore.nonPersistent()
    /// The web screens on all stacks, by id.
    var screens: [Screen.ID: WebScreen] = [:]
    let componentMemory: ComponentMemory
    /// The web screens that have appeared, and not disappeared since.
    var appearedScreens: [WebScreen] = []
    /// The session that shows the presented modal of each tab. It is the session `modal` if the browser is driven, or a page
    /// was attached to the web view `modal` when the modal's first visit began, and otherwise the session `main`.
    var modalSessions: [Int: Session] = [:]
    /// The tab on which the app works while a session of it reports something; nil for the selected one.
    var workingTab: Int?
    /// The sessions whose web content process ended while the app was in the background.
    var lostSessions: [Session] = []
    var chain = ActionChain()
    /// The URL that was proposed last, which an alert is about.
    var lastProposal: URL?
    public internal(set) var alerts: [Alert] = []
    public internal(set) var outbox: [ExternalURL] = []
    public internal(set) var pushTokens: PushTokens
    public internal(set) var signIn: SignIn?
    /// The token that the sign-in returned.
    public internal(set) var accessToken: String?
    public internal(set) var isInBackground = false
    var redirects = Redirects()
    var device = Device()
    /// The latest visit in each web view, by the web view's name.
    var visitTimes: [String: VisitTime] = [:]
    /// The app's latest decisions and visits, for `visits.explain`.
    var visitHistory = VisitHistory()
    /// A load that the server redirected on Android, until a screen adopts it.
    var redirectedLoad: (session: Session, url: URL)?
    /// Is called with each action that was performed.
    public var onAction: (@MainActor (String, Action.Arguments) -> Void)?
    /// Whether any page has had Turbo. If none has, the web app does not use it.
    var hasSeenTurbo = false

    /// Whether the app started when it was not known yet which pages are its own.
    var hasStartedEarly = false
    let binaryFindings: BinaryFindings
    /// The codes of the problems that are findings about a build of the app.
    public nonisolated static let codesOfBinaryFindings = BinaryFindings.codes

    /// The push token that pages get.
    public var pushToken: String { pushTokens.token }
    public var navigation: NavigationState { navigator?.state ?? NavigationState() }

    /// - Throws: `ConfigurationError` if a `WKWebView` of the server has the name `main` or `modal` already;
    ///   `MissingWebFile` if web/turbo.js or web/components.js is not beside the executable.
    public init(server: BridgeServer, _ configuration: Configuration = Configuration()) throws {
        if let taken = NavigationStack.allCases.first(where: { server.scope(for: $0.rawValue) != nil }) {
            throw ConfigurationError(
                description: """
                    The web view '\(taken.rawValue)' belongs to a WKWebView already, so an emulated app cannot have it. Make the \
                    server without the emulated app, or give the WKWebView another bridgedWebViewName.
                    """)
        }
        self.server = server
        self.configuration = configuration
        binaryFindings = BinaryFindings(configuration, server)
        navigators = Array(repeating: nil, count: max(1, configuration.tabs.count))
        dispatcher = ScriptMessageDispatcher(discriminator: server.configuration.discriminator)
        pushTokens = PushTokens(configuration.pushToken)
        startViews = try TabViews(server, dataStore, configuration)
        componentMemory = ComponentMemory(server)
        connect(startViews)
        dispatcher.on(ActionButton.self) { [weak self] message, context in try self?.show(message, context) }
        dispatcher.on(RegisterPushToken.self) { [weak self] _, context in try self?.register(context) }
        switch configuration.framework.platform {
        case .ios: server.addHandler("nativeApp", .dispatcher(dispatcher))
        case .android: server.addJavascriptInterface(.nativeApp(dispatcher), name: "nativeApp")
        }
        server.app = self
        configuration.pathConfiguration.observe { [weak self] in self?.report($0) }
        binaryFindings.reportMissingScreens()
        reportExcessOfTabs()
        server.observePages { [weak self] event, page in
            if event == .attached {
                self?.openingWebViews.remove(page.webView)
                self?.endEarlyStart(at: page)
            }
            if event == .updated { self?.keepTitle(of: page) }
        }
    }

    static func makeSession(
        _ name: String, _ server: BridgeServer, _ dataStore: WKWebsiteDataStore,
        _ configuration: Configuration
    ) throws -> Session {
        let webView = WKWebViewConfiguration()
        webView.bridgedWebViewName = name
        webView.bridgeServer = server
        webView.websiteDataStore = dataStore
        // Servers look for "Turbo Native"; the web half of bridge components reads their names.
        webView.applicationNameForUserAgent = configuration.framework.userAgent(
            prefix: configuration.applicationUserAgentPrefix,
            components: names(of: configuration.components) + configuration.binary.ownComponents)
        let session = try Session(
            webViewConfiguration: webView, adapter: configuration.turboAdapter,
            framework: configuration.framework)
        session.loadTimeout = configuration.loadTimeout
        session.policyHandlers = configuration.webViewPolicyDecisionHandlers
        session.redirectTimeout = configuration.redirectResolutionTimeout
        server.scope(for: name)?.inheritsDefaults = true
        return session
    }

    // MARK: Screens and pages

    /// The session that shows a stack's screens.
    func session(of stack: NavigationStack) -> Session? {
        stack == .modal ? modalSession ?? sessions[.main] : sessions[.main]
    }

    /// The screen that the user sees.
    public var visibleScreen: Screen? { navigation[navigation.visibleStack].last }

    /// The session that shows the modal of the tab on which the app works; nil if no modal is presented.
    var modalSession: Session? {
        get { modalSessions[currentTab] }
        set { modalSessions[currentTab] = newValue }
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

    func page(of webView: String) -> Page? { server.mainPage(of: webView) }

    func page(of session: Session) -> Page? { page(of: session.webView.bridgedName) }

    /// Writes a traffic record of the kind `app`, for the page in that session.
    /// - Returns: the record's number.
    @discardableResult
    func record(_ event: String, _ fields: [JSONValue.Member], _ session: Session? = nil) -> Int {
        let fields = fields.map { JSONValue.Member($0.key, redirects.shorten(in: $0.value)) }
        return server.traffic.app(event, fields, page: (session ?? sessions[.main]).flatMap(page))
    }

    private func keepTitle(of page: Page) {
        guard page.frame.isMainFrame, page === self.page(of: page.webView),
            let session = allSessions.first(where: { $0.webView.bridgedName == page.webView }), !session.isVisiting,
            let screen = topScreen(in: page.webView), screen.isWeb, session.currentVisitable === screens[screen.id]
        else { return }
        updateScreen(screen.id) { $0.title = page.title }
    }
}
