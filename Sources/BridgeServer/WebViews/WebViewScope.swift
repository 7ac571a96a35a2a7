package import BridgeProtocol
public import BridgeTraffic

/// The handlers, interface objects, user scripts and user agent of one web view. On the main actor.
///
/// A scope takes effect with `BridgeServer.setScope(_:for:)`. A web view without one has the server's default scope.
/// Changes of the handlers are sent to attached pages, and changes of the user scripts to documents that are loading.
/// The other properties affect documents that begin to load after the change. A driven page gets every change at once.
@MainActor public final class WebViewScope {
    /// A document that native code provides instead of a web server.
    public struct Document: Sendable {
        public var html: String
        /// The base URL for the relative URLs in the document.
        public var baseURL: String?

        public init(html: String, baseURL: String? = nil) {
            self.html = html
            self.baseURL = baseURL
        }
    }

    /// The handlers, by their names in `webkit.messageHandlers`.
    public var handlers: [String: MessageHandler] {
        get { namedHandlers.all }
        set {
            namedHandlers.all = newValue
            observeReplies(of: newValue)
            webViews?.handlersChanged(in: self)
        }
    }
    /// Unchecked for overlapping accesses: to look up or to set a handler calls nothing else.
    @exclusivity(unchecked) private var namedHandlers = NamedValues<MessageHandler>()
    /// The handlers in content worlds other than the page's own: by the world's name, and then by their own. Only driven
    /// pages have such worlds.
    public var handlersInWorlds: [String: [String: MessageHandler]] = [:] {
        didSet {
            for handlers in handlersInWorlds.values { observeReplies(of: handlers) }
            webViews?.handlersChanged(in: self)
        }
    }
    /// The interface objects, by their names in `window`, as with Android's `addJavascriptInterface`. A document has
    /// those that exist when it begins to load.
    public var javascriptInterfaces: [String: JavascriptInterface] = [:]
    /// Answers the dialogs that its pages open with `alert`, `confirm` and `prompt`, if they loaded after this was set.
    /// A scope without this uses that of the default scope; if both are nil, the browser shows its own dialogs.
    public var dialogHandler: (@MainActor (Dialog) -> Void)? {
        didSet { webViews?.settingsChanged(in: self) }
    }
    /// Whether its pages also have the handlers, interface objects and user scripts of the default scope. If both
    /// scopes have a handler or an object of the same name, this scope's is used. This scope's user scripts run last.
    public var inheritsDefaults = false {
        didSet { webViews?.handlersChanged(in: self) }
    }
    /// The user scripts, in the order in which they run.
    public var userScripts: [UserScript] = [] {
        didSet { if userScripts != oldValue { webViews?.userScriptsChanged(in: self) } }
    }
    /// Returns which scripts a document may run. It is called for each document that loads.
    public var allowedScripts: @MainActor () -> AllowedScripts = { .all }
    /// The value of `navigator.userAgent`; nil for the browser's own.
    public var userAgent: String? {
        didSet { webViews?.settingsChanged(in: self) }
    }
    /// A text that is appended to the browser's own user agent, unless `userAgent` is set.
    public var applicationNameForUserAgent: String? {
        didSet { webViews?.settingsChanged(in: self) }
    }

    /// The documents that native code provides, by number; see `BridgeServer.url(ofDocument:for:)`.
    public var documents: [Int: Document] = [:]
    /// Called when a page of the web view attaches, comes back, changes, loses its connection or is gone.
    public var pageObserver: (@MainActor (TrafficRecord.PageEvent, Page) -> Void)?

    /// Called with an explanation if a page that native code opened does not load `bridge.js`.
    package var onMissingScript: (@MainActor (String) -> Void)?

    /// Called with the questions and reports of the drivers of the web view's pages, apart from dialogs. Without it,
    /// every load and every window is allowed.
    package var driverHandler: (@MainActor (DriverMessage, Page, DriverReply) -> Void)?

    /// The URL schemes for which native code answers what pages of driven WebKit request, in lower case.
    package var urlSchemes: [String] = [] {
        didSet { webViews?.settingsChanged(in: self) }
    }
    /// Called with each such request.
    package var schemeHandler: (@MainActor (SchemeLoad) -> Void)?

    /// Whether pages that load afterwards, and are not driven, ask about the loads that they begin.
    package var decidesLoads: @MainActor () -> Bool = { false }

    /// Returns the number of the record of the visit that caused a request of a driven page.
    package var visitOfRequest: (@MainActor (FinishedRequest, Page) -> Int?)?

