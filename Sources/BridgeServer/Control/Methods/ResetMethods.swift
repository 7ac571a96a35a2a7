import BridgeProtocol

/// Takes the app and its browser back to a fresh install, for the next test with the same daemon. On the main actor.
@MainActor struct ResetMethods {
    let documents: Documents
    let webViews: WebViews
    let appMethods: AppMethods

    func install(in dispatcher: ControlDispatcher) {
        dispatcher.on(ResetApp.self) { _, _ in
            for fault in webViews.faults.all { _ = webViews.removeFault(fault.id) }
            webViews.rewindCassette()
            let left = await clearStorage()
            appMethods.app?.reset()
            appMethods.app?.resetComponents()
            return ControlResult(members: { $0.member("notCleared", left) })
        }
    }

    /// Deletes what pages have stored: by a command of the browser, if it is driven, and by a script in each page, which
    /// reaches what belongs to its origin.
    /// - Returns: what is left.
    private func clearStorage() async -> [String] {
        // What a real app has stored is its user's.
        let own = documents.pages.filter { !$0.isObserved }
        let attached = own.filter(\.isAttached)
        let pages = attached.filter(\.frame.isMainFrame)
        let away = own.filter { !$0.isAttached && $0.frame.isMainFrame }
        guard !pages.isEmpty else { return unreachable(away) }
        let app = documents.origins.app
        let shown = Set(pages.compactMap(origin))
        let asked = attached + away.filter(\.isDriven)
        let origins = shown.union(asked.compactMap(origin)).union(app.texts).subtracting(app.patterns)
        var left: Set<String> = []
        var cleared: Set<BrowserEngine> = []
        var others: Set<String> = []
        for page in pages {
            if page.isDriven {
                switch await page.result(of: .clearStorage(origins: origins.sorted()), timeout: .seconds(5)) {
                case .success(let value):
                    others.formUnion(value.json.elements.compactMap(\.string))
                    if let engine = page.engine { cleared.insert(engine) }
                case .failure(let error): left.insert("cookies and storage in the browser of \(page.id): \(error)")
                }
            } else {
                others.formUnion(origins)
                if let origin = origin(of: page) {
                    left.insert(
                        "cookies of \(origin) that scripts do not see (HttpOnly): bridged does not drive the browser")
                }
            }
            // The browser of WebKit clears those of all origins.
            if page.engine != .webkit { others.formUnion(app.patterns) }
            left.formUnion(await clearByScript(page))
        }
        left.formUnion(others.subtracting(shown).map { "storage of \($0): no page of it is open" })
        // One page of a driven browser clears what the others of that browser have stored.
        let missed = away.filter { page in !cleared.contains { $0 == page.engine } }
        left.formUnion(missed.map(unreachable))
        return left.sorted()
    }

    /// What is left if no page is attached that could be asked. Before the first page nothing is.
    private func unreachable(_ away: [Page]) -> [String] {
        guard away.isEmpty else { return away.map(unreachable) }
        guard documents.registry.count > 0 else { return [] }
        return [
            "cookies and storage in the browsers of earlier pages: no page is attached. "
                + "Open one in each of these browsers, then reset again."
        ]
    }

    private func unreachable(_ page: Page) -> String {
        "cookies and storage of \(origin(of: page) ?? page.url): \(page.id) has no connection. "
            + "Reset again when it is attached, or open another page."
    }

    private func origin(of page: Page) -> String? { Origin(page.frame.origin)?.text }

    private static let script = """
        // A document without an origin has stored nothing.
        if (self.origin === "null" && location.protocol !== "file:") return []
        const left = []
        const clear = async (what, body) => {
          try {
            const rest = await body()
            if (rest) left.push(`${what} of ${location.origin}: ${rest}`)
          } catch (error) {
            left.push(`${what} of ${location.origin}: ${error.message}`)
          }
        }
        await clear("localStorage", () => localStorage.clear())
        await clear("sessionStorage", () => sessionStorage.clear())
        await clear("IndexedDB", async () => {
          const open = []
          for (const { name } of await indexedDB.databases()) {
            await new Promise((done, fail) => {
              const request = indexedDB.deleteDatabase(name)
              request.onsuccess = done
              request.onerror = () => fail(request.error)
              request.onblocked = () => done(open.push(name))
            })
          }
          return open.length > 0 ? `a page has ${open.join(", ")} open` : ""
        })
        // Pages without TLS have neither, except on this machine.
        if (self.caches) {
          await clear("Cache Storage", async () => { for (const key of await caches.keys()) await caches.delete(key) })
        }
        if (navigator.serviceWorker) {
          await clear("service workers", async () => {
            for (const worker of await navigator.serviceWorker.getRegistrations()) await worker.unregister()
          })
        }
        await clear("cookies", () => {
          const names = () => document.cookie.split("; ").filter(Boolean).map((cookie) => cookie.split("=")[0])
          const [parts, labels] = [location.pathname.split("/"), location.hostname.split(".")]
          const paths = parts.map((_, end) => parts.slice(0, end + 1).join("/")).flatMap((path) => [path, `${path}/`])
          const domains = ["", ...labels.map((_, start) => `; Domain=${labels.slice(start).join(".")}`)]
          for (const name of names()) {
            for (const path of paths) {
              for (const domain of domains) document.cookie = `${name}=; Max-Age=0; Path=${path || "/"}${domain}`
            }
          }
          return names().join(", ")
        })
        return left
        """

    /// Deletes what scripts of a page can delete.
    /// - Returns: what is left.
    private func clearByScript(_ page: Page) async -> [String] {
        await ToolScripts.$areRunning.withValue(true) {
            do {
                return try await page.callAsync(ResetMethods.script, as: [String].self, timeout: .seconds(5))
            } catch {
                return ["storage of \(origin(of: page) ?? page.id): \(error)"]
            }
        }
    }
}
