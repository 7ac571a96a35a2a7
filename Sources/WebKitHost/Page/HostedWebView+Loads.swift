import BridgeBrowsers
import BridgeProtocol
import CWebKitGTK
import Dispatch
import Foundation

/// How loads proceed and fail.
extension HostedWebView {
    func connectLoads(_ data: UnsafeMutableRawPointer) {
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
    }

    private func loadChanged(_ event: WebKitLoadEvent) {
        switch event {
        case WEBKIT_LOAD_STARTED:
            (isProvisional, isExpectingLoad) = (true, false)
            passwordQuestions.start()
            let url = allowedURL.take() ?? url
            document?.tell("navigation.started") { $0.member("url", url) }
        case WEBKIT_LOAD_REDIRECTED: document?.tell("navigation.redirected") { $0.member("url", url) }
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
        if passwordQuestions.fail(url, error) {
            // Not while WebKit emits the signal.
            return MainLoop.afterRound { [weak self] in self?.startLoad(url) }
        }
        current.tell("navigation.failed") { writer in
            writer.member("url", url)
            error.writeMembers(to: &writer)
            writer.member("isProvisional", isProvisional)
        }
    }

    private func processTerminated() {
        isProvisional = false
        endPrints("The web process has ended.")
        document?.tell("process.terminated") { _ in }
    }
}

extension HostedWebView {
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
        passwordQuestions.begin(url)
        startLoad(url)
    }

    /// Loads a URL, as the load of native code that is under way already.
    private func startLoad(_ url: String) {
        // WebKit runs a `javascript:` URL without a load.
        if url.hasPrefix("http") { expectLoad(of: url) } else { isProvisional = true }
        webkit_web_view_load_uri(view.pointer, url)
    }

    /// The HTTP status of the document; nil if it has none.
    var status: Int? {
        guard let resource = webkit_web_view_get_main_resource(view.pointer),
            let response = webkit_web_resource_get_response(resource)
        else { return nil }
        let status = webkit_uri_response_get_status_code(response)
        return status == 0 ? nil : Int(status)
    }
}

/// Asks native code whether loads may begin, responses may be shown, and windows may open.
extension HostedWebView {
    func connectPolicy(_ data: UnsafeMutableRawPointer) {
        bridged_connect_policy(
            view.pointer, "decide-policy",
            { _, decision, type, data in
                guard let data, let decision else { return 0 }
                return HostedWebView.of(data).decide(GObject(decision), type) ? 1 : 0
            }, data)
        bridged_connect_create(
            view.pointer, "create",
            { _, action, data in
                data.flatMap {
                    HostedWebView.of($0).openWindow(HostedWebView.url(webkit_navigation_action_get_request(action)))
                }
            }, data)
        bridged_connect_simple(
            view.pointer, "ready-to-show", { _, data in if let data { HostedWebView.of(data).show() } }, data)
    }

    /// - Returns: whether the decision comes later. A window without a document, whose connection would carry the
    ///   question, decides at once.
    private func decide(_ decision: GObject<WebKitPolicyDecision>, _ type: WebKitPolicyDecisionType) -> Bool {
        guard pageToAsk != nil || !webView.settings.faults.isEmpty else { return false }
        switch type {
        case WEBKIT_POLICY_DECISION_TYPE_RESPONSE: return decideResponse(decision)
        case WEBKIT_POLICY_DECISION_TYPE_NEW_WINDOW_ACTION:
            let url = Self.url(bridged_action_request(decision.pointer))
            ask(decision, url, isMainFrame: true, hasTargetFrame: false) { [weak self] in
                self?.askForWindow(decision, url)
            }
        default:
            let url = Self.url(bridged_action_request(decision.pointer))
            // Its frame is part of the document around it; iOS does not ask, either.
            guard url != "about:srcdoc" else { return false }
            if decidedURL.take() == url {
                use(decision, url, isMainFrame: true)
                return true
            }
            guard document != nil || opener == nil || isWindowDecided else {
                decideAboutWindow(decision, url)
                return true
            }
            findFrame(of: decision, url) { [weak self] isMainFrame in
                self?.ask(decision, url, isMainFrame: isMainFrame, hasTargetFrame: true) {
                    self?.use(decision, url, isMainFrame: isMainFrame)
                }
            }
        }
        return true
    }

