import BridgeProtocol
import BridgeTraffic

/// Finds the page that a call names, or waits for one to attach. On the main actor.
@MainActor final class PageWaiters {
    private let documents: Documents
    private let waiters: Waiters<OfferedPage>
    /// The page that the user saw when the app changed last.
    private weak var shownPage: Page?
    /// Whether the app has changed in this turn of the main actor.
    private var appHasChanged = false
    /// Returns the web view of the app's visible screen; nil if that screen has none.
    private let appWebView: @MainActor () -> String?

    init(_ documents: Documents, appWebView: @escaping @MainActor () -> String?) {
        self.documents = documents
        self.appWebView = appWebView
        waiters = Waiters(deadlines: documents.deadlines)
        documents.observe { [weak self] _, page in
            guard let self, page.frame.isMainFrame, !self.waiters.isEmpty else { return }
            // The older pages count, too: when a newer page is gone, the one before it may be the page that a call
            // waits for.
            self.documents.registry.attachedPages(of: page.webView).forEach(self.offer)
        }
        // The app may show another web view, whose page has been there before.
        documents.traffic.observeApp { [weak self] in
            guard let self, !self.appHasChanged, !self.waiters.isEmpty else { return }
            self.appHasChanged = true
            // The app has moved its stacks when this turn is over.
            Task { self.offerVisiblePage() }
        }
    }

    /// Most changes of the app leave the screen as it is, and thousands of calls may wait for another page.
    private func offerVisiblePage() {
        appHasChanged = false
        let page = visiblePage
        guard page !== shownPage else { return }
        shownPage = page
        if let page { offer(page) }
    }

    private func offer(_ page: Page) {
        let isMain = visibleWebView == "main"
        waiters.offer(OfferedPage(page: page, isVisible: isMain ? page.webView == "main" : page === visiblePage))
    }

    /// How long calls wait for a page that give no time.
    var usualTimeout: Duration { documents.limits.pageTimeout }

    /// The web view of the screen that the user sees. A browser with the script tag shows no other than `main`.
    /// Nil if the screen has none.
    var visibleWebView: String? {
        let isDriven =
            documents.registry.mainPage(of: "main")?.isDriven ?? documents.pages.contains(where: \.isDriven)
        return isDriven ? appWebView() : "main"
    }

    /// The page that the user sees. A modal's new window shows the empty document first, which does not count.
    var visiblePage: Page? {
        guard let webView = visibleWebView, let page = documents.registry.mainPage(of: webView) else { return nil }
        return webView == "main" || page.frame.url != "about:blank" ? page : nil
    }

    /// Returns the page with an id, or the newest attached page of a web view or of the visible screen that matches. If the
    /// web view or the screen has none, waits for it to attach.
    /// - Parameter timeout: how long to wait; nil for `Limits.pageTimeout`.
    /// - Throws: `noSuchPage` if no page has the id; `waitTimedOut` if none attaches in time.
    func page(
        at address: PageAddress, within timeout: Duration? = nil,
        where matches: @escaping (Page) -> Bool = { _ in true }
    ) async throws(RPCError) -> Page {
        if let page = pageNow(at: address, where: matches) { return page }
        if case .page(let id) = address { throw noSuchPage(id) }
        if case .device(let id) = address { return try await page(ofDevice: id, within: timeout, where: matches) }
        let timeout = timeout ?? usualTimeout
        let found = await waiters.next(within: timeout) { offered in
            switch address {
            case .webView(let name): offered.page.webView == name && matches(offered.page)
            case .device(let id): offered.page.deviceID == id && matches(offered.page)
            case .page, .visible: offered.isVisible && matches(offered.page)
            }
        }
        guard let found else { throw timedOut(address, timeout) }
        return found.page
    }

    /// Returns the page with an id, or the page that a web view or the visible screen shows now; nil if there is none.
    func pageNow(at address: PageAddress, where matches: (Page) -> Bool = { _ in true }) -> Page? {
        switch address {
        case .page(let id): documents.registry.page(withID: id)
        case .webView(let name): documents.registry.mainPage(of: name, where: matches)
        case .device(let id): documents.registry.page(ofDevice: id, where: matches)
        case .visible where visibleWebView == "main": documents.registry.mainPage(of: "main", where: matches)
        case .visible: visiblePage.flatMap { matches($0) ? $0 : nil }
        }
    }

    /// Waits for the next page of a device that shows none. Its app may have ended, so the time is short.
    private func page(
        ofDevice id: String, within timeout: Duration?, where matches: @escaping (Page) -> Bool
    ) async throws(RPCError) -> Page {
        guard let last = documents.registry.latestPage(ofDevice: id) else { throw noSuchDevice(id) }
        // A slow server may take as long for the next document.
        let timeout = min(timeout ?? usualTimeout, usualTimeout * 2)
        let found = await waiters.next(within: timeout) { $0.page.deviceID == id && matches($0.page) }
        if let found { return found.page }
        throw RPCError(
            .documentGone,
            "\(id) shows no page any more: \(last.id) (\(last.frame.url.forText)) was left or has lost its connection, and none "
                + "came within \(timeout). The app may have ended, or shows a page without the tag of bridge.js.",
            data: ["page": .string(last.id)])
    }

    private func noSuchDevice(_ id: String) -> RPCError {
        let known = documents.pages.compactMap(\.deviceID).reduce(into: [String]()) {
            if !$0.contains($1) { $0.append($1) }
        }
        let others = known.isEmpty ? "No real app is attached." : "The devices are: \(known.joined(separator: ", "))."
        return RPCError(.noSuchPage, "There is no device '\(id.forText)'. \(others)", data: ["page": .string(id)])
    }

    private func noSuchPage(_ id: String) -> RPCError {
        let ids = documents.pages.map(\.id)
        let known = ids.isEmpty ? "No page is attached." : "The pages are: \(ids.joined(separator: ", "))."
        return RPCError(
            .noSuchPage, "There is no page '\(id.forText)'. \(known)",
            data: ["page": .string(id), "pages": .array(ids.map(JSONValue.string))])
    }

    private func timedOut(_ address: PageAddress, _ timeout: Duration) -> RPCError {
        let name = if case .webView(let name) = address { name } else { visibleWebView }
        guard let webView = name else {
            return .waitTimedOut(
                "The visible screen got no page", after: timeout, "To use the page that it covers, name its web view.")
        }
        let others = documents.pages.filter(\.isAttached).map {
            "\($0.id) (\($0.webView.forText), \($0.frame.url.forText))"
        }
        let known = others.isEmpty ? "No page is attached." : "Attached pages: \(others.joined(separator: ", "))."
        return .waitTimedOut("No matching page of the web view '\(webView.forText)' attached", after: timeout, known)
    }
}

/// A page that calls may wait for.
private struct OfferedPage: Sendable {
    let page: Page
    /// Whether it is the page of the visible screen, which is looked up once for all calls.
    let isVisible: Bool
}
