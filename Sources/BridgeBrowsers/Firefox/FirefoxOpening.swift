import BridgeProtocol

/// A window that a page opens, while native code decides whether it may. Firefox has made it already; what happens in it
/// waits.
@MainActor final class FirefoxOpening {
    private weak var context: FirefoxContext?
    private let opener: FirefoxContext
    private var held: [BrowserEvent] = []
    private var isAsked = false
    private var isRefused = false
    /// Called with whether the window has opened.
    private var waiting: [(Bool) -> Void] = []

    init(_ context: FirefoxContext, openedBy opener: FirefoxContext) {
        self.context = context
        self.opener = opener
        // A window that begins no load shows its empty document. Firefox does not tell these apart.
        context.runApart("new Promise((end) => setTimeout(end, 100))", awaits: true) { [weak self] _ in
            self?.ask("about:blank")
        }
    }

    /// Keeps an event until native code has decided.
    func hold(_ event: BrowserEvent) {
        guard !isRefused else { return }
        guard held.count < (opener.webView?.limits.events ?? DriverLimits().events) else {
            opener.webView?.report(
                "A window was closed: too much happened in it before native code was asked about it.")
            return refuse()
        }
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
        // A window that is not open yet opens none.
        guard let openersOwn = opener.opening else { return askForLoad(url) }
        openersOwn.waiting.append { [self] isOpen in isOpen ? askForLoad(url) : refuse() }
    }

    private func askForLoad(_ url: String) {
        let type = opener.actions.takeType(of: url) ?? "other"
        opener.ask(NavigationQuestion(url, .init(rawValue: type), hasTargetFrame: false)) { isAllowed in
            isAllowed ? self.askForWindow(url) : self.refuse()
        }
    }

    private func askForWindow(_ url: String) {
        guard let page = opener.page, let webView = opener.webView else { return refuse() }
        page.askForWindow(url) { decision in
            switch decision {
            case .refused: self.refuse()
            case .allowed: self.accept(webView.makePopup())
            case .webView(let name):
                Task {
                    guard let own = try? await webView.other(name) else { return self.refuse() }
                    self.accept(own)
                }
            }
        }
    }

    private func refuse() {
        held = []
        (isAsked, isRefused) = (true, true)
        tell(false)
        guard let context else { return }
        context.connection.send("browsingContext.close") { $0.member("context", context.id) }
    }

    /// The window was closed.
    func contextEnded() { tell(false) }

    private func tell(_ isOpen: Bool) {
        let list = waiting
        waiting = []
        for tell in list { tell(isOpen) }
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
            tell(true)
            // Its first document has the handlers of the window that has opened it.
            if !webView.isPopup { context.document?.update(webView.settings) }
        }
    }
}
