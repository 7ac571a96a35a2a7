public import BridgeProtocol
public import BridgeServer
public import BridgeWebKit
import Foundation

/// The emulated app: two stacks of screens over two sessions. ``Navigator`` decides what becomes of the stacks, the
/// sessions visit, and this carries out and keeps what pages ask of the app. On the main actor.
///
/// The app starts with the first page that attaches to `main`, at its URL.
@MainActor public final class EmulatedApp {
    /// A button in the bar of a screen.
    public struct BarButton: Sendable, Equatable {
        /// What a tap visits: the page's path, resolved.
        public let url: String
        /// The name of an SF Symbol.
        public let icon: String
    }

    /// An alert over a stack, which waits for its answer.
    public struct Alert: Sendable, Equatable {
        public let url: URL
        public let title: String
        public let stack: NavigationStack
    }

    /// A URL that left the app. It is opened nowhere.
    public struct ExternalURL: Sendable, Equatable {
        public let url: URL
        public let browser: ExternalBrowser
    }

    public let configuration: Configuration
    /// Decodes what pages post to `nativeApp`. An app's own message types go here.
    public let dispatcher: ScriptMessageDispatcher
    /// One a tab, nil until its first tap; an app without tabs has one.
    var navigators: [Navigator?]
    /// Counts from 0.
    public internal(set) var selectedTab = 0
    let server: BridgeServer
    /// Each with a web view of its own, of the stack's name.
    let sessions: [NavigationStack: Session]
    /// Of the screens that are on a stack.
    var screens: [Screen.ID: WebScreen] = [:]
    /// Of each session's web view.
    let bridges: [NavigationStack: Bridge]
    /// The web screen that the user sees; nil where that is native.
    var visibleWebScreen: WebScreen?
    /// Who serves the modal that is up: the session of a page of its own, or main's, in turn.
    var modalSession: Session?
    var chain = ActionChain()
    /// What was proposed last: an alert is about it.
    var lastProposal: URL?
    public internal(set) var alerts: [Alert] = []
    public internal(set) var outbox: [ExternalURL] = []
    public internal(set) var pushTokens: PushTokens
    public internal(set) var signIn: SignIn?
    /// What the sign-in answered with.
    public internal(set) var accessToken: String?
    public internal(set) var isInBackground = false
    /// What components find on the phone.
    var device = Device()
    var hasToldMissingURI = false
    /// Whether any page had Turbo: where none had, the app is one without.
    var hasSeenTurbo = false

    /// The device token that pages get.
    public var pushToken: String { pushTokens.token }
    public var navigation: NavigationState { navigator?.state ?? NavigationState() }

    /// - Throws: `MissingWebFile` where web/turbo.js or web/components.js is not beside the executable.
    public init(server: BridgeServer, _ configuration: Configuration = Configuration()) throws {
        self.server = server
        self.configuration = configuration
        navigators = Array(repeating: nil, count: max(1, configuration.tabs.count))
        dispatcher = ScriptMessageDispatcher(discriminator: server.configuration.discriminator)
        pushTokens = PushTokens(configuration.pushToken)
        sessions = try Dictionary(
            uniqueKeysWithValues: NavigationStack.allCases.map { stack in
                (stack, try EmulatedApp.makeSession(stack, server, configuration))
            })
        bridges = try sessions.mapValues { try configuration.platform.makeBridge(for: $0.webView, server) }
        for session in sessions.values { session.delegate = self }
        dispatcher.on(ActionButton.self) { [weak self] message, context in try self?.show(message, context) }
        dispatcher.on(RegisterPushToken.self) { [weak self] _, context in self?.register(context) }
        switch configuration.platform {
        case .ios: server.addHandler("nativeApp", .dispatcher(dispatcher))
        case .android: server.addJavascriptInterface(.nativeApp(dispatcher), name: "nativeApp")
        }
        server.app = self
        server.observePages { [weak self] event, page in
            if event == .updated { self?.keepTitle(of: page) }
        }
    }

    private static func makeSession(
        _ stack: NavigationStack, _ server: BridgeServer, _ configuration: Configuration
    ) throws -> Session {
        let webView = WKWebViewConfiguration()
        webView.bridgedWebViewName = stack.rawValue
        webView.bridgeServer = server
        // Servers look for Turbo Native, the web half of bridge components for their list.
        let components = names(of: configuration.components).joined(separator: " ")
        webView.applicationNameForUserAgent = "\(configuration.platform.userAgent); bridge-components: [\(components)];"
        let session = try Session(
            webViewConfiguration: webView, adapter: configuration.adapter, platform: configuration.platform)
        session.loadTimeout = configuration.loadTimeout
        server.scope(for: stack.rawValue)?.inheritsDefaults = true
        return session
    }

    // MARK: Who is where

    /// The session of a stack's screens.
    func session(of stack: NavigationStack) -> Session? {
        stack == .modal ? modalSession ?? sessions[.main] : sessions[.main]
    }

    /// The screen that the user sees.
    public var visibleScreen: Screen? { navigation[navigation.visibleStack].last }

    /// The stack whose top screen a web view shows; nil for web views that are not the app's.
    func stack(shownIn webView: String) -> NavigationStack? {
        guard let stack = NavigationStack(rawValue: webView) else { return nil }
        guard stack == .main, navigation.isModalPresented, session(of: .modal) === sessions[.main] else { return stack }
        return .modal
    }

    func topScreen(in webView: String) -> Screen? { stack(shownIn: webView).flatMap { navigation[$0].last } }

    func page(of webView: String) -> Page? {
        server.pages.last { $0.isAttached && $0.frame.isMainFrame && $0.webView == webView }
    }

    func page(of session: Session) -> Page? { page(of: session.webView.bridgedName) }

    /// Puts down what the app does, under the page that it concerns.
    func record(_ event: String, _ fields: [JSONValue.Member], _ session: Session? = nil) {
        server.traffic.app(event, fields, page: (session ?? sessions[.main]).flatMap(page))
    }

    private func keepTitle(of page: Page) {
        guard page.frame.isMainFrame, page === self.page(of: page.webView), let stack = stack(shownIn: page.webView),
            let session = session(of: stack), !session.isVisiting, let screen = navigation[stack].last, screen.isWeb,
            session.currentVisitable === screens[screen.id]
        else { return }
        updateScreen(screen.id) { $0.title = page.title }
    }
}
