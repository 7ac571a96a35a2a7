public import BridgeServer
public import Foundation

/// What a new web view is made with. `WKWebView` takes a copy; the `userContentController` in it stays the same object.
@preconcurrency @MainActor open class WKWebViewConfiguration: NSObject, NSCopying {
    open var userContentController = WKUserContentController()
    /// Put behind the browser's own user agent. On Apple's systems it takes the place of the platform's part of it.
    open var applicationNameForUserAgent: String?

    /// Ours: the name under which pages attach to the web view (`data-web-view` on bridge.js's tag, `?web-view=` in
    /// its URL). nil for `main`, or where that is taken `webview-2`, `webview-3`, …
    open var bridgedWebViewName: String?
    /// Ours: the server that pages attach to. nil for `BridgeServer.shared`.
    open var bridgeServer: BridgeServer?

    open var preferences = WKPreferences()
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    open var defaultWebpagePreferences: WKWebpagePreferences! = WKWebpagePreferences()

    // What follows has no effect: it is here so that code which sets it compiles.

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
        copy.processPool = processPool
        copy.preferences = preferences
        copy.defaultWebpagePreferences = defaultWebpagePreferences
        copy.websiteDataStore = websiteDataStore
        return copy
    }

    /// `@unchecked Sendable`: it goes from the main actor to the same thread.
    private struct Unchecked: @unchecked Sendable { let value: Any }
}

public struct WKAudiovisualMediaTypes: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) { self.rawValue = rawValue }

    public static let audio = WKAudiovisualMediaTypes(rawValue: 1 << 0)
    public static let video = WKAudiovisualMediaTypes(rawValue: 1 << 1)
    public static let all = WKAudiovisualMediaTypes(rawValue: .max)
}
