import BridgeBrowsers
import BridgeProtocol
import CWebKitGTK
import Dispatch

/// Asks native code whether the loads of a window may begin, responses may be shown, and pages may open windows.
@MainActor final class HostedPolicy {
    private weak var host: HostedWebView?
    /// The window whose page has opened this one.
    private weak var opener: HostedWebView?
    /// The URL of a new window, about which native code has decided already.
    private var decidedURL: String?
    /// Whether native code has let a page open this window. Redirects of its first load are loads like any other.
    private var isWindowDecided = false
    /// The windows that pages of this one have opened.
    private(set) var popups: [HostedWebView] = []
    /// The windows that pages are about to open, with their web views; nil for that of a popup.
    private var nextWindows: [(url: String, webView: DrivenWebView?)] = []

    init(for host: HostedWebView, openedBy opener: HostedWebView?) { (self.host, self.opener) = (host, opener) }

    func connect(_ view: GObject<WebKitWebView>, _ data: UnsafeMutableRawPointer) {
        bridged_connect_policy(
            view.pointer, "decide-policy",
            { _, decision, type, data in
                guard let data, let decision else { return 0 }
                return HostedWebView.of(data).policy.decide(GObject(decision), type) ? 1 : 0
            }, data)
        bridged_connect_create(
            view.pointer, "create",
            { _, action, data in
                data.flatMap {
                    HostedWebView.of($0).policy.openWindow(url(webkit_navigation_action_get_request(action)))
                }
            }, data)
        bridged_connect_simple(
            view.pointer, "ready-to-show", { _, data in if let data { HostedWebView.of(data).show() } }, data)
    }

