import BridgeBrowsers
import BridgeProtocol
import CWebKitGTK

/// A window with a web view of WebKitGTK that stands for a web view of the daemon.
@MainActor final class HostedWebView {
    let webView: DrivenWebView
    let view: GObject<WebKitWebView>
    let options: WindowOptions
    let context: WebContext
    let window: UnsafeMutablePointer<GtkWidget>
    private let content: UserContent
    private let settings: GObject<WebKitSettings>
    /// The document that is shown.
    private(set) var document: WebKitDocument?
    /// Whether a load has begun and not committed: WebKit's URL is then that of a document to come.
    var isProvisional = false
    /// Called when the window has closed.
    var onClose: @MainActor () -> Void = {}
    /// The windows that pages of this one have opened.
    var popups: [HostedWebView] = []
    /// Replies that wait for a context; see `settle`.
    var lateReplies: [(reply: PendingReply, end: MessageEnd)] = []
    /// The windows that pages are about to open, with their web views; nil for that of a popup.
    var nextWindows: [(url: String, webView: DrivenWebView?)] = []
    /// The URL of a new window, about which native code has decided already.
    var decidedURL: String?
    /// Whether native code has begun a load that WebKit has not.
    var isExpectingLoad = false
    /// The URL of the load that may begin; WebKit's own is still that of the document if a page has begun the load.
    var allowedURL: String?
    let passwordQuestions = PasswordQuestions()
    /// Whether native code has let a page open this window. Redirects of its first load are loads like any other.
    var isWindowDecided = false
    /// The print operations that run.
    var prints: [PrintWatch] = []
    /// The window whose page has opened this one.
    weak var opener: HostedWebView?
    /// The faults of documents that begin to load later, by URL.
    var slowed: [String: String] = [:]
    private var isClosed = false
    /// Whether a page has opened the window. Such a window closes if its page calls `window.close`.
    let isPopup: Bool

    /// - Parameter opener: the web view whose page opens this one.
    init(
        _ webView: DrivenWebView, options: WindowOptions, in context: WebContext, openedBy opener: HostedWebView? = nil
    ) {
        self.webView = webView
        self.options = options
        self.context = context
        isPopup = opener != nil
        settings = options.makeSettings(for: webView)
        let box = Box()
        content = UserContent(
            report: { webView.onProblem($0) },
            onMessage: { handler, value, reply in box.owner?.received(handler, value, reply) })
        content.apply(webView.settings)
        let made =
            if let opener {
                bridged_web_view_new_related(opener.view.pointer, content.manager.pointer, settings.pointer)
            } else {
                bridged_web_view_new(context.pointer, content.manager.pointer, settings.pointer)
            }
        // The window takes the floating reference; this is one more.
        guard let made, let window = gtk_window_new(GTK_WINDOW_TOPLEVEL) else {
            fatalError("GTK could not make a window.")
        }
        view = GObject(made)
        self.window = window
        gtk_container_add(bridged_container(window), bridged_widget(made))
        gtk_window_set_default_size(bridged_window(window), Int32(options.width), Int32(options.height))
        box.owner = self
        connectSignals()
    }

    private final class Box {
        weak var owner: HostedWebView?
    }

    func show() { gtk_widget_show_all(window) }

    /// The documents leave: the window is about to close.
    func leave() {
        for popup in popups { popup.leave() }
        document?.leave()
        document = nil
    }

    func close() {
        guard !isClosed else { return }
        gtk_widget_destroy(window)
    }

    /// The window is gone, because its user or this process has closed it.
    func destroyed() {
        guard !isClosed else { return }
        isClosed = true
        leave()
        endPrints("The window was closed.")
        disconnect()
        content.close()
        for popup in popups { popup.close() }
        onClose()
    }

    private func disconnect() {
        let data = Unmanaged.passUnretained(self).toOpaque()
        bridged_disconnect(view.pointer, data)
        bridged_disconnect(window, data)
    }

    isolated deinit {
        guard !isClosed else { return }
        disconnect()
        gtk_widget_destroy(window)
    }

    var widget: UnsafeMutablePointer<GtkWidget> { bridged_widget(view.pointer) }

    var url: String { webkit_web_view_get_uri(view.pointer).map { String(cString: $0) } ?? "about:blank" }

    var title: String { webkit_web_view_get_title(view.pointer).map { String(cString: $0) } ?? "" }

    func apply(_ settings: WebViewSettings) { content.apply(settings) }

    func keep(_ world: String) { content.keep(world) }

    // MARK: Documents

    /// A new document is shown in the main frame.
    func committed() {
        (isProvisional, isExpectingLoad) = (false, false)
        passwordQuestions.commit()
        begin(url)
    }

    /// The document that is shown; a web view that has loaded nothing has an empty one.
    var current: WebKitDocument { document ?? begin("about:blank") }

    /// Attaches the empty document of a web view that loads nothing.
    func showEmptyDocument() { current.changed(readyState: "complete") }

    @discardableResult private func begin(_ url: String) -> WebKitDocument {
        let userAgent = webkit_settings_get_user_agent(settings.pointer).map { String(cString: $0) } ?? ""
        let next = WebKitDocument(url, in: self, after: document, userAgent: userAgent)
        document?.leave()
        document = next
        return next
    }

    private func received(
        _ handler: WebViewSettings.Handler, _ value: GObject<JSCValue>, _ reply: PendingReply
    ) {
        current.received(handler, value, reply)
    }
}
