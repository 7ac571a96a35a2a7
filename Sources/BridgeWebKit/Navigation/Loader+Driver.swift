import BridgeProtocol
import BridgeServer
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What the driver of a page asks and reports about loads. A page with the script tag asks only whether a load may begin,
/// and not in every browser; the rest the loader has to guess.
extension Loader {
    func handle(_ message: DriverMessage, _ page: Page, _ reply: DriverReply) {
        let isMainFrame = page.frame.isMainFrame
        switch message {
        case .decide(let question):
            if let response = question.response {
                decide(response, question, reply)
            } else {
                decide(question, page, reply)
            }
        case .openWindow(let url):
            let opened = openWindow(url, from: page)
            reply.answer(opened.map { NavigationDecision.webView($0.bridgedName) } ?? .refused)
        case .started(let url) where isMainFrame: started(url)
        case .redirected(let url) where isMainFrame: redirected(to: url)
        case .failed(let failure) where isMainFrame: failed(failure)
        case .processTerminated where isMainFrame: processTerminated(page)
        case .historyChanged(let entries) where isMainFrame: history.replace(by: entries)
        case .progressed(let value) where isMainFrame: progressed(to: value)
        case .started, .redirected, .failed, .historyChanged, .progressed, .processTerminated, .dialog, .finished,
            .problem:
            break
        }
    }

    /// Asks the delegate for the web view of a window that a page opens.
    private func openWindow(_ url: String, from page: Page) -> WKWebView? {
        let configuration = webView.configuration
        configuration.bridgedWebViewName = nil
        let source = WKFrameInfo(webView.shown(page.frame), page: page, webView: webView)
        let action = WKNavigationAction(
            URLRequest(url: URL(string: url) ?? .blank), type: .other, source: source, target: nil)
        guard let delegate = webView.uiDelegate else { return webView.windowHandler?(action) }
        return delegate.webView(
            webView, createWebViewWith: configuration, for: action, windowFeatures: WKWindowFeatures())
    }

    // MARK: Decisions

    private func decide(_ question: NavigationQuestion, _ page: Page, _ reply: DriverReply) {
        let opensWindow = question.hasTargetFrame == false
        let isMainFrame = question.isMainFrame && !opensWindow
        if isMainFrame, isOwn(question) {
            // The delegate has allowed this load before it was sent to the page.
            load?.isActionDecided = true
            if case .request(let request) = load?.target { lastAction = request }
            return reply.decide(isAllowed: true)
        }
        let type = WKNavigationType(question.type)
        var request = URLRequest(url: URL(string: question.url) ?? .blank)
        if question.isPost == true { request.httpMethod = "POST" }
        let allow = { [request] (loader: Loader) in
            loader.allow(request, type, in: isMainFrame ? page : nil, reply)
        }
        guard let delegate else { return allow(self) }
        let source = WKFrameInfo(webView.shown(page.frame), page: page, webView: webView)
        let target = question.isMainFrame ? mainFrame(or: source) : childFrame(of: source, page)
        let action = WKNavigationAction(
            request, type: type, source: source,
            target: opensWindow ? nil : target, isOfScript: question.type == .script, isOfDriver: page.isDriven,
            isAskedFor: isMainFrame && page.isAsked(toLoad: question.url))
        ask(delegate, action) { loader, policy in
            if isMainFrame { loader.lastAction = policy == .allow ? action.request : nil }
            guard policy != .allow else { return allow(loader) }
            reply.decide(isAllowed: false)
            if policy == .download { loader.startDownload(action) }
        }
    }

    /// Lets the browser load what a page asks for. If only native code can give the document, that loads it instead.
    /// - Parameter page: the page whose main frame loads it; nil for another frame or window.
    private func allow(_ request: URLRequest, _ type: WKNavigationType, in page: Page?, _ reply: DriverReply) {
        let isOfNativeCode = page.map { loadsScheme(of: request, in: $0) } ?? false
        reply.decide(isAllowed: !isOfNativeCode)
        if isOfNativeCode { return loadAllowed(request, type) }
        if page != nil { nextType = type }
    }

    /// Whether the driver asks about the request of a load that native code began.
    private func isOwn(_ question: NavigationQuestion) -> Bool {
        guard let load, load.phase == .sent, !load.isActionDecided else { return false }
        switch load.target {
        case .request(let request), .scheme(let request):
            return request.url?.isSameDocument(as: question.url) ?? false
        case .simulated, .document, .reload, .history: return true
        }
    }

    /// The frame whose load a page asks about. The document around a new frame asks, because the frame has none yet.
    private func childFrame(of source: WKFrameInfo, _ page: Page) -> WKFrameInfo {
        guard page.frame.isMainFrame else { return source }
        let frame = FrameInfo(url: "about:blank", origin: page.frame.origin, isMainFrame: false)
        return WKFrameInfo(frame, page: page, webView: webView)
    }

    private func mainFrame(or source: WKFrameInfo) -> WKFrameInfo {
        pages.last.map { WKFrameInfo(webView.shown($0.frame), page: $0, webView: webView) } ?? source
    }

    private func decide(
        _ response: NavigationQuestion.Response, _ question: NavigationQuestion, _ reply: DriverReply
    ) {
        // If it is of this load after all, the delegate is asked when its document attaches.
        if isReplaced(question) { return reply.decide(isAllowed: true) }
        if question.isMainFrame { beginUnasked(question.url) }
        guard let delegate else { return reply.decide(isAllowed: true) }
        let load = question.isMainFrame ? load : nil
        let shown = WKNavigationResponse(response.urlResponse(of: question.url), isForMainFrame: question.isMainFrame)
        delegate.webView(webView, decidePolicyFor: shown) { [run = whileAlive()] policy in
            reply.decide(isAllowed: policy == .allow)
            run { loader in
                guard let load, loader.isCurrent(load) else { return }
                if policy == .allow {
                    loader.load?.isResponseDecided = true
                } else {
                    loader.fail(.frameLoadInterrupted, inLaterTurn: true)
                }
            }
            if policy == .download { run { $0.startDownload(shown) } }
        }
    }

