import BridgeProtocol
import BridgeServer
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends loads of native code to the page.
extension Loader {
    /// Sends a load. In a driven browser, it begins after the changes of cookies that native code made before it.
    func send(_ load: Load, to page: Page) {
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
        case .document(let number) where page.isDriven: sendDocument(number, load, to: page)
        case .document(let number):
            if let url = webView.server.url(ofDocument: number, for: webView.bridgedName) { page.navigate(to: url) }
        case .scheme: break  // It is a document by now.
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
        let base = baseURL.map { [JSONValue.Member("baseURL", .string($0))] } ?? []
        page.command("page.loadHTML", [JSONValue.Member("html", .string(html))] + base) {
            [run = whileAlive()] result in
            guard case .failure(let error) = result else { return }
            run { if $0.isCurrent(load) { $0.end(failing: WKError(error)) } }
        }
    }
}
