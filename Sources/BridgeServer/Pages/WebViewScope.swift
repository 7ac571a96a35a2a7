public import BridgeProtocol
public import BridgeTraffic

/// What one web view's pages get: handlers, user scripts, a user agent. On the main actor.
///
/// A scope takes effect with `BridgeServer.setScope(_:for:)`; a web view without one has the server's default scope.
/// Attached pages hear of handlers that come and go; user scripts reach each document while it loads, the user agent as
/// it begins to.
@MainActor public final class WebViewScope {
    /// A document that no web server has.
    public struct Document: Sendable {
        public var html: String
        /// What relative URLs in it are resolved against.
        public var baseURL: String?

        public init(html: String, baseURL: String? = nil) {
            self.html = html
            self.baseURL = baseURL
        }
    }

    /// By their names in `webkit.messageHandlers`.
    public var handlers: [String: MessageHandler] = [:] {
        didSet { hub?.handlersChanged(in: self) }
    }
    /// By their names in `window`, as `addJavascriptInterface` gives them. Documents have those that there are when they
    /// begin to load.
    public var javascriptInterfaces: [String: JavascriptInterface] = [:]
    /// Whether its pages have the default scope's handlers, interface objects and user scripts, too: its own handlers count, its own scripts
    /// run behind.
    public var inheritsDefaults = false {
        didSet { hub?.handlersChanged(in: self) }
    }
    /// In the order in which they run.
    public var userScripts: [UserScript] = [] {
        didSet { if userScripts != oldValue { hub?.userScriptsChanged(in: self) } }
    }
    /// Which scripts documents may run that load from now on; asked for each.
    public var allowedScripts: @MainActor () -> AllowedScripts = { .all }
    /// What `navigator.userAgent` says; nil for the browser's own.
    public var userAgent: String?
    /// Is put behind the browser's own user agent, where `userAgent` names no other.
    public var applicationNameForUserAgent: String?

    /// HTML of native code's own, by number; see `BridgeServer.url(ofDocument:for:)`.
    public var documents: [Int: Document] = [:]
    /// Is told when a page of the web view attaches, comes back, changes, loses its connection or is gone.
    public var pageObserver: (@MainActor (TrafficRecord.PageEvent, Page) -> Void)?

    /// Who tells the pages.
    weak var hub: Hub?

    public init() {}

    /// - Parameter browser: the browser's own user agent.
    func userAgent(in browser: String?) -> String? {
        if let userAgent { return userAgent }
        guard let browser, let name = applicationNameForUserAgent, !name.isEmpty else { return nil }
        return "\(browser) \(name)"
    }
}

/// Which scripts a document may run.
public enum AllowedScripts: Sendable {
    case all
    /// User scripts and what native code evaluates, and none of the page's own.
    case native
    case none
}

/// Script that runs in every new document, as `WKUserScript` does.
public struct UserScript: Sendable, Equatable {
    public enum InjectionTime: Sendable {
        /// When there is nothing but the document element.
        case atDocumentStart
        /// When the document is parsed, before its subresources are loaded.
        case atDocumentEnd
    }

    public var source: String
    public var injectionTime: InjectionTime
    public var forMainFrameOnly: Bool
    /// `scheme://host/path`, with `*` for any text; the port does not count (WebKit's `UserContentURLPattern`). Where
    /// there are any, the document's URL has to match one of them.
    public var includedPatterns: [String]
    /// Where the document's URL matches one of these, the script does not run.
    public var excludedPatterns: [String]

    public init(
        source: String, injectionTime: InjectionTime, forMainFrameOnly: Bool, includedPatterns: [String] = [],
        excludedPatterns: [String] = []
    ) {
        self.source = source
        self.injectionTime = injectionTime
        self.forMainFrameOnly = forMainFrameOnly
        self.includedPatterns = includedPatterns
        self.excludedPatterns = excludedPatterns
    }
}

extension UserScript: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("source", source)
            writer.member("at", injectionTime == .atDocumentStart ? "start" : "end")
            writer.member("mainFrameOnly", forMainFrameOnly)
            for (name, patterns) in [("include", includedPatterns), ("exclude", excludedPatterns)]
            where !patterns.isEmpty {
                writer.member(named: name, patterns.map { UserScriptPattern(text: $0).expression })
            }
        }
    }
}
