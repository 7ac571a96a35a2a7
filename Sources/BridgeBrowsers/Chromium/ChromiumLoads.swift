import BridgeProtocol
import Foundation

/// The loads of documents in a target of Chromium. Chromium pauses the request for each document (`Fetch`) before it is
/// sent and when its answer has begun, so that native code decides about both and can give a document of its own.
@MainActor final class ChromiumLoads {
    private let session: ChromiumSession
    private let frames: ChromiumFrames
    private let network: ChromiumNetwork
    private let scripts: ChromiumScripts
    private let nextPage = NextPage()
    /// The window whose page has opened this one.
    private weak var opener: ChromiumFrames?
    /// Whether the window loads a page at once, so that its empty document does not count.
    private var loadsAtOnce = false
    private var hasShownPage = false
    private var hasCrashed = false
    /// Why the first load has failed, if that is known: Chromium's answer names only the end of the request.
    private var firstError: LoadError?
    /// The URL of the window's first load, about which native code was asked before the window opened.
    private var decidedURL: String?
    /// The documents that native code gives to the next request of a frame.
    private var given: [String: (url: String, html: String)] = [:]
    /// The documents that native code gives to the next about:blank of a frame, which makes no request, until Chromium has
    /// written them.
    private var givenToBlank: [String: (html: String, isSent: Bool)] = [:]
    /// The navigations that scripts and the user have asked for, by frame.
    private var expected: [String: (url: String, type: String)] = [:]
    /// The frames whose last request for a document was that of a form.
    private var formFrames: Set<String> = []
    /// The document in a `data:` URL that a page wants to load in the main frame, if Chromium has not gone on to do so.
    private var scheduledDocument: (url: String, type: String)?

    init(
        _ session: ChromiumSession, _ frames: ChromiumFrames, _ network: ChromiumNetwork, _ scripts: ChromiumScripts
    ) {
        (self.session, self.frames, self.network, self.scripts) = (session, frames, network, scripts)
        network.onLostDocument = { [weak self] params, reason in
            let (id, frame) = (params["requestId"]?.string ?? "", params["frameId"]?.string ?? "")
            self?.failed(id, params["request"]?["url"]?.string ?? "", reason, frame)
        }
    }

    /// - Parameters:
    ///   - loadsAtOnce: whether the window loads a page at once.
    ///   - opener: the window whose page has opened this one.
    func begin(loadsAtOnce: Bool, openedBy opener: ChromiumFrames?) {
        (self.loadsAtOnce, self.opener) = (loadsAtOnce, opener)
    }

    // MARK: Loads of the driver

    /// Begins to load a page.
    /// - Parameters:
    ///   - frame: nil for the main frame, which Chromium may not have named yet.
    ///   - completion: gets Chromium's answer, which comes when the page's server has answered, which may be never.
    private func load(
        _ url: String, in frame: ChromiumFrame? = nil, completion: ((Result<JSON, BrowserError>) -> Void)? = nil
    ) {
        scripts.whenInstalled { [self] in loadNow(url, in: frame, completion: completion) }
    }

    private func loadNow(
        _ url: String, in frame: ChromiumFrame?, completion: ((Result<JSON, BrowserError>) -> Void)?
    ) {
        (frame ?? frames.mainFrame)?.document?.expectLeaving(by: "push")
        session.send(
            "Page.navigate",
            { writer in
                writer.member("url", url)
                writer.member("frameId", ifPresent: frame?.id)
                // An address that a user has typed gets a window without a past: Chromium lets go of the document before
                // that has had its last events.
                writer.member("transitionType", "link")
            },
            completion: { [weak self, weak frame] result in
                let text = (try? result.get())?["errorText"]?.string
                if let self, let text, text != "net::ERR_ABORTED" {
                    report(LoadError(chromium: text), of: url, frames.mainPage ?? frame?.document?.page)
                }
                completion?(result)
            })
    }

