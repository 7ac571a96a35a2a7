import BridgeProtocol
public import Foundation
public import PathConfiguration

extension EmulatedApp {
    /// What an app is made with.
    @MainActor public struct Configuration {
        /// What paths are resolved against; nil for each page's own URL. The app stays on its host.
        public var rootURL: URL?
        /// The device token that pages get; nil makes one up: 32 bytes in hexadecimal digits, as Apple's are.
        public var pushToken: String?
        /// From left to right; empty for an app without.
        public var tabs: [Tab] = []
        public var pathConfiguration = PathConfiguration()
        public var rules = NavigationRules.hotwireNative
        /// Which system the app runs on. A path configuration should be read by the same profile.
        public var platform = Platform.ios
        /// Where a native sign-in posts its credentials, resolved against the root URL; nil for an app without one.
        public var signInURL: URL?
        /// How long a cold boot may take.
        public var loadTimeout = Duration.seconds(60)
        /// Script in place of web/turbo.js, such as a framework's own adapter.
        public var adapter: String?
        /// The bridge components that pages may use. One of the app's own takes the place of an earlier one of its
        /// name.
        public var components = BridgeComponent.builtIn
        /// What the app makes of a proposal. nil for what its properties say: a `view_controller` other than `web`, or on
        /// Android a `uri` of another fragment, is a native screen, and `alert` an alert.
        public var handle: (@Sendable (VisitProposal) -> ProposalResult)?

        public init(rootURL: URL? = nil, pushToken: String? = nil) {
            self.rootURL = rootURL
            self.pushToken = pushToken
        }

        func makeNavigator(startLocation: URL) -> Navigator {
            // Asked each time: a server may send other rules.
            let properties: @Sendable (URL) -> PathProperties = { [pathConfiguration] url in
                MainActor.assumeIsolated { pathConfiguration.properties(for: url) }
            }
            let rules = rules.reading(as: platform)
            return Navigator(
                startLocation: startLocation, rules: rules, properties: properties,
                handle: handle ?? EmulatedApp.result(by: rules))
        }
    }

    private nonisolated static func result(by rules: NavigationRules) -> @Sendable (VisitProposal) -> ProposalResult {
        { proposal in
            switch rules.platform.nativeScreen(of: proposal.properties, key: rules.nativeScreenKey) {
            case nil: .accept
            case "alert": .alert
            case let name?: .acceptCustom(name)
            }
        }
    }
}
