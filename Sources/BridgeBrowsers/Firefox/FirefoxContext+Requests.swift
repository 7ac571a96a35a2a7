import BridgeProtocol

/// The requests of documents. Firefox pauses each one before it is sent and when its response begins (`network`), so that
/// native code decides about it and can give a document of its own.
extension FirefoxContext {
    private var pausedRequests: FirefoxPausedRequests { browser.pausedRequests }

    func requestPaused(_ request: String, _ params: JSON) {
        guard let url = params["request"]?["url"]?.string, webView != nil else {
            return pausedRequests.proceed(request, to: "", in: nil)
        }
        if let own = takeOwn(url) {
            if own.shownURL == nil { tell("navigation.started") { $0.member("url", own.url) } }
            guard let html = own.html else { return pausedRequests.proceed(request, to: url, in: webView) }
            let withoutScripts = webView?.settings.allowsContentScripts == false
            return pausedRequests.respond(to: request, 200, html, withoutScripts ? [.withoutScripts] : [])
        }
        let isPost = params["request"]?["method"]?.string == "POST"
        if isPost {
            lastLoad.type = lastLoad.type == "reload" ? "formResubmitted" : "form"
        }
        let isRedirect = params["redirectCount"]?.wholeNumber ?? 0 > 0
        if isRedirect, params["navigation"]?.string == lastLoad.id { lastLoad.url = url }
        decide(
            url, isRedirect: isRedirect, isPost: isPost,
            allowed: {
                // Native code may have changed the scripts before it has decided.
                self.browser.scripts.whenInstalled { self.pausedRequests.proceed(request, to: url, in: self.webView) }
            },
            cancelled: { self.pausedRequests.fail(request) })
    }

    func responsePaused(_ request: String, _ params: JSON) {
        let response = params["response"]
        let status = response?["status"]?.wholeNumber ?? 0
        // A redirection is followed by another request.
        guard let webView, !lastLoad.isOwn, ![301, 302, 303, 307, 308].contains(status) else {
            return pausedRequests.proceedWithResponse(request)
        }
        // Scripts of native code run under any policy.
        let headers = webView.settings.allowsContentScripts ? nil : response?.headersWithoutScripts
        ask(params["request"]?["url"]?.string ?? "") { [isWindow] writer in
            writer.member("isMainFrame", isWindow)
            writer.member(
                "response",
                object: { writer in
                    if status != 0 { writer.member("status", status) }
                    let type = response?["mimeType"]?.string?.prefix { $0 != ";" }
                    writer.member("mimeType", ifPresent: type.map(String.init))
                })
        } decided: { isAllowed in
            isAllowed ? self.pausedRequests.proceedWithResponse(request, headers) : self.pausedRequests.fail(request)
        }
    }
}

extension JSON {
    /// The headers of a response (`network.ResponseData`), with a policy that forbids scripts of the page.
    fileprivate var headersWithoutScripts: [ResponseHeader] {
        let headers = self["headers"]?.elements.flatMap { header in
            // Firefox joins headers of one name.
            (header["value"]?["value"]?.string ?? "").split(separator: "\n").map {
                ResponseHeader(name: header["name"]?.string ?? "", value: String($0))
            }
        }
        return (headers ?? []) + [.withoutScripts]
    }
}