    /// - Parameter allowed: runs if native code allows the load.
    private func ask(
        _ decision: GObject<WebKitPolicyDecision>, _ url: String, isMainFrame: Bool, hasTargetFrame: Bool,
        allowed: @escaping @MainActor () -> Void
    ) {
        let type = Self.name(of: bridged_action_type(decision.pointer))
        let isPost = Self.isPost(bridged_action_request(decision.pointer))
        decide(url) { writer in
            writer.member("type", type)
            writer.member("isMainFrame", isMainFrame)
            writer.member("hasTargetFrame", hasTargetFrame)
            writer.member("isPost", isPost)
        } decided: { isAllowed in
            if isAllowed { allowed() } else { webkit_policy_decision_ignore(decision.pointer) }
        }
    }

    /// Lets a document load, unless a fault is for it.
    private func use(_ decision: GObject<WebKitPolicyDecision>, _ url: String, isMainFrame: Bool) {
        if isMainFrame { allowedURL = url }
        guard url.hasPrefix("http"), let fault = webView.takeFault(for: url) else {
            return webkit_policy_decision_use(decision.pointer)
        }
        switch fault.fault.kind {
        case .offline:
            webkit_policy_decision_ignore(decision.pointer)
            if isMainFrame { loadFailed(url, .offline, isProvisional: true) }
            tell(
                FinishedRequest(
                    url: url, method: "GET", type: "document", failure: LoadError.offline.text, fault: fault.id))
        case .slow(let delay):
            if slowed.count < webView.limits.notes { slowed[url] = fault.id }
            Task {
                try? await Task.sleep(for: delay)
                webkit_policy_decision_use(decision.pointer)
            }
        default: webkit_policy_decision_use(decision.pointer)
        }
    }

    private func decideResponse(_ decision: GObject<WebKitPolicyDecision>) -> Bool {
        guard document != nil, let response = bridged_response(decision.pointer) else { return false }
        let url = webkit_uri_response_get_uri(response).map { String(cString: $0) } ?? ""
        let status = Int(webkit_uri_response_get_status_code(response))
        let mimeType = webkit_uri_response_get_mime_type(response).map { String(cString: $0) }
        decide(url) { writer in
            writer.member("isMainFrame", bridged_response_is_main_frame(decision.pointer) != 0)
            writer.member(
                "response",
                object: { writer in
                    if status != 0 { writer.member("status", status) }
                    writer.member("mimeType", ifPresent: mimeType)
                })
        } decided: { isAllowed in
            if isAllowed {
                webkit_policy_decision_use(decision.pointer)
            } else {
                webkit_policy_decision_ignore(decision.pointer)
            }
        }
        return true
    }

    /// The document that is shown; in a window without one, that which has opened it.
    private var pageToAsk: WebKitDocument? { document ?? opener?.document }

    /// Asks native code on the connection of a document. Without a document the load is allowed.
    private func decide(
        _ url: String, _ write: (inout JSONWriter) -> Void, decided: @escaping @MainActor (_ isAllowed: Bool) -> Void
    ) {
        guard let pageToAsk else { return decided(true) }
        pageToAsk.decide(url, write, decided: decided)
    }

    /// Asks on the connection of the document that is shown.
    /// - Parameter completion: gets nil if no answer comes.
    func ask(
        _ method: String, _ write: @escaping (inout JSONWriter) -> Void,
        completion: @escaping @MainActor (JSON?) -> Void
    ) {
        guard let document else { return completion(nil) }
        document.ask(method, write) { completion(try? $0.get()) }
    }

