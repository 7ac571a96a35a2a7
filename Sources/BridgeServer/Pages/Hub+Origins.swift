import BridgeProtocol
import BridgeTraffic

/// Which web view a page gets, by its origin (docs/security.md).
extension Hub {
    /// Makes the origin of the first page the app's. The demo gives way to it.
    func decideOrigin(by attach: AttachPage, _ sender: PageSender) {
        guard !appOrigins.isDecided, attach.frame.isMainFrame, !sender.isOwn else { return }
        let origin = attach.engine == nil ? sender.origin : Origin(attach.frame.origin)
        if let origin, !isOwn(origin) { addAppOrigin(origin) }
    }

    /// Returns an error if a page says that it is driven, because only a tool may do so.
    func objection(to attach: AttachPage, from sender: PageSender) -> RPCError? {
        guard attach.engine != nil, !sender.isDriver else { return nil }
        return .invalidParams(
            at: "/engine",
            "expected nothing: only a tool drives a browser, with the daemon's token and without an Origin")
    }

    /// Makes an origin one of the app's. Pages whose web view is another one now are made to attach again.
    func addAppOrigin(_ origin: Origin) {
        guard appOrigins.add(origin) else { return }
        for observer in originObservers { observer(origin.text) }
        for session in registry.sessions where session.page.webView != appOrigins.webView(of: session.identity) {
            session.leave()
            if let channel = session.channel { close(channel, "the page's web view has another name now") }
        }
    }

    /// Makes the origin of a URL that native code or a tool loads one of the app's.
    /// - Parameter page: the page that loads it.
    func addAppOrigin(of navigation: PageNavigation, in page: Page) {
        guard case .url(let url) = navigation, let origin = Origin(startOf: url), let session = page.session,
            origin != session.identity.origin, appOrigins.webView(of: session.identity) == session.identity.webView,
            !isOwn(origin)
        else { return }
        addAppOrigin(origin)
    }

    func isOwn(_ origin: Origin) -> Bool { ownOrigin.map { OriginPattern($0).matches(origin) } ?? false }

    /// Whether the client may speak for a document: nobody has done so before, or a page of the same origin.
    func maySpeak(_ sender: PageSender, for document: String) -> Bool {
        registry.latestSession(of: document).map { $0.identity.origin == sender.origin } ?? true
    }

    /// Records, once for each origin, that its pages do not get the web view that they ask for.
    func reportOtherOrigin(of session: PageSession) {
        guard let origin = session.identity.origin, session.page.webView != session.identity.webView,
            otherOrigins.count < 64, otherOrigins.insert(origin.text).inserted
        else { return }
        let (page, asked) = (session.page, session.identity.webView.forText)
        traffic.problem(
            "otherOrigin",
            "\(page.id) is a page of \(origin.text), which is not the app's origin. Its web view is "
                + "'\(page.webView.forText)' and not '\(asked)'.",
            hint:
                "Tools reach it by that name. If it is the app's, start the daemon with \(setting("app-origin", "appOrigins", origin.text)), or "
                + "run: bridged app-origin '\(origin.text)'",
            page: page)
    }
}

extension RPCError {
    static let otherAuthor = RPCError.invalidRequest("a page of another origin has this document's id")
}
