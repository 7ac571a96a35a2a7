import BridgeProtocol
import BridgeServer
import BridgeTraffic
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Tracks the loads of a web view's main frame, and calls the navigation delegate.
///
/// First the delegate decides about a load. Then the loader sends the load to the page, or waits until a page attaches.
/// After that it follows the page's reports: a new document attaches, its first `page.update` brings the HTTP status,
/// and `readyState` ends the load. The driver of a page reports more; see `Loader+Driver.swift`.
@MainActor final class Loader {
    /// The web view that owns this object. It is alive whenever a method here runs; see `whileAlive`.
    unowned let webView: WKWebView
    var history = History() { didSet { webView.observers.check() } }
    var url: URL? { didSet { webView.observers.check() } }
    var estimatedProgress = 0.0 { didSet { webView.observers.check() } }
    /// The main frame's documents that have not gone, oldest first.
    private(set) var pages: [Page] = [] { didSet { webView.observers.check() } }
    /// Whether a page has ever attached.
    private(set) var hasShownPage = false
    var load: Load? { didSet { webView.observers.check() } }
    private var schemeTask: SchemeTask?
    /// The request of native code that driven WebKit will ask a scheme's handler for.
    private var schemeRequest: URLRequest?
    /// Why a scheme's handler failed in the middle of a document, of which driven WebKit knows only that it is not complete.
    private var schemeFailure: (url: URL, error: any Error)?
    /// Whether the page was terminated, and no load has begun since.
    var isTerminated = false
    /// Why the page begins its next load, as the driver has said.
    var nextType = WKNavigationType.other
    var timeout: Task<Void, Never>?
    /// The request of the main frame's load that was allowed last, for a response that becomes a download.
    var lastAction: URLRequest?
    /// The URL of HTML that native code has given, and the page that shows it. Driven browsers show it as `about:blank` if
    /// the URL is not of the web.
    private var documentURL: (page: String, url: URL)?

    init(_ webView: WKWebView) { self.webView = webView }

    var title: String? { pages.last?.title }
    var isLoading: Bool { load != nil }
    /// The page in which scripts run.
    var attachedPage: Page? { pages.last { $0.isAttached } }

    var delegate: (any WKNavigationDelegate)? { webView.navigationDelegate }

    // MARK: Loads of native code

    func begin(_ target: Target, _ type: WKNavigationType) -> WKNavigation? {
        var target = target
        // After a termination, a reload loads the last URL.
        if case .reload = target, isTerminated, let url { target = .request(URLRequest(url: url)) }
        let load = Load(target: target, type: type, url: webView.url(of: target) ?? url)
        isTerminated = false
        replace(by: load)
        estimatedProgress = 0.1
        // Decide in a later turn of the main actor, as in WebKit: the caller gets the navigation before the delegate is
        // called.
        later { $0.decide(load) }
        return load.navigation
    }

    /// Ends the load under way, and makes this one the current one.
    private func replace(by load: Load) {
        let replacedURL = self.load == nil ? nil : url
        end(failing: URLError(.cancelled), inLaterTurn: true)
        self.load = load
        self.load?.replacedURL = replacedURL
        url = load.url
    }

    func terminate() {
        guard let page = attachedPage,
            let blank = page.isDriven ? URL.blank.absoluteString : webView.server.url(for: webView.bridgedName)
        else { return }
        end(failing: WKError(.webContentProcessTerminated))
        isTerminated = true
        page.terminate(loading: blank)
        delegate?.webViewWebContentProcessDidTerminate(webView)
    }

    func stop() {
        if let page = attachedPage {
            page.isDriven ? page.command(.stop) : page.evaluate("window.stop()", completion: nil)
        }
        end(failing: URLError(.cancelled), inLaterTurn: true)
    }

    private func decide(_ load: Load) {
        guard isCurrent(load), let delegate else { return start(load) }
        let frame = WKFrameInfo(
            FrameInfo(url: pages.last?.frame.url ?? "about:blank", origin: "null", isMainFrame: true),
            page: attachedPage, webView: webView)
        let action = WKNavigationAction(load.request, type: load.type, source: frame, target: frame)
        ask(delegate, action) { loader, policy in
            guard policy != .allow else { return loader.start(load) }
            loader.forget(load)
            if policy == .download { loader.startDownload(action) }
        }
    }

    /// Asks the delegate whether a load may begin.
    func ask(
        _ delegate: any WKNavigationDelegate, _ action: WKNavigationAction,
        decided: @escaping @MainActor (Loader, WKNavigationActionPolicy) -> Void
    ) {
        let preferences = webView.configuration.defaultWebpagePreferences ?? WKWebpagePreferences()
        delegate.webView(webView, decidePolicyFor: action, preferences: preferences) {
            [run = whileAlive()] policy, _ in
            run { decided($0, policy) }
        }
    }

