import BridgeProtocol

/// The requests of Firefox, which belong to its windows and frames.
extension FirefoxBrowser {
    func requestFinished(_ params: JSON, _ fault: RequestFault?, in context: FirefoxContext) {
        if let error = params["errorText"]?.string { context.loadFailed(fault?.error ?? error, params) }
        guard let request = FinishedRequest(firefox: params, fault: fault?.id) else { return }
        context.webView?.tell(request, from: context.document?.page)
    }

    /// A request of a document waits for native code. All others go on at once.
    func requestPaused(_ event: BrowserEvent, in context: FirefoxContext) {
        let params = event.params
        guard params["isBlocked"]?.bool == true, let id = params["request"]?["request"]?.string else { return }
        guard params["navigation"]?.string != nil else { return letGo(event, context.webView) }
        if event.method == "network.beforeRequestSent" {
            context.requestPaused(id, params)
        } else {
            context.responsePaused(id, params)
        }
    }

    func letGo(_ event: BrowserEvent, _ webView: DrivenWebView?) {
        let request = event.params["request"]
        guard event.params["isBlocked"]?.bool == true, let id = request?["request"]?.string else { return }
        if event.method == "network.beforeRequestSent" {
            pausedRequests.proceed(id, to: request?["url"]?.string ?? "", in: webView)
        } else {
            pausedRequests.proceedWithResponse(id)
        }
    }
}
