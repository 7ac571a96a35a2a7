import BridgeBrowsers
import BridgeProtocol
import CWebKitGTK
import Foundation

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
    private var lateReplies: [(reply: PendingReply, end: MessageEnd)] = []
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

extension HostedWebView {
    /// Listens to the signals of the view.
    private func connectSignals() {
        let data = Unmanaged.passUnretained(self).toOpaque()
        connectLoads(data)
        connectPolicy(data)
        connectDialogs(data)
        connectOpenPanel(data)
        connectMedia(data)
        connectAuthentication(data)
        connectHistory(data)
        connectRequests(data)
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
}

extension HostedWebView {
    /// Runs a script in the document that is shown, as WebKit does for native code.
    func evaluate(_ script: PageScript, completion: @escaping @MainActor (EvaluationResult) -> Void) {
        if let world = script.world { keep(world) }
        let data = Unmanaged.passRetained(Completion(completion)).toOpaque()
        switch script.program {
        case .script(let source, let url):
            withBytes(of: source) { text, count in
                webkit_web_view_evaluate_javascript(
                    view.pointer, text, count, script.world, url, nil,
                    { view, result, data in
                        Completion.finish(data, view, hasPosition: true) { view, error in
                            webkit_web_view_evaluate_javascript_finish(view, result, error)
                        }
                    }, data)
            }
        case .asyncFunction(let body, let arguments):
            let call = FunctionCall(body: body, arguments: arguments)
            withBytes(of: call.body) { text, count in
                webkit_web_view_call_async_javascript_function(
                    view.pointer, text, count, call.makeArguments(), script.world, nil, nil,
                    { view, result, data in
                        Completion.finish(data, view, hasPosition: false) { view, error in
                            webkit_web_view_call_async_javascript_function_finish(view, result, error)
                        }
                    }, data)
            }
        }
    }

    private func withBytes(of text: String, _ body: (UnsafePointer<CChar>?, Int) -> Void) {
        var text = text
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { body($0.baseAddress, $0.count) }
        }
    }
}

/// What to do when WebKit has run a script.
@MainActor private final class Completion {
    private let run: @MainActor (EvaluationResult) -> Void

    init(_ run: @escaping @MainActor (EvaluationResult) -> Void) { self.run = run }

    /// - Parameters:
    ///   - data: a retained completion.
    ///   - view: the view, as an object of GObject.
    ///   - take: takes the result, or sets an error.
    static func finish(
        _ data: UnsafeMutableRawPointer?, _ view: UnsafeMutablePointer<_GObject>?, hasPosition: Bool,
        take: (UnsafeMutablePointer<WebKitWebView>?, UnsafeMutablePointer<UnsafeMutablePointer<GError>?>) ->
            UnsafeMutablePointer<JSCValue>?
    ) {
        guard let data else { return }
        let completion = Unmanaged<Completion>.fromOpaque(data).takeRetainedValue()
        var error: UnsafeMutablePointer<GError>?
        let value = take(UnsafeMutableRawPointer(view)?.assumingMemoryBound(to: WebKitWebView.self), &error)
        completion.run(result(value, error, hasPosition: hasPosition))
        if let error { g_error_free(error) }
    }

    private static func result(
        _ value: UnsafeMutablePointer<JSCValue>?, _ error: UnsafeMutablePointer<GError>?, hasPosition: Bool
    ) -> EvaluationResult {
        if let error { return .failure(ScriptFailure.error(error, hasPosition: hasPosition)) }
        guard let value = value.map(GObject.init(adopting:)) else { return .failure(.resultTypeUnsupported("")) }
        do {
            return .success(.members(try ScriptValueCodec.of(value).value(value)))
        } catch {
            return .failure(.resultTypeUnsupported(error.reason))
        }
    }
}

extension HostedWebView {
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

extension HostedWebView: PageCommands {
    func loadHTML(_ html: String, baseURL: String?) {
        expectLoad(of: baseURL ?? "about:blank")
        webkit_web_view_load_html(view.pointer, html, baseURL)
    }

    func stopLoading() { webkit_web_view_stop_loading(view.pointer) }

    func cookies() async -> [JSONValue] { await cookieJar.all() }

    func setCookie(_ cookie: JSON) async throws { try await cookieJar.set(cookie) }

    func deleteCookie(_ cookie: JSON) async throws { try await cookieJar.delete(cookie) }

    private var cookieJar: CookieJar { CookieJar(webkit_web_context_get_cookie_manager(context.pointer)) }

    func snapshot(rect: [Double]?, width: Double?) async throws -> String {
        let surface = await withCheckedContinuation { (continuation: CheckedContinuation<Surface?, Never>) in
            webkit_web_view_get_snapshot(
                view.pointer, WEBKIT_SNAPSHOT_REGION_VISIBLE, WEBKIT_SNAPSHOT_OPTIONS_NONE, nil,
                { view, result, data in
                    let view = UnsafeMutableRawPointer(view)?.assumingMemoryBound(to: WebKitWebView.self)
                    let surface = webkit_web_view_get_snapshot_finish(view, result, nil)
                    Callback<Surface?>.take(data)?.run(surface.map(Surface.init))
                }, Callback { continuation.resume(returning: $0) }.retained())
        }
        guard let surface else { throw RPCError(.internalError, "WebKit could not take a picture.") }
        return surface.png(rect: rect, width: width).base64EncodedString()
    }
}

/// A picture of cairo.
@MainActor final class Surface {
    private let surface: OpaquePointer

