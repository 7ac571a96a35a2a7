import BridgeProtocol
import BridgeServer
import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

extension WKWebView {
    /// Saves what a request gets, without a navigation.
    public func startDownload(
        using request: URLRequest, completionHandler: @escaping @MainActor @Sendable (WKDownload) -> Void
    ) {
        let download = WKDownload(request, in: self)
        Task {
            completionHandler(download)
            download.begin()
        }
    }

    public func startDownload(using request: URLRequest) async -> WKDownload {
        let download = WKDownload(request, in: self)
        download.begin()
        return download
    }

    /// How to fetch what a download saves.
    /// - Parameter take: gets the response, the data and the end.
    func transfer(
        _ request: URLRequest, of download: WKDownload, take: @escaping @MainActor (SchemeTask.Part) -> Void
    ) -> any DownloadTransfer {
        let page = loader.attachedPage
        let scheme = request.url?.scheme?.lowercased() ?? ""
        if let url = request.url, ["blob", "data"].contains(scheme) { return PageTransfer(url, in: page, take: take) }
        if let handler = configuration.urlSchemeHandler(forURLScheme: scheme) {
            return SchemeTask(request, handler, in: self, take: take)
        }
        guard ["http", "https"].contains(scheme) else {
            return FailedTransfer { take(.failed(.cannotShowURL, isWithinResponse: false)) }
        }
        guard request.httpMethod != "POST" || request.httpBody != nil else {
            let text =
                "bridged cannot fetch a download that a form has posted, because it does not know the form's data."
            return FailedTransfer { take(.failed(WKError(.unknown, text: text), isWithinResponse: false)) }
        }
        var request = request
        // The page itself has said its user agent.
        if request.value(forHTTPHeaderField: "User-Agent") == nil, let agent = page?.userAgent, !agent.isEmpty,
            agent.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        {
            request.setValue(agent, forHTTPHeaderField: "User-Agent")
        }
        if page?.isDriven != true {
            limitations.report(
                "A WKDownload is fetched without the cookies of the browser, which native code does not know.",
                hint: "Use a browser that bridged drives: bridged open, or bridged run.")
        }
        return URLTransfer(
            request, cookies: { [weak self] in await self?.cookies(for: $0) },
            decide: { [weak download] response, request, decided in
                guard let download else { return decided(false) }
                download.decide(response, request, decided: decided)
            }, take: take)
    }

    /// The value of the field `Cookie` that a driven browser would send to a URL; nil if there is none.
    package func cookies(for url: URL) async -> String? {
        guard let page = loader.attachedPage, page.isDriven else { return nil }
        let all = await configuration.websiteDataStore.httpCookieStore.allCookies()
        let fitting = all.filter { $0.isSent(to: url) }
        return fitting.isEmpty ? nil : fitting.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
    }
}

extension HTTPCookie {
    /// Whether a browser sends the cookie to a URL (RFC 6265, section 5.4). Longer paths come first there; servers must not
    /// rely on the order.
    fileprivate func isSent(to url: URL) -> Bool {
        guard let host = url.host?.lowercased() else { return false }
        let domain = domain.lowercased()
        let isOfHost = domain.hasPrefix(".") ? host == domain.dropFirst() || host.hasSuffix(domain) : host == domain
        let requested = url.path.isEmpty ? "/" : url.path
        let isOfPath =
            requested == path || requested.hasPrefix(path.hasSuffix("/") ? path : "\(path)/") || path.isEmpty
        return isOfHost && isOfPath && (!isSecure || url.scheme == "https" || host == "localhost")
    }
}

/// The loads that a delegate turns into downloads.
extension Loader {
    /// Saves what a request would have loaded.
    func startDownload(_ action: WKNavigationAction) {
        let download = WKDownload(action.request, in: webView)
        delegate?.webView(webView, navigationAction: action, didBecome: download)
        download.begin()
    }

    /// Saves a response instead of showing it. It is requested again, because the browser has given none of it.
    func startDownload(_ response: WKNavigationResponse) {
        guard let url = response.response.url else { return }
        let asked = lastAction?.url == url ? lastAction : nil
        let download = WKDownload(asked ?? URLRequest(url: url), in: webView)
        delegate?.webView(webView, navigationResponse: response, didBecome: download)
        download.begin()
    }
}