    /// WebKitGTK does not say which frame an action is about. An action without a user's gesture whose URL is that of a
    /// frame in the document is taken for that frame's.
    private func findFrame(
        of decision: GObject<WebKitPolicyDecision>, _ url: String, found: @escaping @MainActor (_ isMain: Bool) -> Void
    ) {
        // A window without a document has no frames.
        guard document != nil, bridged_action_type(decision.pointer) == WEBKIT_NAVIGATION_TYPE_OTHER,
            bridged_action_is_gesture(decision.pointer) == 0
        else { return found(true) }
        var literal = JSONWriter(escaping: .html)
        literal.string(url)
        // Elements of the page can hide the document's own methods: they show as members by their names.
        let source = """
            [...Document.prototype.querySelectorAll.call(document, "iframe,frame")].some(frame => frame.src === \(literal.text))
            """
        evaluate(PageScript(.script(source: source, sourceURL: nil), world: Self.world)) { result in
            guard case .success(.members(#""value":true"#)) = result else { return found(true) }
            found(false)
        }
    }

    private static func url(_ request: UnsafeMutablePointer<WebKitURIRequest>?) -> String {
        request.flatMap { webkit_uri_request_get_uri($0) }.map { String(cString: $0) } ?? ""
    }

    private static func isPost(_ request: UnsafeMutablePointer<WebKitURIRequest>?) -> Bool {
        request.flatMap { webkit_uri_request_get_http_method($0) }.map { String(cString: $0) } == "POST"
    }

    private static func name(of type: WebKitNavigationType) -> String {
        switch type {
        case WEBKIT_NAVIGATION_TYPE_LINK_CLICKED: "link"
        case WEBKIT_NAVIGATION_TYPE_FORM_SUBMITTED: "form"
        case WEBKIT_NAVIGATION_TYPE_BACK_FORWARD: "backForward"
        case WEBKIT_NAVIGATION_TYPE_RELOAD: "reload"
        case WEBKIT_NAVIGATION_TYPE_FORM_RESUBMITTED: "formResubmitted"
        default: "other"
        }
    }

    // MARK: Windows

    private func askForWindow(_ decision: GObject<WebKitPolicyDecision>, _ url: String) {
        guard let pageToAsk else { return webkit_policy_decision_ignore(decision.pointer) }
        pageToAsk.askForWindow(url) { [weak self] answer in
            switch answer {
            case .refused: webkit_policy_decision_ignore(decision.pointer)
            case .allowed: self?.open(url, nil, decision)
            case .webView(let name):
                Task {
                    guard let self, let other = try? await self.webView.other(name) else {
                        return webkit_policy_decision_ignore(decision.pointer)
                    }
                    self.open(url, other, decision)
                }
            }
        }
    }

    /// Asks about a window that exists already: for `window.open` WebKitGTK makes it at once. A window that native code
    /// refuses closes.
    private func decideAboutWindow(_ decision: GObject<WebKitPolicyDecision>, _ url: String) {
        let close = { [weak self] in
            webkit_policy_decision_ignore(decision.pointer)
            // Not while WebKit emits the signal.
            DispatchQueue.main.async { self?.close() }
        }
        guard let pageToAsk else { return close() }
        pageToAsk.decide(url) { writer in
            writer.member("type", "other")
            writer.member("isMainFrame", true)
            writer.member("hasTargetFrame", false)
        } decided: { [weak self] isAllowed in
            guard isAllowed else { return close() }
            pageToAsk.askForWindow(url) { answer in
                if case .refused = answer { return close() }
                if case .webView(let name) = answer {
                    self?.webView.report("WebKitGTK shows a window of window.open as a popup, and not as \(name).")
                }
                self?.isWindowDecided = true
                self?.use(decision, url, isMainFrame: true)
            }
        }
    }

    private func open(_ url: String, _ webView: DrivenWebView?, _ decision: GObject<WebKitPolicyDecision>) {
        nextWindows = (nextWindows + [(url, webView)]).suffix(self.webView.limits.notes)
        webkit_policy_decision_use(decision.pointer)
    }

    /// Makes the window that a page opens with `window.open` or `target=_blank`. WebKit shows it when it is ready.
    private func openWindow(_ url: String) -> UnsafeMutablePointer<GtkWidget> {
        let index = nextWindows.firstIndex { $0.url == url }
        let webView = index.flatMap { nextWindows.remove(at: $0).webView } ?? webView.makePopup()
        let popup = HostedWebView(webView, options: options, in: context, openedBy: self)
        (popup.opener, popup.decidedURL, popup.isWindowDecided) = (self, index == nil ? nil : url, index != nil)
        popups.append(popup)
        popup.onClose = { [weak self, weak popup] in self?.popups.removeAll { $0 === popup } }
        return popup.widget
    }
}

/// Tells the daemon which requests the web view makes, and how they end.
extension HostedWebView {
    func connectRequests(_ data: UnsafeMutableRawPointer) {
        bridged_connect_resource(
            view.pointer, "resource-load-started",
            { view, resource, request, data in
                guard let data, let resource, let request else { return }
                HostedWebView.of(data).requested(resource, request)
            }, data)
    }

    private func requested(
        _ resource: UnsafeMutablePointer<WebKitWebResource>, _ request: UnsafeMutablePointer<WebKitURIRequest>
    ) {
        guard let url = webkit_uri_request_get_uri(request).map({ String(cString: $0) }), url.hasPrefix("http") else {
            return
        }
        let isDocument = webkit_web_view_get_main_resource(view.pointer) == resource
        HostedRequest(
            resource, url: url,
            method: webkit_uri_request_get_http_method(request).map { String(cString: $0) } ?? "GET",
            type: isDocument ? "document" : nil, fault: slowed.removeValue(forKey: url)
        ) { [weak self] in self?.tell($0) }.listen()
    }

    /// Tells the daemon how a request has ended.
    func tell(_ request: FinishedRequest) {
        if let document { document.tell(request) } else { webView.tell(request, from: nil) }
    }
}

/// A request under way. WebKit keeps the resource until it has ended, and the signals keep this object as long.
@MainActor private final class HostedRequest {
    private let resource: GObject<WebKitWebResource>
    private var url: String
    private var method: String
    private let type: String?
    private let fault: String?
    private var began = ContinuousClock.now
    private let tell: @MainActor (FinishedRequest) -> Void
    private var failure: String?

    init(
        _ resource: UnsafeMutablePointer<WebKitWebResource>, url: String, method: String, type: String?, fault: String?,
        tell: @escaping @MainActor (FinishedRequest) -> Void
    ) {
        self.resource = GObject(resource)
        self.url = url
        self.method = method
        self.type = type
        self.fault = fault
        self.tell = tell
    }

    private static func of(_ data: UnsafeMutableRawPointer) -> HostedRequest {
        Unmanaged<HostedRequest>.fromOpaque(data).takeUnretainedValue()
    }

    /// Keeps this object until the request has ended.
    func listen() {
        let data = Unmanaged.passRetained(self).toOpaque()
        bridged_connect_resource_sent(
            resource.pointer, "sent-request",
            { _, request, redirected, data in
                guard let data, let request, let redirected else { return }
                HostedRequest.of(data).redirected(to: request, redirected)
            }, data)
        bridged_connect_simple(
            resource.pointer, "finished",
            { _, data in if let data { HostedRequest.of(data).end() } }, data)
        bridged_connect_resource_failed(
            resource.pointer, "failed",
            { _, error, data in
                guard let data else { return }
                HostedRequest.of(data).failure = error?.pointee.message.map { String(cString: $0) } ?? ""
            }, data)
    }

    private func redirected(
        to request: UnsafeMutablePointer<WebKitURIRequest>, _ response: UnsafeMutablePointer<WebKitURIResponse>
    ) {
        report(response)
        url = webkit_uri_request_get_uri(request).map { String(cString: $0) } ?? url
        method = webkit_uri_request_get_http_method(request).map { String(cString: $0) } ?? method
        began = .now
    }

    private func report(_ response: UnsafeMutablePointer<WebKitURIResponse>?) {
        let status = response.map { Int(webkit_uri_response_get_status_code($0)) } ?? 0
        let milliseconds = (ContinuousClock.now - began) / .milliseconds(1)
        tell(
            FinishedRequest(
                url: url, method: method, type: type, status: status == 0 ? nil : status,
                mimeType: response.flatMap { webkit_uri_response_get_mime_type($0) }.map { String(cString: $0) },
                milliseconds: milliseconds, failure: failure, fault: fault))
    }

    /// WebKit also says that a request has finished if it has failed.
    private func end() {
        report(webkit_web_resource_get_response(resource.pointer))
        let data = Unmanaged.passUnretained(self)
        bridged_disconnect(resource.pointer, data.toOpaque())
        data.release()
    }
}