    private func start(_ load: Load) {
        guard isCurrent(load) else { return }
        delegate?.webView(webView, didStartProvisionalNavigation: load.navigation)
        guard isCurrent(load) else { return }
        continueToPage(load)
    }

    /// Whether a scheme's handler has to give the document of a load that a page begins, because its browser does not know
    /// the scheme.
    func loadsScheme(of request: URLRequest, in page: Page) -> Bool {
        page.engine != .webkit
            && webView.configuration.urlSchemeHandler(forURLScheme: request.url?.scheme ?? "") != nil
    }

    /// Begins a load of a scheme that the delegate has allowed already.
    func loadAllowed(_ request: URLRequest, _ type: WKNavigationType) {
        let load = Load(target: .scheme(request), type: type, url: request.url)
        replace(by: load)
        // The driver's question was answered before that.
        later { $0.start(load) }
    }

    /// Asks the handler of the URL's scheme for the document, and then loads that.
    private func fetch(_ request: URLRequest, _ load: Load) {
        self.load?.phase = .fetching
        schemeTask = webView.startDocument(request) { [run = whileAlive()] result in
            run { loader in
                guard loader.isCurrent(load) else { return }
                do {
                    var html = try result.get()
                    if loader.attachedPage?.isDriven == true { html = SchemeDocument.html(html, of: request.url) }
                    let number = loader.webView.addDocument(html, baseURL: request.url)
                    loader.load?.target = .document(number)
                    if let load = loader.load { loader.continueToPage(load) }
                } catch {
                    loader.end(failing: error)
                }
            }
        }
    }

    /// The request of native code for a document, if WebKit now asks the scheme's handler for that document. WebKit itself
    /// knows only its URL.
    func takeSchemeRequest(of url: URL) -> URLRequest? {
        guard schemeRequest?.url?.isSameDocument(as: url.absoluteString) == true else { return nil }
        return schemeRequest.take()
    }

    /// Notes why a scheme's handler has failed in the middle of a response.
    func schemeFailed(_ url: URL, _ error: any Error) { schemeFailure = (url, error) }

    /// Why the load of a document failed: the error of the scheme's handler if it is that.
    func takeError(of failure: NavigationFailure) -> any Error {
        guard let known = schemeFailure.take(), known.url.isSameDocument(as: failure.url) else { return failure.error }
        return known.error
    }

    private func continueToPage(_ load: Load) {
        // A terminated page is loading the empty document. The load waits for that document, and is sent to it.
        if let page = attachedPage, !page.isTerminated {
            send(load, to: page)
        } else {
            self.load?.phase = .waitingForPage
            webView.server.onPageMissing?(webView.bridgedName)
        }
    }

    /// Fails the load, because its page does not load `bridge.js`, and so will never attach.
    func scriptIsMissing(_ text: String) {
        if load?.phase == .sent { end(failing: WKError(.unknown, text: text)) }
    }

    // MARK: Reports of pages

    func handle(_ event: TrafficRecord.PageEvent, _ page: Page) {
        guard page.frame.isMainFrame else { return }
        switch event {
        case .attached:
            pages.append(page)
            let isEmptyWindow = !hasShownPage && page.isDriven && page.frame.url == URL.blank.absoluteString
            hasShownPage = true
            if !page.isDriven { history.estimate() }
            // A window begins with an empty document, which is no load: WebKit tells the delegate nothing of it.
            if load != nil || !isEmptyWindow { attached(page) }
            webView.queue.flush(to: page)
        case .resumed:
            if let load, load.phase == .sent, load.type == .backForward { receive(page) }
            webView.queue.flush(to: page)
        case .updated, .loaded: updated(page)
        case .detached: break
        case .gone: gone(page)
        }
    }

    private func attached(_ page: Page) {
        switch load?.phase {
        case .deciding, .fetching: break
        case nil where isTerminated: break
        case .waitingForPage:
            guard let load else { return }
            if webView.shows(load.target, page) { receive(page) } else { send(load, to: page) }
        case .sent:
            guard let load, isResultOfReplacedLoad(page) else { return receive(page) }
            self.load?.isSentAgain = true
            send(load, to: page)
        case .received, .responding, .committed, nil:
            // The page navigated without native code, because of a link, a form or its own script.
            end(failing: URLError(.cancelled))
            let load = Load(target: .reload, type: .other, url: shownURL(of: page))
            self.load = load
            url = load.url
            delegate?.webView(webView, didStartProvisionalNavigation: load.navigation)
            receive(page)
        }
    }

    private func receive(_ page: Page) {
        timeout?.cancel()
        load?.phase = .received
        if case .document = load?.target { documentURL = load?.url.map { (page.id, $0) } }
        url = shownURL(of: page)
        // The document's first update continues the load. It comes before the document's messages, and has the HTTP
        // status if the browser reports it.
    }

