public import BridgeProtocol
public import BridgeServer
public import BridgeWebKit
import Foundation
public import PathConfiguration

/// An emulated Hotwire Native app with two stacks of screens and two sessions that show them.
///
/// ``Navigator`` decides how the stacks change and ``Session`` visits. This class connects them with `Tabs`,
/// `WebScreens` and the phone, and has the state that pages request from the app. The app starts when the first page
/// attaches to `main`, at that page's URL.
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
    /// The components that the app has without Swift. They can change while it runs.
    let declaredComponents: DeclaredComponents
    /// Decodes what pages post to `nativeApp`. Add an app's own message types here.
    public let dispatcher: ScriptMessageDispatcher
    let server: BridgeServer
    let tabs: Tabs
    let visits: VisitLog
    let binaryFindings: BinaryFindings
    private let componentMemory: ComponentMemory
    private(set) lazy var screens = WebScreens(of: self)
    private(set) lazy var pushNotifications = PushNotifications(of: self)
    private(set) lazy var signInForm = SignInForm(of: self)
    var device = Device()
    /// The URL that was proposed last, which an alert is about.
    var lastProposal: URL?
    /// A load that the server redirected on Android, until a screen adopts it.
    var redirectedLoad: (session: Session, url: URL)?
    public private(set) var alerts: [Alert] = []
    public private(set) var outbox: [ExternalURL] = []
    public private(set) var isInBackground = false
    /// The sessions whose web content process ended while the app was in the background.
    private var lostSessions: [Session] = []
    /// Whether the app started when it was not known yet which pages are its own.
    private var hasStartedEarly = false
    /// Is called with each action that was performed.
    public var onAction: (@MainActor (String, Action.Arguments) -> Void)?
    /// Is called before an action of the app's user.
    public var willAct: (@MainActor () -> Void)?
    /// The codes of the problems that are findings about a build of the app.
    public nonisolated static let codesOfBinaryFindings = BinaryFindings.codes

    /// The greatest number of URLs in the outbox, and of alerts. The oldest ones are dropped first.
    private static let maximumWaiting = 100

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
        declaredComponents = DeclaredComponents(
            configuration.declaredComponents, recorded: configuration.recordedComponents)
        binaryFindings = BinaryFindings(configuration, server)
        visits = VisitLog(server, configuration)
        dispatcher = ScriptMessageDispatcher(discriminator: server.configuration.discriminator)
        tabs = try Tabs(server, configuration)
        componentMemory = ComponentMemory(server)
        tabs.connect = { [weak self] in self?.connect($0) }
        connect(tabs.views)
        dispatcher.on(ActionButton.self) { [weak self] message, context in try self?.show(message, context) }
        dispatcher.on(RegisterPushToken.self) { [weak self] _, context in
            try self?.pushNotifications.register(context)
        }
        switch configuration.framework.platform {
        case .ios: server.addHandler("nativeApp", .dispatcher(dispatcher))
        case .android: server.addJavascriptInterface(.nativeApp(dispatcher), name: "nativeApp")
        }
        server.app = self
        configuration.pathConfiguration.observe { [weak self] in self?.report($0) }
        binaryFindings.reportMissingScreens()
        tabs.reportExcess()
        server.observePages { [weak self] event, page in
            if event == .attached {
                self?.tabs.webViewHasPage(page.webView)
                self?.endEarlyStart(at: page)
            }
            if event == .updated { self?.keepTitle(of: page) }
        }
    }

    /// Connects the web views of a tab with the app.
    private func connect(_ views: TabViews) {
        for bridge in views.bridges.values {
            bridge.memory = componentMemory
            bridge.coding = MessageCoding(decoder: configuration.jsonDecoder, encoder: configuration.jsonEncoder)
            bridge.onMissingComponent = { [binaryFindings] in binaryFindings.report($0, on: $1) }
        }
        for session in views.sessions.values {
            session.delegate = self
            nameComponents(in: session)
            visits.nameVisitsOfRequests(in: session.webView.bridgedName)
        }
    }

    // MARK: Screens and pages

    /// The stacks of the tab on which the app works.
    public var navigation: NavigationState { tabs.navigation }
    var sessions: [NavigationStack: Session] { tabs.sessions }
    /// The index of the selected tab.
    public var selectedTab: Int { tabs.selected }

    /// The screen that the user sees.
    public var visibleScreen: Screen? { navigation[navigation.visibleStack].last }

    /// The session that shows the screen that the user sees.
    var visibleSession: Session? { tabs.session(of: navigation.visibleStack) }

    /// The name of the web view that shows the screen that the user sees.
    public var visibleWebView: String? { visibleSession?.webView.bridgedName ?? NavigationStack.main.rawValue }

    /// The component of that type on the screen that the user sees.
    func visibleComponent<Component: BridgeComponent>(_ type: Component.Type) -> Component? {
        screens.visible?.bridgeDelegate.component()
    }

    /// The URL that the app's paths are resolved against.
    var baseURL: URL? { tabs.baseURL }

    func page(of webView: String) -> Page? { server.mainPage(of: webView) }

    func page(of session: Session) -> Page? { page(of: session.webView.bridgedName) }

    /// Writes a traffic record of the kind `app`, for the page in that session.
    /// - Returns: the record's number.
    @discardableResult
    func record(_ event: String, _ fields: [JSONValue.Member], _ session: Session? = nil) -> Int {
        visits.record(event, fields, page: (session ?? sessions[.main]).flatMap(page))
    }

    private func keepTitle(of page: Page) {
        guard page.frame.isMainFrame, page === self.page(of: page.webView),
            let session = tabs.session(in: page.webView), !session.isVisiting,
            let screen = tabs.topScreen(in: page.webView), screen.isWeb, session.currentVisitable === screens[screen.id]
        else { return }
        tabs.updateScreen(screen.id) { $0.title = page.title }
    }

    // MARK: What the app shows and forgets

    /// The push token that pages get.
    public var pushToken: String { pushNotifications.token }
    /// The sign-in that the app shows after a visit was answered with 401; nil if none is needed.
    public var signIn: SignIn? { signInForm.needed }
    /// The token that the sign-in returned.
    public var accessToken: String? { signInForm.accessToken }

    /// The action button of the screen in each web view, by the web view's name. A screen has no button until its page
    /// posts `ActionButton`.
    public var actionButtons: [String: BarButton] {
        let buttons = tabs.allSessions.map(\.webView.bridgedName).compactMap { name in
            tabs.topScreen(in: name)?.barButtons.last.map { (name, $0) }
        }
        return Dictionary(buttons) { first, _ in first }
    }

    private func show(_ message: ActionButton, _ context: ScriptMessageContext) throws {
        guard let base = configuration.rootURL ?? URL(string: context.url),
            let url = URL(string: message.path, relativeTo: base)
        else {
            throw UnresolvablePath(path: message.path, base: configuration.rootURL?.absoluteString ?? context.url)
        }
        guard let screen = tabs.topScreen(in: context.webView) else {
            throw DroppedMessage(.noScreen(context.webView))
        }
        let button = BarButton(url: url.absoluteString, icon: message.icon)
        tabs.updateScreen(screen.id) { $0.barButtons = [button] }
        server.traffic.app(
            "actionButton", [.init("opens", .string(button.url)), .init("icon", .string(button.icon))],
            page: server.page(context.page))
    }

    /// Opens a URL outside the app.
    func open(_ url: URL, in browser: ExternalBrowser) {
        outbox = outbox.suffix(EmulatedApp.maximumWaiting - 1) + [ExternalURL(url: url, browser: browser)]
    }

    func presentAlert(over stack: NavigationStack) {
        guard let proposal = lastProposal else { return }
        let title: String? = configuration.pathConfiguration.properties(for: proposal)["title"]
        let alert = Alert(url: proposal, title: title ?? proposal.path, stack: stack)
        alerts = alerts.suffix(EmulatedApp.maximumWaiting - 1) + [alert]
    }

    /// Closes the topmost alert.
    func popAlert() -> Alert? { alerts.popLast() }

    func allows(_ permission: Device.Permission) -> Bool {
        permission == .notifications ? !pushNotifications.isDenied : device.allows(permission)
    }

    func allow(_ permission: Device.Permission, _ isAllowed: Bool) {
        guard permission == .notifications else { return device.allow(permission, isAllowed) }
        pushNotifications.isDenied = !isAllowed
        if isAllowed { pushNotifications.giveToWaitingComponent() }
    }

    /// Discards the app's state and prepares the app to start at that URL.
    func start(at url: URL) {
        discardState()
        tabs.start(at: url)
        hasStartedEarly = !server.hasAppOrigin
    }

    /// Discards what the app did until its first page attached: another page, such as the demo, caused it.
    private func endEarlyStart(at page: Page) {
        guard hasStartedEarly, server.hasAppOrigin, page.frame.isMainFrame,
            NavigationStack(rawValue: page.webView) != nil
        else { return }
        reset()
    }

    /// Ends the app. The next page that is loaded starts it.
    public func reset() {
        for session in tabs.allSessions { session.webView.stopLoading() }
        isInBackground = false
        discardState()
    }

    /// Discards everything that an app loses when it ends. The device's push token stays.
    private func discardState() {
        tabs.reset()
        screens.discardUnused()
        lostSessions = []
        alerts = []
        outbox = []
        signInForm.reset()
        hasStartedEarly = false
        visits.discardChain()
        screens.updateDestinations()
    }

    // MARK: The background

    func enterBackground() throws {
        guard !isInBackground else { throw ActionRefusal("the app is in the background already.") }
        isInBackground = true
        device.lock.close()
    }

    /// Loads the sessions of all tabs again whose web content process has ended in the background; see `Navigator.swift`,
    /// `reloadIfPermitted`.
    func enterForeground() throws {
        guard isInBackground else { throw ActionRefusal("the app is in the foreground already.") }
        isInBackground = false
        device.lock.recognize()
        let lost = lostSessions
        lostSessions = []
        for session in lost where !session.isVisiting { restore(session) }
    }

    /// Loads a session again whose web content process has ended. If the app is in the background, it does so when it comes
    /// back.
    func restoreInForeground(_ session: Session) {
        guard isInBackground else { return restore(session) }
        if !lostSessions.contains(where: { $0 === session }) { lostSessions.append(session) }
    }

    private func restore(_ session: Session) {
        if configuration.framework.platform == .android { replaceScreen(of: session) } else { session.reload() }
    }

    private func report(_ event: PathConfiguration.Event) {
        switch event {
        case .updated: binaryFindings.reportMissingScreens()
        case .failed(_, let error):
            server.traffic.problem(
                .pathConfigurationFailed, "The path configuration was not loaded: \(error)",
                hint: "The last one that was loaded stays in force. bridged path lint checks a file.")
        case .skipped(let source, let error):
            server.traffic.problem(
                .patternSkipped, "A pattern of \(source) is not in force: \(error)",
                hint: "bridged path lint checks the whole file.")
        case .gaveUp(let pattern, let path):
            server.traffic.problem(
                .slowPattern,
                """
                The pattern \(quoted(pattern)) takes too long for the path \(quoted(path)), so it counts as not matching.
                """,
                hint: PathPattern.adviceIfSlow)
        }
    }
}

