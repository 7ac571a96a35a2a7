import BridgeProtocol
import BridgeTraffic

/// Finds the page that a call names, or waits for one to attach. On the main actor.
@MainActor final class PageWaiters {
    private let documents: Documents
    private let waiters: Waiters<Page>

    init(_ documents: Documents) {
        self.documents = documents
        waiters = Waiters(deadlines: documents.deadlines)
        documents.observe { [weak documents, waiters] _, page in
            guard page.frame.isMainFrame else { return }
            // The older pages count, too: when a newer page is gone, the one before it may be the page that a call
            // waits for.
            documents?.registry.attachedPages(of: page.webView).forEach(waiters.offer)
        }
    }

    /// Returns the page with an id, or the newest attached page of a web view.
    /// - Parameter timeout: how long to wait for a page of the web view to attach; nil for `Limits.pageTimeout`.
    /// - Throws: `noSuchPage` if no page has the id; `waitTimedOut` if no page of the web view attaches in time.
    func page(at address: PageAddress, within timeout: Duration?) async throws(RPCError) -> Page {
        switch address {
        case .page(let id):
            guard let page = pageNow(at: address) else { throw noSuchPage(id) }
            return page
        case .webView(let name):
            return try await page(of: name, within: timeout ?? documents.limits.pageTimeout) { _ in true }
        }
    }

    /// Returns the page with an id, or the page that a web view shows now; nil if there is none.
    func pageNow(at address: PageAddress) -> Page? {
        switch address {
        case .page(let id): documents.registry.page(withID: id)
        case .webView(let name): documents.registry.mainPage(of: name)
        }
    }

    /// Returns the newest attached main-frame document of a web view that matches. If there is none, waits for one to
    /// attach.
    /// - Throws: `waitTimedOut` if none attaches in time.
    func page(
        of webView: String, within timeout: Duration, where matches: @escaping (Page) -> Bool
    ) async throws(RPCError) -> Page {
        if let page = documents.registry.mainPage(of: webView, where: matches) { return page }
        if let page = await waiters.next(within: timeout, where: { $0.webView == webView && matches($0) }) {
            return page
        }
        throw timedOut(webView, timeout)
    }

    private func noSuchPage(_ id: String) -> RPCError {
        let ids = documents.pages.map(\.id)
        let known = ids.isEmpty ? "No page is attached." : "The pages are: \(ids.joined(separator: ", "))."
        return RPCError(
            .noSuchPage, "There is no page '\(id.forText)'. \(known)",
            data: ["page": .string(id), "pages": .array(ids.map(JSONValue.string))])
    }

    private func timedOut(_ webView: String, _ timeout: Duration) -> RPCError {
        let others = documents.pages.filter(\.isAttached).map {
            "\($0.id) (\($0.webView.forText), \($0.frame.url.forText))"
        }
        let known = others.isEmpty ? "No page is attached." : "Attached pages: \(others.joined(separator: ", "))."
        return .waitTimedOut("No matching page of the web view '\(webView.forText)' attached", after: timeout, known)
    }
}
