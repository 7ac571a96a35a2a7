import BridgeProtocol

/// The origins of the app's own pages. Only such a page gets the web view that it asks for, such as `main`, so that a
/// tool does not evaluate in a page of another origin what is meant for the app.
///
/// The settings name these origins. Otherwise, the origin of the first page is the app's. Tools and native code may add
/// others. This type does no I/O.
struct AppOrigins: Sendable {
    /// The greatest number of added origins. The oldest ones are forgotten first.
    private static let limit = 64

    /// The origins that the settings name.
    private let named: [OriginPattern]
    /// The origin of the first page, and those that tools and native code have added.
    private(set) var added: [Origin] = []

    init(named: [OriginPattern] = []) { self.named = named }

    /// Whether it is known which origins are the app's. Until then, each page gets the web view that it asks for.
    var isDecided: Bool { !named.isEmpty || !added.isEmpty }

    /// The named and the added origins.
    var texts: [String] { named.map(\.text) + added.map(\.text) }

    /// The patterns among the named ones, whose origins nobody can list.
    var patterns: [String] { named.filter { !$0.isOrigin }.map(\.text) }

    func contains(_ origin: Origin) -> Bool {
        named.contains { $0.matches(origin) } || added.contains { OriginPattern($0).matches(origin) }
    }

    /// - Returns: false if the origin is one of the app's already.
    mutating func add(_ origin: Origin) -> Bool {
        guard !contains(origin) else { return false }
        added = added.suffix(AppOrigins.limit - 1) + [origin]
        return true
    }

    /// The name of the web view that a page gets. A page of another origin gets its origin as the name, such as
    /// `http://localhost:4000`, or `http://localhost:4000/modal` if it asks for `modal`.
    func webView(of page: PageIdentity) -> String {
        guard let origin = page.origin, isDecided, !page.isOfNativeCode, !page.isObserved, !contains(origin) else {
            return page.webView
        }
        return page.webView == "main" ? origin.text : "\(origin.text)/\(page.webView)"
    }
}

/// The client at the other end of a page's connection or request, as the browser describes it. Scripts cannot change
/// these header fields.
package struct PageSender: Sendable, Equatable {
    /// The page's origin; nil for a client that is not a browser. Such a client has shown a token.
    let origin: Origin?
    /// Whether the page has the daemon's own origin, as the demo does. Nevertheless another server, which had the port
    /// before, may have served it.
    let isOwn: Bool
    /// Whether the client may drive a browser: it is not a page, and has shown the token for tools.
    let isDriver: Bool
    /// The key that a page of the daemon's own origin must present to count as a document of native code; nil for other
    /// pages.
    let documentKey: AccessToken?
    /// The names that are accepted only if the system's resolver says that they are this machine's.
    let uncertainNames: [String]
    /// The address of the client; nil if it is not known.
    var address: String?

    /// A client that is not a browser.
    package init() { (origin, isOwn, isDriver, documentKey, uncertainNames) = (nil, false, true, nil, []) }

    init(_ headers: RequestHeaders, _ access: AccessPolicy) {
        origin = headers.origin.flatMap { Origin($0) }
        isOwn = origin.map { access.isOwn($0, at: headers.host) } ?? false
        isDriver = headers.origin == nil && access.refusal(ofDriver: headers) == nil
        documentKey = isOwn ? access.documentKey : nil
        uncertainNames = access.uncertainNames(in: headers)
    }
}

/// The facts that decide which web view a document gets.
struct PageIdentity: Sendable, Equatable {
    let origin: Origin?
    /// The name of the web view that the page asks for.
    let webView: String
    /// Whether native code made the document (`loadHTMLString`), or the client is not a browser.
    let isOfNativeCode: Bool
    /// Whether the page is in an app of its own. Its web views have names of their own, so that no tool takes it for a page
    /// of this daemon's app, whatever its origin is.
    let isObserved: Bool
    let sender: PageSender

    init(_ attach: AttachPage, _ sender: PageSender) {
        self.sender = sender
        origin = sender.origin
        isObserved = attach.isDevice
        webView =
            !isObserved ? attach.webView : attach.webView == "main" ? "device" : "device.\(attach.webView)"
        let hasKey = attach.documentKey.map { sender.documentKey?.matches($0) ?? false } ?? false
        isOfNativeCode = sender.origin == nil || hasKey
    }
}