    /// Begins to load the first page of a window.
    func loadFirst(_ url: String) {
        load(url) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let json) where json["errorText"] != nil && frames.mainPage == nil:
                let text = json["errorText"]?.string ?? ""
                let isEnded = text == "net::ERR_ABORTED"
                let reason = isEnded ? "no document came (\(text)): it is a download, or native code refused it" : text
                frames.webView?.loadFailed(url, firstError?.text ?? reason)
            case .success: break
            case .failure(let error): frames.webView?.loadFailed(url, "\(error)")
            }
        }
    }

    /// Loads a document that native code gives, so that no server has to answer.
    /// - Parameter url: nil for about:blank.
    func load(_ html: String, as url: String?, _ frame: String) async throws {
        if let url { given[frame] = (url, html) } else { givenToBlank[frame] = (html, isSent: false) }
        _ = try await withCheckedThrowingContinuation { continuation in
            load(url ?? "about:blank") { continuation.resume(with: $0) }
        }
    }

    /// Loads a URL in a frame, as native code asks.
    func navigate(_ frame: ChromiumFrame, to url: String) {
        if !failsAsUnknown(url, "other", frame.id) { load(url, in: frame) }
    }

    /// The document that native code has given for a URL, once. A fragment is no part of a request.
    private func takeDocument(for url: String, _ frame: String) -> String? {
        guard let next = given[frame], next.url.isSameDocument(as: url) else { return nil }
        given[frame] = nil
        return next.html
    }

    /// Whether native code's HTML replaces the empty document of a frame soon.
    func awaitsContent(_ frame: String) -> Bool { givenToBlank[frame] != nil }

    /// Lets the first load of the window begin, which native code has allowed already.
    func allowFirst(_ url: String) { decidedURL = url }

    /// Whether a load is the first one, which native code has allowed already.
    private func takeDecided(_ url: String) -> Bool { decidedURL.take().map { $0.isSameDocument(as: url) } ?? false }

    // MARK: Documents

    /// A document begins in the main frame.
    func documentBegan(_ document: DrivenDocument) {
        hasCrashed = false
        document.withPage { [weak self] page in
            guard let self, let page else { return }
            hasShownPage = true
            nextPage.shown(page)
        }
    }

    /// A frame shows another document.
    /// - Parameter frame: as `Page.frameNavigated` describes it.
    func shown(_ frame: JSON) {
        let id = frame["id"]?.string ?? ""
        // Chromium's own error page is no page of the app.
        if frame["unreachableUrl"] != nil, frames.isMain(id) {
            return session.send("Page.navigate") { $0.member("url", "about:blank") }
        }
        guard frame["url"]?.string == "about:blank", let given = givenToBlank[id], !given.isSent else { return }
        givenToBlank[id]?.isSent = true
        session.send(
            "Page.setDocumentContent",
            { writer in
                writer.member("frameId", id)
                writer.member("html", given.html)
            },
            completion: { [weak self] _ in
                self?.givenToBlank[id] = nil
                self?.frames[id]?.document?.contentIsWritten()
            })
    }

    /// A frame is gone.
    func forget(_ frame: String) {
        formFrames.remove(frame)
        (given[frame], givenToBlank[frame], expected[frame]) = (nil, nil, nil)
    }

    /// The web process has ended. Native code learns it, and gets an empty document to which it can send its next load.
    func webProcessTerminated() {
        hasCrashed = true
        scripts.endWaits()
        guard frames.isWindow else { return }
        if let page = frames.mainPage {
            page.notify(DriverMessage.processTerminated)
        } else {
            let name = frames.webView?.name ?? "a window"
            frames.webView?.report("The web process of \(name) has crashed, or was killed.")
        }
        session.send("Page.navigate") { $0.member("url", "about:blank") }
    }

    // MARK: Requests

    /// Handles a paused request for a document, and lets all others go on.
    func requestPaused(_ params: JSON) {
        guard let id = params["requestId"]?.string, let url = params["request"]?["url"]?.string else { return }
        if params["resourceType"]?.string == "Ping" { return network.pingPaused(id, params) }
        let frame = params["frameId"]?.string ?? ""
        let hasResponse = params["responseStatusCode"] != nil || params["responseErrorReason"] != nil
        if hasResponse, network.losesResponse(id, params) { return }
        if let error = params["responseErrorReason"]?.string {
            failed(id, url, error, frame)
        } else if params["responseStatusCode"] != nil {
            answered(id, url, params, frame)
        } else {
            requested(id, url, params, frame)
        }
    }

    private func requested(_ id: String, _ url: String, _ params: JSON, _ frame: String) {
        guard params["resourceType"]?.string == "Document" else { return network.proceed(params) }
        if let html = takeDocument(for: url, frame) { return network.fulfill(id, status: 200, html) }
        if frames.isMain(frame), takeDecided(url) { return begin(params, url, frame) }
        if params["redirectedRequestId"] != nil, frames.isMain(frame) {
            frames.mainPage?.notify(DriverMessage.redirected(url: url))
        }
        let type = type(of: params, url, frame)
        let isPost = params["request"]?["method"]?.string == "POST"
        let page = frames.pageToAsk(about: frame)
        // A script may load something in its new window before that has a page.
        let opener = page == nil && !hasShownPage ? opener?.pageToAsk(about: "") : nil
        let question = NavigationQuestion(
            url, .init(rawValue: type), isMainFrame: frames.isMain(frame), hasTargetFrame: opener == nil,
            isPost: isPost)
        decide(id, question, opener ?? page) { [weak self] in self?.begin(params, url, frame) }
    }

    /// Why a document is loaded. As in WebKit, where a form leads to is loaded because of the form.
    private func type(of params: JSON, _ url: String, _ frame: String) -> String {
        let isRedirect = params["redirectedRequestId"] != nil
        let isForm = params["request"]?["method"]?.string == "POST" || isRedirect && formFrames.contains(frame)
        let asked = expected.removeValue(forKey: frame)
        let type = asked?.url == url ? asked?.type ?? "" : isForm ? "form" : "other"
        if type == "form" { formFrames.insert(frame) } else { formFrames.remove(frame) }
        return type
    }

    /// Lets a request go on that native code has allowed.
    private func begin(_ params: JSON, _ url: String, _ frame: String) {
        if params["redirectedRequestId"] == nil, frames.isMain(frame) {
            frames.mainPage?.notify(DriverMessage.started(url: url))
        }
        network.proceed(params)
    }

    /// Asks native code. A frame whose load it cancels goes on to show its document.
    private func decide(
        _ request: String, _ question: NavigationQuestion, _ page: DrivenPage?, proceed: @escaping () -> Void
    ) {
        let decided = { @MainActor [network] (isAllowed: Bool) -> Void in
            if isAllowed { proceed() } else { network.fail(request, "Aborted") }
        }
        if let page {
            page.decide(question, decided: decided)
        } else if expectsPage {
            nextPage.decide(question, in: frames.webView, decided: decided)
        } else {
            proceed()
        }
    }

    /// Whether the window will show a page that can be asked. Its first load is the driver's own, and in a window that has
    /// crashed no page can have begun a load.
    var expectsPage: Bool { !hasCrashed && (!loadsAtOnce || frames.mainFrame?.url.isEmpty == false) }

    // MARK: Navigations

    /// A script or the user has asked for a navigation. Chromium makes no request for a URL of another app, such as
    /// `mailto:`, so native code is asked here. As in WebKit, a load that it allows then fails.
    /// - Returns: the window that it opens; nil if it is one of a frame.
    func navigationRequested(_ params: JSON) -> (url: String, type: String)? {
        guard let url = params["url"]?.string, let frame = params["frameId"]?.string else { return nil }
        if frames.isMain(frame) { scheduledDocument = nil }
        let type = ChromiumLoads.type(of: params)
        // The user has held a key while they clicked a link.
        if ["newTab", "newWindow"].contains(params["disposition"]?.string) { return (url, type) }
        if !failsAsUnknown(url, type, frame) { expected[frame] = (url, type) }
        return nil
    }

    /// Asks native code about a URL of a scheme that Chromium does not load.
    /// - Returns: whether the URL has such a scheme.
    private func failsAsUnknown(_ url: String, _ type: String, _ frame: String) -> Bool {
        let scheme = url.prefix { $0 != ":" }.lowercased()
        guard !ChromiumLoads.ownSchemes.contains(scheme) else { return false }
        askAboutFailing(url, type, frame, LoadError(chromium: "net::ERR_UNKNOWN_URL_SCHEME"))
        return true
    }

    /// A script or the user wants a navigation. Chromium blocks those of the main frame to documents in `data:` URLs: it
    /// makes no request, and does not report that one was asked for.
    func navigationScheduled(_ params: JSON) {
        guard let url = params["url"]?.string, frames.isMain(params["frameId"]?.string ?? "") else { return }
        scheduledDocument = url.lowercased().hasPrefix("data:") ? (url, ChromiumLoads.type(of: params)) : nil
    }

    /// A navigation that was wanted has begun, or Chromium has blocked it. WebKit asks native code about one that it
    /// blocks, and lets it fail.
    func navigationCleared(_ params: JSON) {
        guard let frame = params["frameId"]?.string, frames.isMain(frame), let (url, type) = scheduledDocument else {
            return
        }
        scheduledDocument = nil
        askAboutFailing(PageText.cut(url, to: PageText.url), type, frame, .interrupted)
    }

    /// Why a navigation was asked for.
    private static func type(of params: JSON) -> String {
        switch params["reason"]?.string {
        case "anchorClick": "link"
        case "formSubmissionGet", "formSubmissionPost": "form"
        case "reload": "reload"
        case "scriptInitiated", "metaTagRefresh", "httpHeaderRefresh": "script"
        default: "other"
        }
    }

    /// Asks native code about a load that fails if native code allows it.
    private func askAboutFailing(_ url: String, _ type: String, _ frame: String, _ error: LoadError) {
        guard let page = frames.pageToAsk(about: frame) else { return }
        let question = NavigationQuestion(
            url, .init(rawValue: type), isMainFrame: frames.isMain(frame), hasTargetFrame: true)
        page.decide(question) { [weak self] isAllowed in
            if isAllowed { self?.report(error, of: url, page) }
        }
    }

    /// The schemes that a browser loads itself.
    private static let ownSchemes = ["http", "https", "about", "data", "blob", "javascript", "file"]

    // MARK: Answers

    private func answered(_ id: String, _ url: String, _ params: JSON, _ frame: String) {
        let (status, headers) = (
            params["responseStatusCode"]?.wholeNumber ?? 0, params["responseHeaders"]?.elements ?? []
        )
        // The request that follows is asked about.
        if (300..<400).contains(status), status != 304 { return network.proceed(id) }
        let field = { (name: String) in headers.first { $0["name"]?.string?.lowercased() == name }?["value"]?.string }
        let contentType = field("content-type")
        let mimeType = contentType?.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces)
        // If native code refuses the response, Chromium tells nothing of it.
        network.answered(params["networkId"]?.string ?? "", status: status, mimeType: mimeType)
        let question = NavigationQuestion(
            url, isMainFrame: frames.isMain(frame),
            response: .init(status: status, mimeType: mimeType, disposition: field("content-disposition")))
        // Chromium shows a page of its own in place of an error without a body, and so would lose the app's URL.
        let isEmptyError = status >= 400 && frames.isMain(frame) && ChromiumLoads.hasNoBody(headers)
        let ask = { [weak self] (page: DrivenPage?) -> Void in
            self?.decide(id, question, page) {
                if isEmptyError {
                    self?.network.fulfill(id, status: status, "\n", keeping: headers)
                } else {
                    self?.network.proceed(id)
                }
            }
        }
        let page = frames.pageToAsk(about: frame)
        guard page == nil, !hasShownPage, opener != nil else { return ask(page) }
        // The empty document of a window that a page opens with `noopener` runs no script, and so becomes no page. Native
        // code has allowed the window and its load.
        nextPage.wait(frames.limits, upTo: .seconds(1)) { [network] page in
            if page == nil { network.proceed(id) } else { ask(page) }
        }
    }

    private static func hasNoBody(_ headers: [JSON]) -> Bool {
        headers.contains {
            $0["name"]?.string?.lowercased() == "content-length"
                && $0["value"]?.string?.trimmingCharacters(in: .whitespaces) == "0"
        }
    }

    /// Cancels a load that has failed, so that Chromium shows no error page. An error without a name here, such as that of
    /// a certificate, gets one when Chromium shows its page (`Page.navigate`).
    private func failed(_ id: String, _ url: String, _ reason: String, _ frame: String) {
        guard let error = LoadError(reason: reason) else { return network.proceed(id) }
        network.fail(id, "Aborted")
        guard frames.isMain(frame) else { return }
        firstError = error
        guard frames.mainPage == nil, let webView = frames.webView else {
            return report(error, of: url, frames.mainPage)
        }
        // A window whose first load has failed shows its empty document.
        scripts.prepareEmptyDocument(webView.settings) { [weak self] _ in
            self?.report(error, of: url, self?.frames.mainPage)
        }
    }

    /// Tells native code why a load has failed, with the error that iOS gives.
    private func report(_ error: LoadError, of url: String, _ page: DrivenPage?) {
        guard let page else { return frames.webView?.loadFailed(url, error.text) ?? () }
        page.notify(error.message(of: url, isProvisional: true))
    }
}