    /// - Returns: whether the decision comes later. A window without a document, whose connection would carry the
    ///   question, decides at once.
    private func decide(_ decision: GObject<WebKitPolicyDecision>, _ type: WebKitPolicyDecisionType) -> Bool {
        guard let host, pageToAsk != nil || !host.webView.settings.faults.isEmpty else { return false }
        switch type {
        case WEBKIT_POLICY_DECISION_TYPE_RESPONSE: return decideResponse(decision)
        case WEBKIT_POLICY_DECISION_TYPE_NEW_WINDOW_ACTION:
            let url = url(bridged_action_request(decision.pointer))
            ask(decision, url, isMainFrame: true, hasTargetFrame: false) { [weak self] in
                self?.askForWindow(decision, url)
            }
        default:
            let url = url(bridged_action_request(decision.pointer))
            // Its frame is part of the document around it; iOS does not ask, either.
            guard url != "about:srcdoc" else { return false }
            if decidedURL.take() == url {
                use(decision, url, isMainFrame: true)
                return true
            }
            guard host.document != nil || opener == nil || isWindowDecided else {
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
        let question = NavigationQuestion(
            url, kind(of: bridged_action_type(decision.pointer)), isMainFrame: isMainFrame,
            hasTargetFrame: hasTargetFrame, isPost: isPost(bridged_action_request(decision.pointer)))
        decide(question) { isAllowed in
            if isAllowed { allowed() } else { webkit_policy_decision_ignore(decision.pointer) }
        }
    }

    /// Lets a document load, unless a fault is for it.
    private func use(_ decision: GObject<WebKitPolicyDecision>, _ url: String, isMainFrame: Bool) {
        if isMainFrame { host?.allowLoad(of: url) }
        guard url.hasPrefix("http"), let host, let fault = host.webView.takeFault(for: url) else {
            return webkit_policy_decision_use(decision.pointer)
        }
        switch fault.fault.kind {
        case .offline:
            webkit_policy_decision_ignore(decision.pointer)
            if isMainFrame { host.loadFailed(url, .offline, isProvisional: true) }
            host.requests.tell(
                FinishedRequest(
                    url: url, method: "GET", type: "document", failure: LoadError.offline.text, fault: fault.id))
        case .slow(let delay):
            host.requests.slow(url, fault: fault.id)
            Task {
                try? await Task.sleep(for: delay)
                webkit_policy_decision_use(decision.pointer)
            }
        default: webkit_policy_decision_use(decision.pointer)
        }
    }

    private func decideResponse(_ decision: GObject<WebKitPolicyDecision>) -> Bool {
        guard host?.document != nil, let response = bridged_response(decision.pointer) else { return false }
        let url = webkit_uri_response_get_uri(response).map { String(cString: $0) } ?? ""
        let status = Int(webkit_uri_response_get_status_code(response))
        let mimeType = webkit_uri_response_get_mime_type(response).map { String(cString: $0) }
        let question = NavigationQuestion(
            url, isMainFrame: bridged_response_is_main_frame(decision.pointer) != 0,
            response: .init(
                status: status == 0 ? nil : status, mimeType: mimeType, disposition: disposition(of: response)))
        decide(question) { isAllowed in
            if isAllowed {
                webkit_policy_decision_use(decision.pointer)
            } else {
                webkit_policy_decision_ignore(decision.pointer)
            }
        }
        return true
    }

    /// The document that is shown; in a window without one, that which has opened it.
    private var documentToAsk: WebKitDocument? { host?.document ?? opener?.document }
    private var pageToAsk: DrivenPage? { documentToAsk?.page }

    /// Asks native code on the connection of a document. Without a document the load is allowed.
    private func decide(_ question: NavigationQuestion, decided: @escaping @MainActor (_ isAllowed: Bool) -> Void) {
        guard let pageToAsk else { return decided(true) }
        pageToAsk.decide(question, decided: decided)
    }

    /// WebKitGTK does not say which frame an action is about. An action without a user's gesture whose URL is that of a
    /// frame in the document is taken for that frame's.
    private func findFrame(
        of decision: GObject<WebKitPolicyDecision>, _ url: String, found: @escaping @MainActor (_ isMain: Bool) -> Void
    ) {
        // A window without a document has no frames.
        guard let host, host.document != nil, bridged_action_type(decision.pointer) == WEBKIT_NAVIGATION_TYPE_OTHER,
            bridged_action_is_gesture(decision.pointer) == 0
        else { return found(true) }
        var literal = JSONWriter(escaping: .html)
        literal.string(url)
        // Elements of the page can hide the document's own methods: they show as members by their names.
        let source = """
            [...Document.prototype.querySelectorAll.call(document, "iframe,frame")].some(frame => frame.src === \(literal.text))
            """
        host.evaluate(PageScript(.script(source: source, sourceURL: nil), world: HostedWebView.world)) { result in
            guard case .success(.members(#""value":true"#)) = result else { return found(true) }
            found(false)
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
                    guard let self, let other = try? await self.host?.webView.other(name) else {
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
            DispatchQueue.main.async { self?.host?.close() }
        }
        guard let document = documentToAsk, let page = document.page else { return close() }
        page.decide(NavigationQuestion(url, .other, hasTargetFrame: false)) { [weak self] isAllowed in
            // The document sends first what its page has posted meanwhile.
            guard isAllowed, let page = document.page else { return close() }
            page.askForWindow(url) { answer in
                if case .refused = answer { return close() }
                if case .webView(let name) = answer {
                    self?.host?.webView.report(
                        "WebKitGTK shows a window of window.open as a popup, and not as \(name).")
                }
                self?.isWindowDecided = true
                self?.use(decision, url, isMainFrame: true)
            }
        }
    }

    private func open(_ url: String, _ webView: DrivenWebView?, _ decision: GObject<WebKitPolicyDecision>) {
        nextWindows = (nextWindows + [(url, webView)]).suffix(host?.webView.limits.notes ?? 0)
        webkit_policy_decision_use(decision.pointer)
    }

    /// Makes the window that a page opens with `window.open` or `target=_blank`. WebKit shows it when it is ready.
    private func openWindow(_ url: String) -> UnsafeMutablePointer<GtkWidget>? {
        guard let host else { return nil }
        let index = nextWindows.firstIndex { $0.url == url }
        let webView = index.flatMap { nextWindows.remove(at: $0).webView } ?? host.webView.makePopup()
        let popup = HostedWebView(webView, options: host.options, in: host.context, openedBy: host)
        if index != nil { popup.policy.allowFirst(url) }
        popups.append(popup)
        popup.onClose = { [weak self, weak popup] in self?.popups.removeAll { $0 === popup } }
        return popup.widget
    }

    /// Native code has decided already that a page may open this window, and that the window may load a URL.
    private func allowFirst(_ url: String) { (decidedURL, isWindowDecided) = (url, true) }
}

@MainActor private func url(_ request: UnsafeMutablePointer<WebKitURIRequest>?) -> String {
    request.flatMap { webkit_uri_request_get_uri($0) }.map { String(cString: $0) } ?? ""
}

/// The field `Content-Disposition` of a response.
@MainActor private func disposition(of response: UnsafeMutablePointer<WebKitURIResponse>) -> String? {
    webkit_uri_response_get_http_headers(response)
        .flatMap { soup_message_headers_get_one($0, "Content-Disposition") }.map { String(cString: $0) }
}

@MainActor private func isPost(_ request: UnsafeMutablePointer<WebKitURIRequest>?) -> Bool {
    request.flatMap { webkit_uri_request_get_http_method($0) }.map { String(cString: $0) } == "POST"
}

@MainActor private func kind(of type: WebKitNavigationType) -> NavigationQuestion.Kind {
    switch type {
    case WEBKIT_NAVIGATION_TYPE_LINK_CLICKED: .link
    case WEBKIT_NAVIGATION_TYPE_FORM_SUBMITTED: .form
    case WEBKIT_NAVIGATION_TYPE_BACK_FORWARD: .backForward
    case WEBKIT_NAVIGATION_TYPE_RELOAD: .reload
    case WEBKIT_NAVIGATION_TYPE_FORM_RESUBMITTED: .formResubmitted
    default: .other
    }
}
