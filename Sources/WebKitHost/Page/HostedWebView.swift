import BridgeBrowsers
import BridgeProtocol
import CWebKitGTK
import Foundation

/// A window with a web view of WebKitGTK that stands for a web view of the daemon.
@MainActor final class HostedWebView: PageDelegate {
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
    private var isProvisional = false
    /// Called when the window has closed.
    var onClose: @MainActor () -> Void = {}
    /// Replies that wait for a context; see `settle`.
    private var lateReplies: [(reply: PendingReply, end: MessageEnd)] = []
    /// Whether native code has begun a load that WebKit has not.
    private var isExpectingLoad = false
    /// The URL of the load that may begin; WebKit's own is still that of the document if a page has begun the load.
    private var allowedURL: String?
    let printer = PDFPrinter()
    private(set) lazy var dialogs = HostedDialogs(for: self)
    private(set) lazy var requests = HostedRequests(for: self)
    private(set) lazy var policy = HostedPolicy(for: self, openedBy: opener)
    /// The window whose page has opened this one.
    private weak var opener: HostedWebView?
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
        self.opener = opener
        isPopup = opener != nil
        settings = options.makeSettings(for: webView)
        let box = Box()
        content = UserContent(
            report: { webView.onProblem($0) },
            onMessage: { handler, value, reply in box.owner?.received(handler, value, reply) },
            onFrameMessage: { box.owner?.current.noteFrameMessage(from: $0) },
            onError: { box.owner?.current.page?.notify($0) })
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
        let height = options.isHeadless ? options.height : min(options.height, Int(bridged_screen_height()))
        gtk_window_set_default_size(bridged_window(window), Int32(options.width), Int32(height))
        box.owner = self
        connectSignals()
        context.schemes.register(webView.settings.schemes, for: self)
    }

    private final class Box {
        weak var owner: HostedWebView?
    }

    func show() { gtk_widget_show_all(window) }

    /// The documents leave: the window is about to close.
    func leave() {
        for popup in policy.popups { popup.leave() }
        document?.leave()
        document = nil
    }

    func close() {
        guard !isClosed else { return }
        gtk_widget_destroy(window)
    }

    /// The window is gone, because its user or this process has closed it.
    private func destroyed() {
        guard !isClosed else { return }
        isClosed = true
        leave()
        printer.end("The window was closed.")
        disconnect()
        content.close()
        for popup in policy.popups { popup.close() }
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

    func install(_ settings: WebViewSettings) {
        content.apply(settings)
        context.schemes.register(settings.schemes, for: self)
    }

    func keep(_ world: String) { content.keep(world) }

    /// Whether native code answers dialogs, and not the user. An invisible window has no user.
    var asksAboutDialogs: Bool { options.isHeadless || webView.settings.answersDialogs }
    /// WebKitGTK shows no questions of its own.
    let hasUser = false

    // MARK: Documents

    /// A new document is shown in the main frame.
    private func committed() {
        (isProvisional, isExpectingLoad) = (false, false)
        dialogs.passwordQuestions.commit()
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
        _ handler: HandlerInfo, _ value: GObject<JSCValue>, _ reply: PendingReply
    ) {
        current.received(handler, value, reply)
    }

    // MARK: Signals

    /// Listens to the signals of the view.
    private func connectSignals() {
        let data = Unmanaged.passUnretained(self).toOpaque()
        connectLoads(data)
        policy.connect(view, data)
        dialogs.connect(view, data)
        requests.connect(view, data)
        bridged_connect_notify(
            view.pointer, "notify::title", { _, _, data in if let data { HostedWebView.of(data).changed() } }, data)
        bridged_connect_notify(
            view.pointer, "notify::uri", { _, _, data in if let data { HostedWebView.of(data).changed() } }, data)
        bridged_connect_simple(
            view.pointer, "close", { _, data in if let data { HostedWebView.of(data).closedByPage() } }, data)
        bridged_connect_simple(
            window, "destroy", { _, data in if let data { HostedWebView.of(data).destroyed() } }, data)
    }

    static func of(_ data: UnsafeMutableRawPointer) -> HostedWebView {
        Unmanaged<HostedWebView>.fromOpaque(data).takeUnretainedValue()
    }

    /// Says what the document's URL and title are as soon as WebKit has finished what it is doing: the URL changes
    /// before WebKit says that a load begins.
    private func changed() {
        gtk_window_set_title(bridged_window(window), title.isEmpty ? url : title)
        MainLoop.afterRound { [weak self] in
            guard let self, !isOfDocumentToCome else { return }
            document?.changed()
            tellHistory()
        }
    }

    /// Whether WebKit's URL and title are those of a document to come.
    var isOfDocumentToCome: Bool {
        isExpectingLoad || isProvisional && webkit_web_view_is_loading(view.pointer) != 0
    }

    /// Native code begins to load a document. WebKit says its URL at once, before it asks whether the load may begin.
    func expectLoad(of url: String) {
        isProvisional = true
        // Nothing begins if only the fragment is another one.
        isExpectingLoad = document.map { !$0.url.isSameDocument(as: url) } ?? false
    }

    /// On iOS, native code decides what happens to a web view whose page closes itself. Without it, one that the user or
    /// native code has opened stays.
    private func closedByPage() {
        guard isPopup else { return }
        // Not while WebKit emits the signal.
        DispatchQueue.main.async { [weak self] in self?.close() }
    }

    // MARK: Loads

    private func connectLoads(_ data: UnsafeMutableRawPointer) {
        bridged_connect_load(
            view.pointer, "load-changed",
            { _, event, data in if let data { HostedWebView.of(data).loadChanged(event) } }, data)
        bridged_connect_load_failed(
            view.pointer, "load-failed",
            { _, event, url, error, data in
                guard let data, let url, let error else { return 0 }
                HostedWebView.of(data).loadFailed(
                    String(cString: url), LoadError(error.pointee), isProvisional: event != WEBKIT_LOAD_COMMITTED)
                return 1  // Without WebKitGTK's error page, which iOS does not show either.
            }, data)
        bridged_connect_certificate(
            view.pointer, "load-failed-with-tls-errors",
            { _, url, _, errors, data in
                guard let data, let url else { return 0 }
                HostedWebView.of(data).loadFailed(String(cString: url), LoadError(errors), isProvisional: true)
                return 1
            }, data)
        bridged_connect_terminated(
            view.pointer, "web-process-terminated",
            { _, _, data in if let data { HostedWebView.of(data).processTerminated() } }, data)
        bridged_connect_notify(
            view.pointer, "notify::estimated-load-progress",
            { _, _, data in if let data { HostedWebView.of(data).progressed() } }, data)
    }

    private func loadChanged(_ event: WebKitLoadEvent) {
        switch event {
        case WEBKIT_LOAD_STARTED:
            (isProvisional, isExpectingLoad) = (true, false)
            dialogs.passwordQuestions.start()
            let url = allowedURL.take() ?? url
            document?.page?.notify(DriverMessage.started(url: url))
        case WEBKIT_LOAD_REDIRECTED: document?.page?.notify(DriverMessage.redirected(url: url))
        case WEBKIT_LOAD_COMMITTED: committed()
        case WEBKIT_LOAD_FINISHED:
            isProvisional = false
            document?.changed(readyState: "complete")
        default: break
        }
    }

    /// The first load may fail: then the web view shows the empty document that every web view begins with.
    func loadFailed(_ url: String, _ error: LoadError, isProvisional: Bool) {
        (self.isProvisional, isExpectingLoad) = (false, false)
        if dialogs.passwordQuestions.fail(url, error) {
            // Not while WebKit emits the signal.
            return MainLoop.afterRound { [weak self] in self?.startLoad(url) }
        }
        current.page?.notify(error.message(of: url, isProvisional: isProvisional))
    }

    private func processTerminated() {
        isProvisional = false
        printer.end("The web process has ended.")
        document?.page?.notify(DriverMessage.processTerminated)
    }

    func navigate(_ navigation: PageNavigation) {
        switch navigation {
        case .url(let url): load(url)
        case .reload: webkit_web_view_reload(view.pointer)
        case .delta(let steps):
            let list = webkit_web_view_get_back_forward_list(view.pointer)
            guard let item = webkit_back_forward_list_get_nth_item(list, Int32(clamping: steps)) else { return }
            webkit_web_view_go_to_back_forward_list_item(view.pointer, item)
        }
    }

    func load(_ url: String) {
        dialogs.passwordQuestions.begin(url)
        startLoad(url)
    }

    /// Loads a URL, as the load of native code that is under way already.
    private func startLoad(_ url: String) {
        // WebKit runs a `javascript:` URL without a load.
        if url.hasPrefix("http") { expectLoad(of: url) } else { isProvisional = true }
        webkit_web_view_load_uri(view.pointer, url)
    }

    /// The load that native code allows may begin.
    func allowLoad(of url: String) { allowedURL = url }

    /// The HTTP status of the document; nil if it has none.
    var status: Int? {
        guard let resource = webkit_web_view_get_main_resource(view.pointer),
            let response = webkit_web_resource_get_response(resource)
        else { return nil }
        let status = webkit_uri_response_get_status_code(response)
        return status == 0 ? nil : Int(status)
    }

    // MARK: The back/forward list and the progress of loads

    private func progressed() {
        let value = webkit_web_view_get_estimated_load_progress(view.pointer)
        document?.page?.notify(DriverMessage.progressed(value))
    }

    /// Tells the back/forward list if it is another one than before.
    private func tellHistory() {
        let list = webkit_web_view_get_back_forward_list(view.pointer)
        // WebKit keeps 100 entries.
        let items = (-100...100).compactMap { step in
            webkit_back_forward_list_get_nth_item(list, Int32(step)).map { (step: step, item: $0) }
        }
        let entries = items.map { _, item in
            NavigationHistory.Entry(
                url: webkit_back_forward_list_item_get_uri(item).map { String(cString: $0) } ?? "",
                title: webkit_back_forward_list_item_get_title(item).map { String(cString: $0) } ?? "")
        }
        guard let index = items.firstIndex(where: { $0.step == 0 }) else { return }
        document?.page?.tellHistory(NavigationHistory(entries: entries, index: index))
    }

    // MARK: Replies

    /// Gives a reply to the page. If WebKit may have dropped its context (`ScriptValueCodec`), a script makes WebKit use the
    /// present one first; a page in which no script can run cannot get the reply, either.
    func settle(_ reply: PendingReply, _ end: MessageEnd) {
        if lateReplies.isEmpty, let codec = ScriptValueCodec.current { return reply.settle(end, with: codec) }
        lateReplies.append((reply, end))
        guard lateReplies.count == 1 else { return }
        evaluate(PageScript(.script(source: "0", sourceURL: nil), world: HostedWebView.world)) { [weak self] _ in
            guard let self else { return }
            let replies = lateReplies
            lateReplies = []
            guard let codec = ScriptValueCodec.current else { return }
            for (reply, end) in replies { reply.settle(end, with: codec) }
        }
    }

    /// The content world of this process's own scripts.
    static let world = "bridged"
}
