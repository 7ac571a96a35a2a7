import BridgeProtocol
import WebFiles

/// The script that pages load as `/bridge.js`: `web/bridge.js` with its parts and with the settings of a web view.
///
/// The settings are in the script because the handlers must exist before the page's next script runs. The rest is
/// served unchanged, including the comments, so that developer tools show the same text as the repository.
struct BridgeScript {
    private let beforeSettings: [UInt8]
    private let afterSettings: [UInt8]
    /// The hash of everything but the settings.
    private let programHash: FNV1a
    private let observed: [String]

    /// - Parameter observed: what to observe in apps of their own, beside what is known of frameworks.
    /// - Throws: `MissingWebFile` if the executable was moved without its resources.
    init(observed: [String]) throws(MissingWebFile) {
        self.observed = observed
        let marker = "/* bridged:settings */ null"
        let script = try WebFiles.script("bridge.js")
        let halves = script.split(separator: marker, maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard halves.count == 2 else { throw MissingWebFile(path: "\"\(marker)\" in web/bridge.js") }
        beforeSettings = Array(halves[0].utf8)
        afterSettings = Array(halves[1].utf8)
        var hash = FNV1a()
        hash.combine(beforeSettings)
        hash.combine(afterSettings)
        programHash = hash
    }

    /// The settings that are written into a page's script as JSON.
    struct Settings {
        /// The URL to which the page connects, such as `ws://localhost:2734/page`. Its host is that of the request,
        /// which the access policy has checked.
        let url: String
        /// The page token, if pages need one.
        let token: String?
        /// The browser's own user agent.
        let userAgent: String?
        /// The web view that the script is for; nil if the page names it itself.
        let webView: String?
        /// Whether the page is of the app. True while it is not known which pages are.
        let isOfApp: Bool
        /// The key of `/document`, for a document of native code.
        let documentKey: String?
        /// False for the empty document that a web view shows at first.
        let hasUserScripts: Bool
        let webViews: WebViews
    }

    /// Makes the response: the script, or 304 Not Modified if the client's copy is the same.
    ///
    /// - Parameter ifNoneMatch: the entity tags that the client has (`If-None-Match`, RFC 9110, section 13.1.2).
    @MainActor func response(_ settings: Settings, ifNoneMatch: String?) -> HTTPResponse {
        var writer = JSONWriter(escaping: .html)
        writer.object { writer in
            settings.writeMembers(to: &writer)
            if !observed.isEmpty { writer.member("observe", observed) }
        }
        var hash = programHash
        hash.combine(writer.bytes)
        let entityTag = "\"\(hash.text)\""
        var response = HTTPResponse(
            contentType: "text/javascript; charset=utf-8",
            fields: [
                ("ETag", entityTag),
                // The handlers may be different at the next load, so the browser must ask each time.
                ("Cache-Control", "no-cache"),
                // Without this field, browsers use their copy without asking when the user goes back to a page.
                ("Vary", "*"),
                // Lets a page that isolates itself (Cross-Origin-Embedder-Policy) load the script.
                ("Cross-Origin-Resource-Policy", "cross-origin"),
            ])
        if let ifNoneMatch, ifNoneMatch == "*" || ifNoneMatch.contains(entityTag) {
            response.status = .notModified
        } else {
            response.body = beforeSettings + writer.bytes + afterSettings
        }
        return response
    }
}

extension BridgeScript.Settings {
    @MainActor fileprivate func writeMembers(to writer: inout JSONWriter) {
        writer.member("url", url)
        writer.member("token", ifPresent: token)
        writer.member("version", BridgeServer.version)
        writer.member("webView", ifPresent: webView)
        writer.member("documentKey", ifPresent: documentKey)
        // The scopes of the app's web views are not for a page of another origin.
        write(isOfApp ? webView : nil, to: &writer)
        let names = webViews.namedWebViews
        guard webView == nil, isOfApp, !names.isEmpty else { return }
        writer.member(
            "webViews",
            object: { writer in
                for name in names { writer.member(named: name, object: { write(name, to: &$0) }) }
            })
    }

    /// - Parameter webView: nil for the web views that have no scope of their own.
    @MainActor private func scope(of webView: String?) -> WebViewScope {
        webView.map(webViews.scope) ?? webViews.defaultScope
    }

    @MainActor private func write(_ webView: String?, to writer: inout JSONWriter) {
        let scope = scope(of: webView)
        let allowed = scope.allowedScripts()
        let settings = WebViewSettings(
            handlers: webViews.handlerInfo(of: webView),
            userScripts: hasUserScripts && allowed != .none ? webViews.userScripts(of: scope).map(\.info) : [],
            interfaces: webViews.interfaceInfo(of: webView), userAgent: scope.userAgent(in: userAgent),
            allowsContentScripts: allowed == .all, answersDialogs: webViews.answersDialogs(of: webView))
        settings.writeMembers(to: &writer)
        if scope.decidesLoads() { writer.member("loads", true) }
    }
}
