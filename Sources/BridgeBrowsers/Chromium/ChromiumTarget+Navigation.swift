import BridgeProtocol
import Foundation

/// The requests for documents of a window. Chromium pauses each one (`Fetch`) before it is sent and when its answer has
/// begun, so that native code decides about both and can give a document of its own.
extension ChromiumTarget {
    func requestPaused(_ params: JSON) {
        guard let id = params["requestId"]?.string, let url = params["request"]?["url"]?.string else { return }
        if params["resourceType"]?.string == "Ping" { return pingPaused(id, params) }
        let frame = params["frameId"]?.string ?? ""
        let hasResponse = params["responseStatusCode"] != nil || params["responseErrorReason"] != nil
        if hasResponse, let request = params["networkId"]?.string, takeCut(request) {
            loseRequest(id, params, "ConnectionReset")
        } else if let error = params["responseErrorReason"]?.string {
            failed(id, url, error, frame)
        } else if let status = params["responseStatusCode"]?.wholeNumber {
            answered(id, url, status, params["responseHeaders"]?.elements ?? [], frame)
        } else {
            requested(id, url, params, frame)
        }
    }

    // MARK: Requests

    private func requested(_ id: String, _ url: String, _ params: JSON, _ frame: String) {
        guard params["resourceType"]?.string == "Document" else { return proceed(params) }
        if let html = takeDocument(for: url, frame) { return fulfill(id, status: 200, html) }
        if isMainFrame(frame), takeDecided(url) { return begin(params, url, frame) }
        if params["redirectedRequestId"] != nil, isMainFrame(frame) {
            mainPage?.notify("navigation.redirected") { $0.member("url", url) }
        }
        let type = type(of: params, url, frame)
        let isPost = params["request"]?["method"]?.string == "POST"
        // A script may load something in its new window before that has a page.
        let opener = pageToAsk(about: frame) == nil && !hasShownPage ? opener?.pageToAsk(about: "") : nil
        decide(id, url, opener ?? pageToAsk(about: frame)) { [isMainFrame = isMainFrame(frame)] writer in
            writer.member("type", type)
            writer.member("isMainFrame", isMainFrame)
            writer.member("hasTargetFrame", opener == nil)
            writer.member("isPost", isPost)
        } proceed: { [weak self] in
            self?.begin(params, url, frame)
        }
    }

    /// Why a document is loaded. As in WebKit, where a form leads to is loaded because of the form.
    private func type(of params: JSON, _ url: String, _ frame: String) -> String {
        let isRedirect = params["redirectedRequestId"] != nil
        let isForm = params["request"]?["method"]?.string == "POST" || isRedirect && formFrames.contains(frame)
        let type = takeType(of: url, frame) ?? (isForm ? "form" : "other")
        if type == "form" { formFrames.insert(frame) } else { formFrames.remove(frame) }
        return type
    }

    /// Lets a request go on that native code has allowed.
    private func begin(_ params: JSON, _ url: String, _ frame: String) {
        if params["redirectedRequestId"] == nil, isMainFrame(frame) {
            mainPage?.notify("navigation.started") { $0.member("url", url) }
        }
        proceed(params)
    }

    /// Asks native code. A frame whose load it cancels goes on to show its document.
    private func decide(
        _ request: String, _ url: String, _ page: DrivenPage?, _ write: @escaping (inout JSONWriter) -> Void,
        proceed: @escaping () -> Void
    ) {
        let decided = { @MainActor [weak self] (isAllowed: Bool) -> Void in
            if isAllowed { proceed() } else { self?.fail(request, "Aborted") }
        }
        if let page {
            page.decide(url, write, decided: decided)
        } else if expectsPage {
            nextPage.decide(url, in: webView, write, decided: decided)
        } else {
            proceed()
        }
    }

    func fulfill(_ request: String, status: Int, _ html: String) {
        send("Fetch.fulfillRequest") { writer in
            writer.member("requestId", request)
            writer.member("responseCode", status)
            writer.member("responseHeaders", [HeaderEntry(name: "Content-Type", value: "text/html; charset=utf-8")])
            writer.member("body", Data(html.utf8).base64EncodedString())
        }
    }

    /// A script or the user has asked for a navigation. Chromium makes no request for a URL of another app, such as
    /// `mailto:`, so native code is asked here. As in WebKit, a load that it allows then fails.
    func navigationRequested(_ params: JSON) {
        guard let url = params["url"]?.string, let frame = params["frameId"]?.string else { return }
        if isMainFrame(frame) { scheduledDocument = nil }
        let type = navigationType(params)
        if let disposition = params["disposition"]?.string, ["newTab", "newWindow"].contains(disposition) {
            // The user has held a key while they clicked a link. No other event names the window's opener.
            expectWindow(url, type)
            return browser.expectWindow(openedBy: self)
        }
        if !failsAsUnknown(url, type, frame) { expect(type, of: url, frame) }
    }

