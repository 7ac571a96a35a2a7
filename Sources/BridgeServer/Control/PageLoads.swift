import BridgeProtocol
import BridgeTraffic

/// Waits until a web view's page has loaded so far that a user could use it. On the main actor.
@MainActor struct PageLoads {
    let parts: ServerParts
    let waiters: PageWaiters
    /// Returns the visit of a web view, as far as the app knows it.
    let visit: @MainActor (_ webView: String) -> AppVisit

    /// Waits until the `load` event of a web view's document is over and the app's visit has ended. If another document
    /// takes its place meanwhile, waits for that one.
    ///
    /// - Parameter fits: whether this is the page to wait for.
    /// - Throws: `waitTimedOut` with what is still missing; `invalidRequest` if the visit has failed. A visit that
    ///   failed with an HTTP status counts as ended, because its page is there.
    func page(
        of webView: String, within timeout: Duration, where fits: @escaping (Page) -> Bool
    ) async throws(RPCError) -> Page {
        let end = parts.deadlines.now + timeout
        while true {
            let page = try await loaded(webView, within: timeout, until: end, where: fits)
            if try await visitIsOver(of: page, within: timeout, until: end, where: fits) { return page }
        }
    }

    /// The newest document that fits. An earlier one is not waited for: it may have loaded, and is about to be
    /// replaced.
    private func newest(in webView: String, where fits: (Page) -> Bool) -> Page? {
        parts.documents.registry.mainPage(of: webView, where: fits)
    }

    private func loaded(
        _ webView: String, within timeout: Duration, until end: ContinuousClock.Instant,
        where fits: @escaping (Page) -> Bool
    ) async throws(RPCError) -> Page {
        let left = max(.zero, end - parts.deadlines.now)
        do {
            return try await waiters.page(of: webView, within: left) { page in
                page.readyState == "complete" && newest(in: webView, where: fits) === page
            }
        } catch  where error.code == .waitTimedOut {
            // There is no page, or it has not loaded.
            guard let page = newest(in: webView, where: fits) else { throw error }
            let missing = await PageLoads.missing(in: page)
            throw .waitTimedOut("The load event of \(page.frame.url.forText) did not come", after: timeout, missing)
        }
    }

    // MARK: The document

    /// A sentence that says what a document still waits for before it has loaded.
    private static func missing(in page: Page) async -> String {
        let result = await value(of: pendingScript, in: page)
        let state = "Its readyState is \(page.readyState)"
        guard case .success(let value) = result else { return "\(state), and a script keeps it from answering." }
        let urls = (try? value.decode([String].self)) ?? []
        return urls.isEmpty ? "\(state)." : "\(state); it waits for \(urls.map(\.forText).joined(separator: ", "))."
    }

    /// Returns the URLs of elements whose resources have not finished loading.
    private static let pendingScript = """
        (() => {
          const finished = new Set(performance.getEntriesByType("resource").map((entry) => entry.name))
          const pending = [...document.querySelectorAll("script[src], link[rel~=stylesheet], img, iframe")]
            .filter((element) => element.localName !== "img" || !element.complete)
            .map((element) => element.currentSrc || element.src || element.href)
          return [...new Set(pending)].filter((url) => url && !finished.has(url)).slice(0, 5)
        })()
        """

    private static func value(of script: String, in page: Page) async -> Result<ScriptValue, ScriptError> {
        await withCheckedContinuation { continuation in
            ToolScripts.$areRunning.withValue(true) {
                page.evaluate(script, timeout: .seconds(2)) { continuation.resume(returning: $0) }
            }
        }
    }

    // MARK: The visit

    /// Waits until the app's visit is over.
    /// - Returns: false if another document has taken the place of this one.
    private func visitIsOver(
        of page: Page, within timeout: Duration, until end: ContinuousClock.Instant, where fits: (Page) -> Bool
    ) async throws(RPCError) -> Bool {
        var hasTurbo: Bool?
        while true {
            // `loaded` has just found this page. If it is not the newest any more, the caller begins again with the
            // newest.
            guard newest(in: page.webView, where: fits) === page else { return false }
            // Noted before the app is asked, so that no record is missed.
            let after = parts.documents.traffic.lastRecord
            switch visit(page.webView) {
            case .none, .ended: return true
            case .failed(let reason):
                throw RPCError(.invalidRequest, "The visit of \(page.frame.url.forText) failed: \(reason.forText).")
            case .mayWaitForTurbo:
                // The app would wait in vain for a page without Turbo.
                if hasTurbo == nil { hasTurbo = await PageLoads.hasTurbo(page) }
                if hasTurbo == false { return true }
            case .underWay: break
            }
            let left = max(.zero, end - parts.deadlines.now)
            guard (try? await parts.documents.traffic.next(PageLoads.changes, after: after, timeout: left)) != nil
            else {
                // The time is over, or the call was cancelled.
                throw .waitTimedOut(
                    "The visit of \(page.frame.url.forText) did not end", after: timeout,
                    "Its document has loaded, but Turbo in it has not reported that it shows the page.")
            }
        }
    }

    /// The records after which a visit may be over.
    private static let changes = TrafficFilter([.init(.kind, "app", "message", "page")])

    private static func hasTurbo(_ page: Page) async -> Bool {
        // WebKit says that the load is over before the page's modules have run, and Android adds its adapter in the turn after
        // the load event.
        let body = """
            if (document.readyState !== "complete") await new Promise((resolve) => addEventListener("load", resolve))
            await new Promise((resolve) => setTimeout(resolve))
            return Boolean((window.Turbo || window.Turbolinks) && window.turboNative)
            """
        let answer = try? await ToolScripts.$areRunning.withValue(true) {
            try await page.callAsync(body, as: Bool.self, timeout: .seconds(2))
        }
        // A page that does not answer has been left, or is sandboxed and runs no scripts.
        return answer ?? false
    }
}

/// The visit of a web view, as far as the app knows it.
public enum AppVisit: Sendable, Equatable {
    /// The app makes no visits there.
    case none
    case underWay
    /// It continues if the page has Turbo, which the app does not know yet.
    case mayWaitForTurbo
    /// The visit has completed, or the page shows the server's error.
    case ended
    /// The visit has failed. The text is the end of a sentence that says why.
    case failed(String)
}
