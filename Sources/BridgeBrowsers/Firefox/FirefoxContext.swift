import BridgeProtocol

/// A window or a frame of Firefox (a "browsing context"), and the documents that it shows.
@MainActor final class FirefoxContext: BrowserFrame {
    let id: String
    /// The frame or window around this frame; nil for a window.
    let parent: FirefoxContext?
    /// The web view of a window. It is nil for one that the user has opened, and for one about which native code was not
    /// asked yet.
    private var ownWebView: DrivenWebView?
    var webView: DrivenWebView? {
        get { window.ownWebView }
        set { window.ownWebView = newValue }
    }
    /// The browser forgets its contexts when they are closed.
    let browser: FirefoxBrowser
    /// The document that is shown, or the last one. It stays attached if Firefox shows an error in its place.
    var document: DrivenDocument?
    /// The document that replaces it as soon as it is shown.
    private(set) var coming: DrivenDocument?
    /// Whether the document's global object is gone, and no other document is shown yet.
    private var hasLostDocument = false
    /// The load that has begun last.
    var lastLoad = FirefoxLoad()
    /// A load of the driver, about which it does not ask native code.
    var own: OwnLoad?
    /// What the user has done since the last load began.
    var actions: [PageAction] = []
    /// How the driver begins the next load: `reload` or `backForward`.
    var nextType: String?
    var panel = FirefoxOpenPanel()
    /// Whether the window shows a page of Firefox itself.
    var showsBrowserPage = false
    let nextPage = NextPage()
    /// Set while native code decides whether the window may open.
    var opening: FirefoxOpening?
    var isMainFrame: Bool { isWindow }
    var parentFrame: (any BrowserFrame)? { parent }
    var url: String { lastLoad.shownURL ?? lastLoad.url }

    init(id: String, parent: FirefoxContext?, webView: DrivenWebView?, browser: FirefoxBrowser) {
        self.id = id
        self.parent = parent
        self.browser = browser
        ownWebView = parent == nil ? webView : nil
    }

    var window: FirefoxContext { parent?.window ?? self }
    var isWindow: Bool { parent == nil }
    /// The page that asks the daemon and tells it about loads.
    var page: DrivenPage? { document?.page ?? window.document?.page }
    var connection: BiDiConnection { browser.connection }

    // MARK: Documents

    /// Adds a global object: that of a new document if it is the page's own.
    /// - Parameter origin: that of the realm; nil if Firefox names none.
    func add(realm id: String, world: String?, origin: String?) -> ScriptWorld? {
        guard let webView else { return nil }
        if world == nil {
            coming?.leave()
            coming = DrivenDocument(in: self, webView, after: document)
        }
        return (coming ?? document).map { ScriptWorld(id: id, name: world, origin: origin, document: $0) }
    }

    /// A global object of the page's own world is gone.
    func lost(_ realm: ScriptWorld) {
        if realm.document === coming {
            coming?.leave()
            coming = nil
        } else if realm.document === document {
            hasLostDocument = true
        }
    }

    /// The next document is shown.
    func show(_ next: DrivenDocument?) {
        guard let next, next === coming else { return }
        document?.leave()
        document = next
        coming = nil
        hasLostDocument = false
        next.withPage { [weak self] page in if let page { self?.nextPage.shown(page) } }
    }

    /// Firefox shows an error in place of the next document.
    func forgetComing() {
        coming?.leave()
        coming = nil
    }

    /// Whether the document is gone and no other one comes: the process that ran it has ended.
    var isTerminated: Bool { hasLostDocument && coming == nil }

    func receive(_ lines: [DrivenLine], from realm: ScriptWorld) {
        let lines = lines.map { line in
            guard case .document(var introduction) = line else { return line }
            show(realm.document)
            introduction.url = lastLoad.shownURL ?? introduction.url
            introduction.isMainFrame = isWindow
            return .document(introduction)
        }
        realm.document.receive(lines, from: realm)
    }

    /// The window or frame was closed. Lets go of what refers to it.
    func end() {
        forgetComing()
        document?.leave()
        document = nil
        opening?.contextEnded()
        opening = nil
    }

    /// Notes what the user has done. Only the latest actions can have begun a load.
    func note(_ action: PageAction) {
        actions = (actions + [action]).suffix(webView?.limits.notes ?? DriverLimits().notes)
    }
}
