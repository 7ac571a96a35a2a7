import BridgeProtocol

/// What a window or frame loads, and how its loads proceed and fail.
extension FirefoxContext {
    // MARK: Loads of the driver

    func navigate(_ navigation: PageNavigation) {
        switch navigation {
        case .url(let url): load(url)
        case .reload: reload()
        case .delta(let steps): move(by: steps)
        }
    }

    func load(_ url: String) {
        let before = lastLoad.id
        connection.send(
            "browsingContext.navigate",
            { writer in
                writer.member("context", id)
                writer.member("url", url)
                writer.member("wait", "none")
            },
            completion: { [weak self] result in
                // Loads that have begun report their errors themselves.
                guard case .failure = result, let self, lastLoad.id == before, window.webView != nil else { return }
                tellFailure("NS_ERROR_UNKNOWN_PROTOCOL", of: url, isProvisional: true)
            })
    }

    /// Loads a document without a question to native code.
    func load(_ own: OwnLoad) {
        self.own = own
        load(own.url)
    }

    private func reload() {
        nextType = "reload"
        connection.send("browsingContext.reload") { writer in
            writer.member("context", window.id)
            writer.member("wait", "none")
        }
    }

    private func move(by steps: Int) {
        nextType = "backForward"
        connection.send("browsingContext.traverseHistory") { writer in
            writer.member("context", window.id)
            writer.member("delta", steps)
        }
    }

    /// Ends the load that is under way. BiDi has no command for it.
    func stopLoading() { window.runApart("stop()") }

    // MARK: Questions

    /// Asks native code whether a load may begin.
    func decide(
        _ url: String, isRedirect: Bool = false, isPost: Bool = false, allowed: @escaping () -> Void,
        cancelled: @escaping () -> Void
    ) {
        let question = NavigationQuestion(
            url, .init(rawValue: lastLoad.type), isMainFrame: isWindow, hasTargetFrame: true, isPost: isPost)
        ask(question) { [weak self] isAllowed in
            guard isAllowed else { return cancelled() }
            self?.tell(isRedirect ? .redirected(url: url) : .started(url: url))
            allowed()
        }
    }

    /// Asks native code about a load. Allows the first load of a window without asking: no page is there yet, and the
    /// load is the driver's own.
    func ask(_ question: NavigationQuestion, decided: @escaping @MainActor (_ isAllowed: Bool) -> Void) {
        if let page, !page.hasLeft {
            page.decide(question, decided: decided)
        } else if window.document != nil, !window.showsBrowserPage {
            window.nextPage.decide(question, in: webView, decided: decided)
        } else {
            decided(true)
        }
    }

    /// Tells native code about a load of the main frame.
    func tell(_ message: DriverMessage) {
        if isWindow { document?.page?.notify(message) }
    }

    // MARK: Events

    func loadStarted(_ params: JSON) {
        guard let url = params["url"]?.string, !url.hasPrefix("javascript:") else { return }
        lastLoad = FirefoxLoad(id: params["navigation"]?.string, url: url, type: takeType(of: url))
        guard isWindow, webView != nil, !FirefoxLoad.makesRequest(url), takeOwn(url) == nil else { return }
        decide(url, allowed: {}, cancelled: { [weak self] in self?.stopLoading() })
    }

    private func takeType(of url: String) -> String {
        let type = actions.takeType(of: url)
        return nextType.take() ?? type ?? "other"
    }

    /// The driver's own load, if that is one of this URL.
    private func takeOwn(_ url: String) -> OwnLoad? {
        guard let own, own.matches(url) else { return nil }
        self.own = nil
        lastLoad.isOwn = true
        lastLoad.shownURL = own.shownURL
        return own
    }

    func loadFailed(_ error: String, _ params: JSON) {
        guard let id = params["navigation"]?.string, id == lastLoad.id,
            // Native code, the page or another load has stopped it.
            !["NS_BINDING_ABORTED", "NS_ERROR_ABORT"].contains(error)
        else { return }
        lastLoad.error = error
        let isFault = params["errorText"]?.string != error
        // Firefox shows no error for a load that its driver has ended.
        if lastLoad.isShown || isFault { tellFailure(error, of: lastLoad.url, isProvisional: !lastLoad.isShown) }
    }

    func loadCommitted(_ params: JSON) {
        let url = params["url"]?.string ?? ""
        if isTerminated, url == "about:blank" || url.hasPrefix("about:tabcrashed") { return terminated() }
        showsBrowserPage = FirefoxLoad.isBrowserPage(url)
        guard FirefoxLoad.isError(url) else {
            show(coming)
            lastLoad.isShown = true
            if let error = lastLoad.error { tellFailure(error, of: lastLoad.url, isProvisional: false) }
            return
        }
        forgetComing()
        let (error, failed) = FirefoxLoad.failure(in: url)
        tellFailure(lastLoad.error ?? error, of: failed, isProvisional: true)
    }

    /// Tells native code why a load has failed, with the error that iOS gives.
    private func tellFailure(_ text: String, of url: String, isProvisional: Bool) {
        guard isWindow else { return document?.leave() ?? () }
        guard let page = document?.page else {
            webView?.loadFailed(url, text)
            // Native code needs a page to which it can send its next load.
            if url != "about:blank" { load(OwnLoad(url: "about:blank")) }
            return
        }
        page.notify(LoadError(firefox: text).message(of: url, isProvisional: isProvisional))
    }

    private func terminated() {
        guard isWindow else { return }
        tell(.processTerminated)
        // What native code loads next must not go to this document, but wait for the empty one.
        document?.leave()
        load(OwnLoad(url: "about:blank"))
    }
}

/// The requests of documents. Firefox pauses each one before it is sent and when its response begins (`network`), so that
/// native code decides about it and can give a document of its own.
extension FirefoxContext {
    private var pausedRequests: FirefoxPausedRequests { browser.pausedRequests }

    func requestPaused(_ request: String, _ params: JSON) {
        guard let url = params["request"]?["url"]?.string, webView != nil else {
            return pausedRequests.proceed(request, to: "", in: nil)
        }
        if let own = takeOwn(url) {
            if own.shownURL == nil { tell(.started(url: own.url)) }
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
        let mimeType = response?["mimeType"]?.string?.prefix { $0 != ";" }
        let disposition = response?["headers"]?.elements.first {
            $0["name"]?.string?.lowercased() == "content-disposition"
        }
        let question = NavigationQuestion(
            params["request"]?["url"]?.string ?? "", isMainFrame: isWindow,
            response: .init(
                status: status == 0 ? nil : status, mimeType: mimeType.map(String.init),
                disposition: disposition?["value"]?["value"]?.string))
        ask(question) { isAllowed in
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