    /// Whether a response is that of a load which the current one has replaced. The driver asks about the request of a
    /// load before its response.
    private func isReplaced(_ question: NavigationQuestion) -> Bool {
        guard question.isMainFrame, let load, !load.isActionDecided else { return false }
        if isOfReplacedLoad(question.url) { return true }
        guard load.phase == .sent else { return false }
        return ![load.url, url].contains { $0?.isSameDocument(as: question.url) ?? false }
    }

    /// Whether a document comes from a load that was under way when native code began the current one. The page that got
    /// the current one may have been gone by then.
    func isResultOfReplacedLoad(_ page: Page) -> Bool {
        guard page.isDriven, let load, case .request = load.target, let url = load.url, !load.isSentAgain,
            !load.isActionDecided, !load.hasStarted, url.scheme?.hasPrefix("http") ?? false
        else { return false }
        return !url.isSameDocument(as: page.frame.url)
    }

    // MARK: Reports

    /// Whether a report is about the load before the current one, with which the browser goes on until it gets the current
    /// one. Nothing can be reported of a load that has not been sent.
    private func isOfReplacedLoad(_ url: String) -> Bool {
        guard let load else { return false }
        switch load.phase {
        case .deciding, .fetching: return true
        case .sent where !load.hasStarted && !load.isActionDecided:
            return load.replacedURL?.isSameDocument(as: url) == true && load.url?.isSameDocument(as: url) != true
        default: return false
        }
    }

    /// Notes that the page has begun a load, by itself or because native code asked for it.
    private func started(_ url: String) {
        guard !isOfReplacedLoad(url) else { return }
        if load?.phase == .sent, load?.hasStarted == true { end(failing: URLError(.cancelled)) }
        beginUnasked(url)
        load?.hasStarted = true
    }

    /// Begins a load of the page, unless one is under way.
    private func beginUnasked(_ url: String) {
        switch load?.phase {
        case .deciding, .fetching, .waitingForPage, .sent: return
        case .received, .responding, .committed, nil: break
        }
        end(failing: URLError(.cancelled))
        isTerminated = false
        var load = Load(target: .reload, type: nextType, url: URL(string: url))
        (load.phase, load.isActionDecided) = (.sent, true)
        nextType = .other
        self.load = load
        self.url = load.url
        delegate?.webView(webView, didStartProvisionalNavigation: load.navigation)
    }

    private func redirected(to url: String) {
        guard let load, load.phase == .sent, load.hasStarted || load.isActionDecided else { return }
        self.url = URL(string: url)
        delegate?.webView(webView, didReceiveServerRedirectForProvisionalNavigation: load.navigation)
    }

    private func failed(_ failure: NavigationFailure) {
        guard !isOfReplacedLoad(failure.url) else { return }
        if failure.isProvisional { beginUnasked(failure.url) } else { load?.phase = .committed }
        fail(takeError(of: failure))
    }

    /// Ends the load. The web view shows the document before it, as before.
    private func fail(_ error: any Error, inLaterTurn: Bool = false) {
        end(failing: error, inLaterTurn: inLaterTurn)
        if load == nil { url = pages.last.flatMap(shownURL) }
    }

    /// A load that ends has a progress of 1 whatever the driver said last.
    private func progressed(to value: Double) {
        if load != nil, (0...1).contains(value) { estimatedProgress = value }
    }

    private func processTerminated(_ page: Page) {
        end(failing: WKError(.webContentProcessTerminated))
        isTerminated = true
        page.processTerminated()
        delegate?.webViewWebContentProcessDidTerminate(webView)
    }
}

extension WKNavigationType {
    fileprivate init(_ kind: NavigationQuestion.Kind?) {
        switch kind {
        case .link: self = .linkActivated
        case .form: self = .formSubmitted
        case .backForward: self = .backForward
        case .reload: self = .reload
        case .formResubmitted: self = .formResubmitted
        case .script, .other, nil: self = .other
        }
    }
}

extension NavigationQuestion.Response {
    private var fields: [String: String] {
        var fields: [String: String] = [:]
        fields["Content-Type"] = mimeType
        fields["Content-Disposition"] = disposition
        return fields
    }

    fileprivate func urlResponse(of text: String) -> URLResponse {
        let url = URL(string: text) ?? .blank
        if let status,
            let response = HTTPURLResponse(
                url: url, statusCode: status, httpVersion: "HTTP/1.1",
                headerFields: fields)
        {
            return response
        }
        return URLResponse(url: url, mimeType: mimeType, expectedContentLength: -1, textEncodingName: nil)
    }
}

extension NavigationFailure {
    /// The error that iOS gives. It is a `URLError` if it has that domain.
    var error: any Error {
        var info: [String: Any] = [NSLocalizedDescriptionKey: text]
        info["NSErrorFailingURLStringKey"] = url
        info["NSErrorFailingURLKey"] = URL(string: url)
        // On Apple's systems, this initializer never returns nil.
        let urlCode: URLError.Code? = URLError.Code(rawValue: code)
        guard domain == NSURLErrorDomain, let urlCode else {
            return NSError(domain: domain, code: code, userInfo: info)
        }
        return URLError(urlCode, userInfo: info)
    }
}
