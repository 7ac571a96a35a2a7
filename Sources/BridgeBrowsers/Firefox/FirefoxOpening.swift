import BridgeProtocol

/// A window that a page opens, while native code decides whether it may. Firefox has made it already; what happens in it
/// waits.
@MainActor final class FirefoxOpening {
    private weak var context: FirefoxContext?
    private let opener: FirefoxContext
    private var held: [BrowserEvent] = []
    private var isAsked = false

    init(_ context: FirefoxContext, openedBy opener: FirefoxContext) {
        self.context = context
        self.opener = opener
        // A window that begins no load shows its empty document. Firefox does not tell these apart.
        context.connection.send(
            "script.evaluate",
            { writer in
                writer.member("expression", "new Promise((end) => setTimeout(end, 100))")
                writer.member("awaitPromise", true)
                writer.member(
                    "target",
                    object: { writer in
                        writer.member("context", context.id)
                        writer.member("sandbox", "bridged.driver")
                    })
            }, completion: { [weak self] _ in self?.ask("about:blank") })
    }

    /// Keeps an event until native code has decided.
    func hold(_ event: BrowserEvent) {
        held.append(event)
        guard event.method == "browsingContext.navigationStarted", let url = event.params["url"]?.string else { return }
        ask(url)
    }

    /// A global object of the window is gone, and what was held of it.
    func forget(realm: String) {
        held.removeAll { $0.method == "script.realmCreated" && $0.params["realm"]?.string == realm }
    }

    // MARK: The questions

    private func ask(_ url: String) {
        guard !isAsked else { return }
        isAsked = true
        let type = opener.actions.last { $0.begins(url) }?.type ?? "other"
        opener.actions = []
        opener.ask { writer in
            writer.member("url", url)
            writer.member("type", type)
            writer.member("isMainFrame", true)
            writer.member("hasTargetFrame", false)
        } decided: { isAllowed in
            isAllowed ? self.askForWindow(url) : self.refuse()
        }
    }

    private func askForWindow(_ url: String) {
        guard let page = opener.page, let webView = opener.webView else { return refuse() }
        page.request("window.open") {
            $0.member("url", url)
        } completion: { result in
            let answer = try? result.get()
            guard answer?["policy"]?.string != "cancel" else { return self.refuse() }
            guard let name = answer?["webView"]?.string else { return self.accept(webView.makePopup()) }
            Task {
                guard let own = try? await DrivenWebView(name, engine: .firefox, link: webView.link) else {
                    return self.refuse()
                }
                own.onProblem = webView.onProblem
                self.accept(own)
            }
        }
    }

    private func refuse() {
        guard let context else { return }
        context.connection.send("browsingContext.close") { $0.member("context", context.id) }
    }

    /// Lets the window go on as a web view.
    private func accept(_ webView: DrivenWebView) {
        guard let context else { return }
        context.webView = webView
        Task {
            try? await context.browser.prepare(context, for: webView)
            context.opening = nil
            for event in held { context.browser.handle(event) }
            held = []
            // Its first document has the handlers of the window that has opened it.
            if !webView.isPopup { context.document?.update(webView.settings) }
        }
    }
}