    /// The object that sends changes to the pages.
    weak var webViews: WebViews?

    public init() {}

    /// The handler of this name. It is called for each message.
    func handler(named name: String) -> MessageHandler? { namedHandlers.value(named: name) }

    private func observeReplies(of handlers: [String: MessageHandler]) {
        for case .dispatcher(let dispatcher) in handlers.values {
            dispatcher.observeReplies(self) { [weak self] in self.map { $0.webViews?.handlersChanged(in: $0) } }
        }
    }

    /// The value of `navigator.userAgent` in a browser; nil if the browser's own stays.
    /// - Parameter browser: the browser's own user agent.
    func userAgent(in browser: String?) -> String? {
        if let userAgent { return userAgent }
        guard let browser, let name = applicationNameForUserAgent, !name.isEmpty, !browser.contains(name) else {
            return nil
        }
        return UserAgentText.of(browser, with: name)
    }

    /// The user agent that the web view would send in requests on a phone, for browsers that a test starts; nil for the
    /// browser's own.
    package var phoneUserAgent: String? {
        if let userAgent { return userAgent }
        guard let name = applicationNameForUserAgent, !name.isEmpty else { return nil }
        let phone =
            name.contains("Android")
            ? "Mozilla/5.0 (Linux; Android 16; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/142.0.0.0 Mobile Safari/537.36"
            : "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148"
        return UserAgentText.of(phone, with: name)
    }
}

/// Which scripts a document may run.
public enum AllowedScripts: Sendable {
    case all
    /// User scripts and the evaluations of native code, but no scripts of the page itself.
    case native
    case none
}

/// A script that runs in every new document, like `WKUserScript`.
public struct UserScript: Sendable, Equatable {
    public enum InjectionTime: Sendable {
        /// The script runs when the document element exists, but nothing else.
        case atDocumentStart
        /// The script runs when the document has been parsed, before its subresources have loaded.
        case atDocumentEnd
    }

    public var source: String
    public var injectionTime: InjectionTime
    public var forMainFrameOnly: Bool
    /// Patterns of the form `scheme://host/path`, in which `*` matches any text. The port does not count (WebKit's
    /// `UserContentURLPattern`). If there are any, the document's URL must match one of them.
    public var includedPatterns: [String]
    /// Patterns of documents in which the script does not run.
    public var excludedPatterns: [String]
    /// The content world in which the script runs; nil for the page's own. Only driven pages have others.
    public var world: String?

    public init(
        source: String, injectionTime: InjectionTime, forMainFrameOnly: Bool, includedPatterns: [String] = [],
        excludedPatterns: [String] = [], world: String? = nil
    ) {
        self.source = source
        self.injectionTime = injectionTime
        self.forMainFrameOnly = forMainFrameOnly
        self.includedPatterns = includedPatterns
        self.excludedPatterns = excludedPatterns
        self.world = world
    }
}

extension UserScript {
    /// The description that pages get.
    var info: UserScriptInfo {
        UserScriptInfo(
            source: source, atDocumentEnd: injectionTime == .atDocumentEnd, mainFrameOnly: forMainFrameOnly,
            include: includedPatterns.map { UserScriptPattern(text: $0).expression },
            exclude: excludedPatterns.map { UserScriptPattern(text: $0).expression }, world: world)
    }
}

/// A pattern for the URLs of documents in which a user script runs: `scheme://host/path`, in which `*` matches any text
/// (WebKit's `UserContentURLPattern`).
struct UserScriptPattern {
    let text: String

    /// The pattern as a JavaScript regular expression. It is matched against a URL without its port, because WebKit
    /// ignores ports. If the text is not a pattern, the expression matches nothing.
    var expression: String {
        guard let parts = try? /(\*|\w+):\/\/([^\/]*)(\/.*)/.asciiOnlyWordCharacters().wholeMatch(in: text) else {
            return "(?!)"
        }
        let (_, scheme, host, path) = parts.output
        let isAnySubdomain = host.hasPrefix("*.")
        let hosts = (isAnySubdomain ? #"(.*\.)?"# : "") + Self.glob(isAnySubdomain ? host.dropFirst(2) : host)
        return "^\(scheme == "*" ? "https?" : scheme)://\(hosts)\(Self.glob(path))$"
    }

    private static func glob(_ text: Substring) -> String {
        text.map { $0 == "*" ? ".*" : #".+?^${}()|[]\"#.contains($0) ? "\\\($0)" : "\($0)" }.joined()
    }
}
