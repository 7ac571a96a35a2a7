public import BridgeServer
public import Foundation

/// The properties with which a web view is initialized. `WKWebView` copies it; the copy has the same
/// `userContentController`.
@preconcurrency @MainActor open class WKWebViewConfiguration: NSObject, NSCopying {
    open var userContentController = WKUserContentController()
    /// The text to append to the browser's own user agent. On Apple's systems it replaces the end of the user agent.
    open var applicationNameForUserAgent: String?

    /// The name under which pages attach to the web view (`data-web-view` on bridge.js's tag, `?web-view=` in its URL).
    /// If it is nil, the name is `main`, or if that is taken `webview-2`, `webview-3`, … (Not in WebKit.)
    open var bridgedWebViewName: String?
    /// The server that pages attach to. If it is nil, that is `BridgeServer.shared`. (Not in WebKit.)
    open var bridgeServer: BridgeServer?

    /// The handlers of URL schemes, by scheme.
    var schemeHandlers: [String: any WKURLSchemeHandler] = [:]

    open var preferences = WKPreferences()
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    open var defaultWebpagePreferences: WKWebpagePreferences! = WKWebpagePreferences()

    // The properties below have no effect. They let code that sets them compile.

    open var processPool = WKProcessPool()
    open var websiteDataStore = WKWebsiteDataStore.default()
    open var suppressesIncrementalRendering = false
    open var allowsAirPlayForMediaPlayback = true
    open var allowsInlineMediaPlayback = false
    open var allowsPictureInPictureMediaPlayback = true
    open var allowsInlinePredictions = false
    open var limitsNavigationsToAppBoundDomains = false
    open var upgradeKnownHostsToHTTPS = true
    open var ignoresViewportScaleLimits = false
    open var dataDetectorTypes: WKDataDetectorTypes = []
    open var mediaTypesRequiringUserActionForPlayback: WKAudiovisualMediaTypes = []

    public override init() { super.init() }

    open nonisolated override func copy() -> Any { copy(with: nil) }

    open nonisolated func copy(with zone: NSZone? = nil) -> Any {
        MainActor.assumeIsolated { Unchecked(value: copied()) }.value
    }

    var allowedScripts: AllowedScripts {
        guard preferences.javaScriptEnabled else { return .none }
        return defaultWebpagePreferences?.allowsContentJavaScript ?? true ? .all : .native
    }

    func copied() -> WKWebViewConfiguration {
        let copy = WKWebViewConfiguration()
        copy.userContentController = userContentController
        copy.applicationNameForUserAgent = applicationNameForUserAgent
        copy.bridgedWebViewName = bridgedWebViewName
        copy.bridgeServer = bridgeServer
        copy.schemeHandlers = schemeHandlers
        copy.processPool = processPool
        copy.preferences = preferences
        copy.defaultWebpagePreferences = defaultWebpagePreferences
        copy.websiteDataStore = websiteDataStore
        return copy
    }

    /// `@unchecked Sendable`: the value never leaves the main actor's thread.
    private struct Unchecked: @unchecked Sendable { let value: Any }
}

public struct WKDataDetectorTypes: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) { self.rawValue = rawValue }

    public static let phoneNumber = WKDataDetectorTypes(rawValue: 1 << 0)
    public static let link = WKDataDetectorTypes(rawValue: 1 << 1)
    public static let address = WKDataDetectorTypes(rawValue: 1 << 2)
    public static let calendarEvent = WKDataDetectorTypes(rawValue: 1 << 3)
    public static let trackingNumber = WKDataDetectorTypes(rawValue: 1 << 4)
    public static let flightNumber = WKDataDetectorTypes(rawValue: 1 << 5)
    public static let all = WKDataDetectorTypes(rawValue: .max)
}

public struct WKAudiovisualMediaTypes: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) { self.rawValue = rawValue }

    public static let audio = WKAudiovisualMediaTypes(rawValue: 1 << 0)
    public static let video = WKAudiovisualMediaTypes(rawValue: 1 << 1)
    public static let all = WKAudiovisualMediaTypes(rawValue: .max)
}