extension EmulatedApp {
    public struct Tab: Sendable, Equatable {
        public let title: String
        /// The first location, resolved against the root URL.
        public let url: URL

        public init(title: String, url: URL) {
            self.title = title
            self.url = url
        }
    }

    /// The settings of an emulated app.
    @MainActor public struct Configuration {
        /// The URL that paths are resolved against. If it is nil, an `ActionButton`'s path is resolved against its
        /// page's URL, and other paths against the start location. Which URLs leave the app depends on the start
        /// location's host, and not on this URL.
        public var rootURL: URL?
        /// The push token that pages get: 32 bytes in hexadecimal digits, as in Apple's tokens. nil for a random one.
        public var pushToken: String?
        /// The tabs from left to right; empty for an app without tabs.
        public var tabs: [Tab] = []
        public var pathConfiguration = PathConfiguration()
        /// The framework that the app is written with. Read the path configuration for its platform.
        public var framework = Framework.default
        /// The URL to which a native sign-in posts credentials, resolved against the root URL; nil for an app without a
        /// sign-in.
        public var signInURL: URL?
        /// The page to which the app routes after a visit was answered with 401, as Hotwire Native's demo apps do. Paths are
        /// resolved against the root URL; nil for none.
        public var signInPath: URL?
        /// The timeout of a cold boot.
        public var loadTimeout = Duration.seconds(60)
        /// How long the daemon waits for the answer that says where a failed request of Turbo was redirected to; see
        /// hotwire-native-ios, `HotwireConfig.redirectResolutionTimeout`.
        public var redirectResolutionTimeout = Duration.seconds(30)
        /// The beginning of the user agent, before the framework's part; see
        /// `HotwireConfig.applicationUserAgentPrefix`.
        public var applicationUserAgentPrefix: String?
        /// The handlers that decide where a location opens, in order; see `Hotwire.registerRouteDecisionHandlers`.
        public var routeDecisionHandlers = RouteDecisionHandler.standard
        /// The handlers that decide about loads that a page begins, in order, on iOS; see
        /// `Hotwire.registerWebViewPolicyDecisionHandlers`.
        public var webViewPolicyDecisionHandlers = WebViewPolicyHandler.allCases
        /// Whether a tab starts when it is first tapped. If false, all tabs start with the app, provided that the browser is
        /// driven; see `HotwireTabBarController`'s `lazyLoadTabs`, which is false by default, too.
        public var lazyLoadTabs = false
        /// Where the tab bar is hidden beyond modals; nil for nowhere.
        public var tabBarHiding: TabBarHiding?
        /// Android: the titles of the tabs that the tab bar does not show; see `HotwireBottomTab.isVisible`.
        public var hiddenTabs: [String] = []
        /// A script to use in place of web/turbo.js, such as a framework's own adapter.
        public var turboAdapter: String?
        /// A script to use in place of web/components.js, such as a framework's bridge.js.
        public var bridgeAdapter: String?
        /// The bridge components that pages may use. If two have the same name, the later one is used.
        public var components = BridgeComponent.builtIn
        /// Components without Swift. One with the name of another component replaces it.
        public var declaredComponents: [DeclaredComponent] = []
        /// The names of the components for which the server's cassette answers. They come in place of those of the same names,
        /// apart from declared ones.
        public var recordedComponents: [String] = []
        /// The components and native screens that the app's build has registered.
        public var binary = Binary()
        /// Encodes the data with which components reply; see `HotwireConfig.jsonEncoder`.
        public var jsonEncoder: JSONEncoder?
        /// Decodes the data that components get; see `HotwireConfig.jsonDecoder`.
        public var jsonDecoder: JSONDecoder?
        /// Decides how the app handles a proposal. If it is nil, the path configuration decides: a `view_controller`
        /// other than `web`, or on Android a `uri` of another fragment, is a native screen, and `alert` an alert.
        public var handle: (@Sendable (VisitProposal) -> ProposalResult)?