    private func updated(_ page: Page) {
        guard page === pages.last, !isTerminated else { return }
        webView.observers.check()  // The title may be another one.
        url = shownURL(of: page)
        switch load?.phase {
        case .received: respond(page)
        case .committed: if let load, page.readyState == "complete" { finish(load) }
        case nil: if let url { history.visit(url) }
        default: break
        }
        if history.current?.url == url { history.current?.title = page.title }
    }

    private func respond(_ page: Page) {
        guard let load, load.phase == .received else { return }
        self.load?.phase = .responding
        guard let delegate, !load.isResponseDecided else { return commit(load, page) }
        let response = WKNavigationResponse(page.response(url: url ?? .blank))
        delegate.webView(webView, decidePolicyFor: response) { [decided = whileAlive()] policy in
            decided { loader in
                guard loader.isCurrent(load) else { return }
                guard policy != .allow else { return loader.commit(load, page) }
                loader.end(failing: .frameLoadInterrupted, inLaterTurn: true)
                if policy == .download { loader.startDownload(response) }
            }
        }
    }

    private func commit(_ load: Load, _ page: Page) {
        self.load?.phase = .committed
        estimatedProgress = 0.5
        if case .history(let steps) = load.target { history.go(steps) } else if let url { history.visit(url) }
        history.current?.title = page.title
        delegate?.webView(webView, didCommit: load.navigation)
        if page.readyState == "complete" { finish(load) }
    }

    /// Finishes a load in a later turn of the main actor, after the messages that the document posted before.
    private func finish(_ load: Load) {
        later { $0.didFinish(load) }
    }

    private func didFinish(_ load: Load) {
        guard isCurrent(load) else { return }
        (self.load, schemeTask, schemeRequest, schemeFailure) = (nil, nil, nil, nil)
        estimatedProgress = 1
        delegate?.webView(webView, didFinish: load.navigation)
    }

    private func gone(_ page: Page) {
        let wasCurrent = page === pages.last
        pages.removeAll { $0 === page }
        // The driver of a page reports that its process has ended.
        guard wasCurrent, !isTerminated, !page.isDriven else { return }
        // Check in a later turn of the main actor, because the next document attaches right after this one has gone.
        later { loader in
            guard loader.pages.isEmpty, loader.load == nil else { return }
            loader.delegate?.webViewWebContentProcessDidTerminate(loader.webView)
        }
    }

    // MARK: Helpers

    /// The URL that native code sees.
    func shownURL(of page: Page) -> URL? {
        let shown = webView.shownURL(of: page)
        guard let documentURL, documentURL.page == page.id, shown == .blank else { return shown }
        return documentURL.url
    }

    private func forget(_ load: Load) {
        if isCurrent(load) { self.load = nil }
    }

    /// Returns a function that calls its argument with this loader if the web view still exists, and keeps the web view
    /// alive during the call.
    func whileAlive() -> @MainActor @Sendable (@MainActor (Loader) -> Void) -> Void {
        { [weak webView] body in
            guard let webView else { return }
            withExtendedLifetime(webView) { body(webView.loader) }
        }
    }

    @discardableResult
    func later(after seconds: TimeInterval = 0, _ body: @escaping @MainActor (Loader) -> Void) -> Task<
        Void, Never
    > {
        Task { [run = whileAlive()] in
            if seconds > 0, (try? await Task.sleep(for: Duration(clampingMilliseconds: seconds * 1_000))) == nil {
                return
            }
            run(body)
        }
    }

    func isCurrent(_ load: Load) -> Bool { self.load?.navigation === load.navigation }

    /// Ends the load, if there is one.
    ///
    /// - Parameter inLaterTurn: whether the delegate is called in a later turn of the main actor, because a call of native
    ///   code ends the load. WebKit never calls the delegate within `stopLoading`, `load` or a decision handler.
    func end(failing error: any Error, inLaterTurn: Bool = false) {
        guard let load else { return }
        self.load = nil
        timeout?.cancel()
        schemeTask.take()?.stop()
        schemeRequest = nil
        if inLaterTurn { later { $0.report(error, of: load) } } else { report(error, of: load) }
    }

    private func report(_ error: any Error, of load: Load) {
        switch load.phase {
        case .deciding: break
        case .fetching, .waitingForPage, .sent, .received, .responding:
            delegate?.webView(webView, didFailProvisionalNavigation: load.navigation, withError: error)
        case .committed: delegate?.webView(webView, didFail: load.navigation, withError: error)
        }
    }
}

/// A load of a web view's main frame, and how far it is.
extension Loader {
    enum Target {
        case request(URLRequest)
        /// A request whose response native code has already.
        case simulated(URLRequest, html: String)
        /// A document of `loadHTMLString`, by its number in the scope.
        case document(Int)
        /// A request whose scheme has a handler. Except in driven WebKit, it becomes a document when the handler has
        /// answered.
        case scheme(URLRequest)
        case reload
        /// A number of steps in the history.
        case history(Int)
    }

