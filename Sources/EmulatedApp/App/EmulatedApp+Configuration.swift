import BridgeProtocol
public import Foundation
public import PathConfiguration

extension EmulatedApp {
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