    /// Asks native code about a URL of a scheme that Chromium does not load.
    /// - Returns: whether the URL has such a scheme.
    func failsAsUnknown(_ url: String, _ type: String, _ frame: String) -> Bool {
        let scheme = url.prefix { $0 != ":" }.lowercased()
        guard !ChromiumTarget.ownSchemes.contains(scheme) else { return false }
        askAboutFailing(url, type, frame, LoadError(chromium: "net::ERR_UNKNOWN_URL_SCHEME"))
        return true
    }

    /// A script or the user wants a navigation. Chromium blocks those of the main frame to documents in `data:` URLs: it
    /// makes no request, and does not report that one was asked for.
    func navigationScheduled(_ params: JSON) {
        guard let url = params["url"]?.string, isMainFrame(params["frameId"]?.string ?? "") else { return }
        scheduledDocument = url.lowercased().hasPrefix("data:") ? (url, navigationType(params)) : nil
    }

    /// A navigation that was wanted has begun, or Chromium has blocked it. WebKit asks native code about one that it
    /// blocks, and lets it fail.
    func navigationCleared(_ params: JSON) {
        guard let frame = params["frameId"]?.string, isMainFrame(frame), let (url, type) = scheduledDocument else {
            return
        }
        scheduledDocument = nil
        askAboutFailing(PageText.cut(url, to: PageText.url), type, frame, .interrupted)
    }

    private func navigationType(_ params: JSON) -> String {
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
        guard let page = pageToAsk(about: frame) else { return }
        page.decide(url) { writer in
            writer.member("type", type)
            writer.member("isMainFrame", isMainFrame(frame))
            writer.member("hasTargetFrame", true)
        } decided: { [weak self] isAllowed in
            if isAllowed { self?.report(error, of: url, page) }
        }
    }

    /// The schemes that a browser loads itself.
    private static let ownSchemes = ["http", "https", "about", "data", "blob", "javascript", "file"]

    // MARK: Answers

    private func answered(_ id: String, _ url: String, _ status: Int, _ headers: [JSON], _ frame: String) {
        // The request that follows is asked about.
        if (300..<400).contains(status), status != 304 { return proceed(id) }
        let contentType = headers.first { $0["name"]?.string?.lowercased() == "content-type" }?["value"]?.string
        let write = { [isMainFrame = isMainFrame(frame)] (writer: inout JSONWriter) in
            writer.member("isMainFrame", isMainFrame)
            writer.member(
                "response",
                object: { writer in
                    writer.member("status", status)
                    if let type = contentType?.prefix(while: { $0 != ";" }) {
                        writer.member("mimeType", type.trimmingCharacters(in: .whitespaces))
                    }
                })
        }
        let ask = { [weak self] (page: DrivenPage?) -> Void in
            self?.decide(id, url, page, write) { self?.proceed(id) }
        }
        guard pageToAsk(about: frame) == nil, !hasShownPage, opener != nil else { return ask(pageToAsk(about: frame)) }
        // The empty document of a window that a page opens with `noopener` runs no script, and so becomes no page. Native
        // code has allowed the window and its load.
        nextPage.wait(webView?.limits ?? DriverLimits(), upTo: .seconds(1)) { [weak self] page in
            if page == nil { self?.proceed(id) } else { ask(page) }
        }
    }

    /// Cancels a load that has failed, so that Chromium shows no error page. An error without a name here, such as that of
    /// a certificate, gets one when Chromium shows its page (`Page.navigate`).
    private func failed(_ id: String, _ url: String, _ reason: String, _ frame: String) {
        guard let error = LoadError(reason: reason) else { return proceed(id) }
        fail(id, "Aborted")
        guard isMainFrame(frame) else { return }
        withMainPage { [weak self] in self?.report(error, of: url, $0) }
    }

    /// Fails a request for which there is a fault.
    func loseRequest(_ id: String, _ params: JSON, _ reason: String) {
        guard params["resourceType"]?.string == "Document" else { return fail(id, reason) }
        failed(id, params["request"]?["url"]?.string ?? "", reason, params["frameId"]?.string ?? "")
    }

    /// Tells native code why a load has failed, with the error that iOS gives.
    func navigationFailed(_ url: String, _ text: String, _ page: DrivenPage?) {
        guard text != "net::ERR_ABORTED" else { return }
        report(LoadError(chromium: text), of: url, page)
    }

    private func report(_ error: LoadError, of url: String, _ page: DrivenPage?) {
        guard let page else { return webView?.loadFailed(url, error.text) ?? () }
        page.notify("navigation.failed") { writer in
            writer.member("url", url)
            error.writeMembers(to: &writer)
            writer.member("isProvisional", true)
        }
    }
}

private struct HeaderEntry: JSONWritable {
    let name: String
    let value: String

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("name", name)
            writer.member("value", value)
        }
    }
}