    enum Phase {
        case deciding
        /// The handler of the URL's scheme answers.
        case fetching
        case waitingForPage
        /// The load was sent to the page. The next document that attaches is the result of this load.
        case sent
        /// The document has attached. Its first update, which may have the HTTP status, has not arrived.
        case received
        /// The delegate decides about the response.
        case responding
        case committed
    }

    @MainActor struct Load {
        let navigation = WKNavigation()
        var target: Target
        let type: WKNavigationType
        let url: URL?
        var phase = Phase.deciding
        /// What is requested, for the delegate.
        var request: URLRequest {
            switch target {
            case .request(let request), .scheme(let request), .simulated(let request, _): request
            case .document, .reload, .history: URLRequest(url: url ?? .blank)
            }
        }
        /// The URL of the load that this one has ended, with which the browser goes on until this one is sent.
        var replacedURL: URL?
        /// Whether the load was sent to a page that was just being replaced, and then to the next one.
        var isSentAgain = false
        /// Whether the driver of the page has reported that the load has begun.
        var hasStarted = false
        /// Whether the driver of the page has asked about the load's request, and has been answered.
        var isActionDecided = false
        /// Whether the driver of the page has asked about the load's response, and has been answered.
        var isResponseDecided = false
    }
}

extension Error where Self == NSError {
    /// `WebKitErrorCannotShowURL`
    static var cannotShowURL: NSError {
        NSError(
            domain: "WebKitErrorDomain", code: 101,
            userInfo: [NSLocalizedDescriptionKey: "The URL can’t be shown"])
    }

    /// `WebKitErrorFrameLoadInterruptedByPolicyChange`
    static var frameLoadInterrupted: NSError {
        NSError(
            domain: "WebKitErrorDomain", code: 102,
            userInfo: [NSLocalizedDescriptionKey: "Frame load interrupted"])
    }
}

/// Sends loads of native code to the page.
extension Loader {
    /// Sends a load. In a driven browser, it begins after the changes of cookies that native code made before it.
    func send(_ load: Load, to page: Page) {
        if case .scheme(let request) = load.target {
            guard page.engine == .webkit else { return fetch(request, load) }
            // WebKit asks the handler itself.
            schemeRequest = request
        }
        self.load?.phase = .sent
        guard page.isDriven else { return navigate(page, load) }
        webView.configuration.websiteDataStore.httpCookieStore.afterChanges { [run = whileAlive()] in
            run { if $0.isCurrent(load) { $0.navigate(page, load) } }
        }
    }

    private func navigate(_ page: Page, _ load: Load) {
        switch load.target {
        case .simulated(let request, let html) where page.isDriven:
            sendDocument(html, baseURL: request.url?.absoluteString, load, to: page)
        case .request(let request), .simulated(let request, _):
            page.navigate(to: request.url?.absoluteString ?? "about:blank")
            fail(load, after: request.timeoutInterval)
        // A scheme's handler may take as long as it wants.
        case .scheme(let request): page.navigate(to: request.url?.absoluteString ?? "about:blank")
        case .document(let number) where page.isDriven: sendDocument(number, load, to: page)
        case .document(let number):
            if let url = webView.server.url(ofDocument: number, for: webView.bridgedName) { page.navigate(to: url) }
        case .reload: page.navigate(.reload)
        case .history(let steps): page.navigate(.delta(steps))
        }
    }

    private func fail(_ load: Load, after seconds: TimeInterval) {
        timeout?.cancel()
        timeout = later(after: seconds) { if $0.isCurrent(load) { $0.end(failing: URLError(.timedOut)) } }
    }

    /// Shows a document of `loadHTMLString` in a driven browser. Its origin is that of its base URL.
    private func sendDocument(_ number: Int, _ load: Load, to page: Page) {
        guard let document = webView.scope.documents[number] else { return }
        sendDocument(document.html, baseURL: document.baseURL, load, to: page)
    }

    private func sendDocument(_ html: String, baseURL: String?, _ load: Load, to page: Page) {
        page.command(.loadHTML(html, baseURL: baseURL)) { [run = whileAlive()] result in
            guard case .failure(let error) = result else { return }
            run { $0.documentFailed(load, error) }
        }
    }

    /// Ends a load whose document the driver could not show.
    private func documentFailed(_ load: Load, _ error: ScriptError) {
        guard isCurrent(load) else { return }
        guard case .pageGone = error else { return end(failing: WKError(error)) }
        // The document that got the command may make room for the new one before the command is answered.
        if self.load?.phase == .sent { fail(load, after: load.request.timeoutInterval) }
    }
}
