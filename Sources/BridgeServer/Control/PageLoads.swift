import BridgeProtocol
import BridgeTraffic

/// Waits until a web view's page has loaded so far that a user could use it. On the main actor.
@MainActor struct PageLoads {
    let parts: ServerParts
    let waiters: PageWaiters
    /// Returns the visit of a web view, as far as the app knows it.
    let visit: @MainActor (_ webView: String) -> AppVisit

    /// Waits until the `load` event of a document is over and the app's visit has ended. If another document takes its place
    /// meanwhile, waits for that one.
    ///
    /// - Parameters:
    ///   - address: a web view, or the visible screen.
    ///   - fits: whether this is the page to wait for.
    /// - Throws: `waitTimedOut` with what is still missing; `invalidRequest` if the visit has failed. A visit that
    ///   failed with an HTTP status counts as ended, because its page is there.
    func page(
        at address: PageAddress, within timeout: Duration, where fits: @escaping (Page) -> Bool = { _ in true }
    ) async throws(RPCError) -> Page {
        let end = parts.deadlines.now + timeout
        while true {
            let page = try await loaded(address, within: timeout, until: end, where: fits)
            if try await visitIsOver(of: page, at: address, within: timeout, until: end, where: fits) { return page }
        }
    }

    /// Waits until the visit that the app makes in the visible screen is over, if there is one. Visits that fail are over,
    /// too.
    /// - Parameters:
    ///   - timeout: the whole time, for the message.
    ///   - end: when it is over.
    /// - Throws: `waitTimedOut` if it does not end in time.
    private func visitEnds(within timeout: Duration, until end: ContinuousClock.Instant) async throws(RPCError) {
        guard parts.documents.pages.contains(where: \.isAttached) else { return }
        while !Task.isCancelled, let webView = waiters.visibleWebView {
            switch visit(webView) {
            case .none, .ended, .failed: return
            case .underWay, .mayWaitForTurbo: break
            }
            let left = end - parts.deadlines.now
            guard left > .zero else { throw .waitTimedOut("The visit did not end", after: timeout) }
            do throws(RPCError) {
                // A visit can also fail without a page.
                _ = try await page(at: .visible, within: min(left, .milliseconds(500)))
                return
            } catch  where error.code == .waitTimedOut {
                continue
            } catch {
                // The visit has failed, which the app shows.
                return
            }
        }
    }

    /// Does what the app's user does, and waits until the visit that it begins is over. An action that leaves the screen
    /// begins when a visit that is under way is over.
    ///
    /// - Parameter timeout: how long to wait for both; nil waits for none.
    /// - Throws: ``ActionError`` or ``ActionRefusal`` if the app does not do it, `waitTimedOut` if a visit does not end,
    ///   `CancellationError` if the caller is cancelled before the action.
    func perform(
        _ name: String, _ arguments: Action.Arguments, in app: any ControllableApp, visitsEndWithin timeout: Duration?
    ) async throws -> ActionResult {
        let end = parts.deadlines.now + (timeout ?? .zero)
        if let timeout, let action = app.actions.first(where: { $0.name == name }), action.leavesScreen {
            // A mistake in the arguments needs no wait.
            try action.validate(arguments)
            do throws(RPCError) { try await visitEnds(within: timeout, until: end) } catch {
                throw RPCError(
                    error.code,
                    "\(name) was not done: the visit before it did not end within \(timeout). With wait: false "
                        + "(--no-wait) it waits for none.")
            }
            try Task.checkCancellation()
        }
        let result = try app.perform(name, arguments)
        try await result.arrive()
        if let timeout, result.beginsVisit { try await visitEnds(within: timeout, until: end) }
        return result
    }

    private func loaded(
        _ address: PageAddress, within timeout: Duration, until end: ContinuousClock.Instant,
        where fits: @escaping (Page) -> Bool
    ) async throws(RPCError) -> Page {
        let left = max(.zero, end - parts.deadlines.now)
        // Only the newest document that fits counts. An earlier one may have loaded, and is about to be replaced.
        do {
            return try await waiters.page(at: address, within: left) { page in
                page.readyState == "complete" && waiters.pageNow(at: address, where: fits) === page
            }
        } catch  where error.code == .waitTimedOut {
            // There is no page, or it has not loaded.
            guard let page = waiters.pageNow(at: address, where: fits) else { throw error }
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
        of page: Page, at address: PageAddress, within timeout: Duration, until end: ContinuousClock.Instant,
        where fits: (Page) -> Bool
    ) async throws(RPCError) -> Bool {
        var hasTurbo: Bool?
        while true {
            // `loaded` has just found this page. If it is not the newest any more, the caller begins again with the
            // newest.
            guard waiters.pageNow(at: address, where: fits) === page else { return false }
            // Noted before the app is asked, so that no record is missed.
            let after = parts.documents.traffic.lastRecord
            switch visit(page.webView) {
            case .none, .ended: return true
            case .failed(let reason):
                throw RPCError(.invalidRequest, "The visit of \(page.frame.url.forText) failed: \(reason.forText).")
            case .mayWaitForTurbo:
                // The app would wait in vain for a page without Turbo.
                if hasTurbo == nil { hasTurbo = await PageLoads.hasTurbo(page) }
                if hasTurbo == false { return waiters.pageNow(at: address, where: fits) === page }
            case .underWay: break
            }
            let left = max(.zero, end - parts.deadlines.now)
            // The end of a load makes no record.
            let pause = min(left, .milliseconds(10))
            _ = try? await parts.documents.traffic.next(PageLoads.changes, after: after, timeout: pause)
            guard parts.deadlines.now < end, !Task.isCancelled else {
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