        public init(rootURL: URL? = nil, pushToken: String? = nil) {
            self.rootURL = rootURL
            self.pushToken = pushToken
        }

        /// The names of the components in the order of registration, each once.
        var componentNames: [String] {
            (components.map { $0.name } + declaredComponents.map(\.name) + recordedComponents).reduce(into: []) {
                names, name in
                if !names.contains(name) { names.append(name) }
            }
        }

        func makeNavigator(startLocation: URL) -> Navigator {
            // Reads the rules at each call, because a server may send new ones.
            let properties: @Sendable (URL) -> PathProperties = { [pathConfiguration] url in
                MainActor.assumeIsolated { pathConfiguration.properties(for: url) }
            }
            return Navigator(
                startLocation: startLocation, framework: framework, properties: properties,
                routeDecisionHandlers: routeDecisionHandlers, binary: binary,
                handle: handle ?? EmulatedApp.result(by: framework, binary))
        }
    }

    nonisolated static func result(
        by framework: Framework, _ binary: Binary
    ) -> @Sendable (VisitProposal) -> ProposalResult {
        { proposal in
            switch framework.nativeScreen(of: proposal.properties) {
            case nil: .accept
            // On Android, the navigator itself looks up the fragment.
            case let name? where framework.platform == .ios && !binary.hasNativeScreen(name): .accept
            case "alert": .alert
            case let name?: .acceptCustom(name)
            }
        }
    }
}