    init(_ surface: OpaquePointer) { self.surface = surface }

    isolated deinit { cairo_surface_destroy(surface) }

    /// Writes the picture as PNG.
    /// - Parameters:
    ///   - rect: the part to write: left, top, width, height; nil for everything.
    ///   - width: the width of the result in pixels; nil for that of the part.
    func png(rect: [Double]?, width: Double?) -> Data {
        let own = [
            0, 0, Double(cairo_image_surface_get_width(surface)), Double(cairo_image_surface_get_height(surface)),
        ]
        let part = rect ?? own
        guard part[2] >= 1, part[3] >= 1, part[2] <= 20_000, part[3] <= 20_000 else { return Data() }
        let scale = width.map { min(max($0, 1), 20_000) / part[2] } ?? 1
        let target = cairo_image_surface_create(
            CAIRO_FORMAT_ARGB32, Int32(clamping: Int((part[2] * scale).rounded())),
            Int32(clamping: Int((part[3] * scale).rounded())))
        defer { cairo_surface_destroy(target) }
        let context = cairo_create(target)
        cairo_scale(context, scale, scale)
        cairo_set_source_surface(context, surface, -part[0], -part[1])
        cairo_paint(context)
        cairo_destroy(context)
        var data = Data()
        withUnsafeMutablePointer(to: &data) { data in
            _ = cairo_surface_write_to_png_stream(
                target,
                { data, bytes, count in
                    guard let bytes else { return CAIRO_STATUS_WRITE_ERROR }
                    data?.assumingMemoryBound(to: Data.self).pointee.append(bytes, count: Int(count))
                    return CAIRO_STATUS_SUCCESS
                }, data)
        }
        return data
    }
}

/// The user's input, as events of GTK.
extension HostedWebView {
    func perform(_ input: PageInput) {
        switch input {
        case .tap(let place):
            let point = point(place)
            bridged_click(view.pointer, point.x, point.y)
        case .scroll(let place, let deltaX, let deltaY):
            let point = point(place)
            // What WebKit takes for a step depends on the height of the view.
            let step = max(1, pow(Double(gtk_widget_get_allocated_height(widget)), 2.0 / 3))
            bridged_scroll(view.pointer, point.x, point.y, deltaX / step, deltaY / step)
        case .text(let text):
            for scalar in text.unicodeScalars {
                let key = PageInput.Key(typing: Character(scalar))
                bridged_press(view.pointer, key?.keyval ?? gdk_unicode_to_keyval(scalar.value))
            }
        case .key(let key): bridged_press(view.pointer, key.keyval)
        }
    }

    func tap(_ point: TapPoint) { bridged_click(view.pointer, point.x, point.y) }

    private func point(_ place: PageInput.Place) -> (x: Double, y: Double) {
        place.point(
            inWidth: Double(gtk_widget_get_allocated_width(widget)),
            height: Double(gtk_widget_get_allocated_height(widget)))
    }
}

extension PageInput.Key {
    /// The key's symbol in GDK.
    fileprivate var keyval: UInt32 {
        switch self {
        case .backspace: 0xff08
        case .tab: 0xff09
        case .enter: 0xff0d
        case .escape: 0xff1b
        case .home: 0xff50
        case .arrowLeft: 0xff51
        case .arrowUp: 0xff52
        case .arrowRight: 0xff53
        case .arrowDown: 0xff54
        case .pageUp: 0xff55
        case .pageDown: 0xff56
        case .end: 0xff57
        case .delete: 0xffff
        }
    }
}

/// The back/forward list and the progress of loads.
extension HostedWebView {
    private func connectHistory(_ data: UnsafeMutableRawPointer) {
        bridged_connect_notify(
            view.pointer, "notify::estimated-load-progress",
            { _, _, data in if let data { HostedWebView.of(data).progressed() } }, data)
    }

    private func progressed() {
        let value = webkit_web_view_get_estimated_load_progress(view.pointer)
        document?.tell("progress.changed") { $0.member("value", value) }
    }

    /// Tells the back/forward list if it is another one than before.
    func tellHistory() {
        let list = webkit_web_view_get_back_forward_list(view.pointer)
        // WebKit keeps 100 entries.
        let items = (-100...100).compactMap { step in
            webkit_back_forward_list_get_nth_item(list, Int32(step)).map { (step: step, item: $0) }
        }
        let entries = items.map { _, item in
            HistoryEntry(
                url: webkit_back_forward_list_item_get_uri(item).map { String(cString: $0) } ?? "",
                title: webkit_back_forward_list_item_get_title(item).map { String(cString: $0) } ?? "")
        }
        guard let index = items.firstIndex(where: { $0.step == 0 }) else { return }
        document?.tellHistory(BrowserHistory(entries: entries, index: index))
    }
}

extension HostedWebView {
    /// Changes the window's size, and whether GTK's theme is dark. The theme is that of all windows of this process.
    func emulate(_ emulation: PageEmulation) {
        if let size = emulation.size {
            gtk_window_resize(bridged_window(window), Int32(clamping: size.width), Int32(clamping: size.height))
        }
        if let colorScheme = emulation.colorScheme { bridged_prefer_dark(colorScheme == .dark ? 1 : 0) }
    }
}
