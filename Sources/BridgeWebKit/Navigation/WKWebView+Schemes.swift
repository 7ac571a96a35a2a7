import BridgeProtocol
import BridgeServer
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The URL schemes for which the app has handlers.
extension WKWebView {
    /// Lets the pages of driven WebKit ask the handlers.
    func offerSchemes() {
        scope.urlSchemes = configuration.schemeHandlers.keys.sorted()
        guard !scope.urlSchemes.isEmpty else { return }
        scope.schemeHandler = { [weak self] load in
            guard let self else { return load.fail(NSError.unsupportedURL.failure(of: load.request.url)) }
            withExtendedLifetime(self) { self.answer(load) }
        }
    }

    /// Answers a page's request of a scheme.
    private func answer(_ load: SchemeLoad) {
        guard let url = URL(string: load.request.url),
            let handler = configuration.urlSchemeHandler(forURLScheme: url.scheme ?? "")
        else { return load.fail(NSError.unsupportedURL.failure(of: load.request.url)) }
        let request = loader.takeSchemeRequest(of: url) ?? URLRequest(load.request, url, of: self)
        let task = SchemeTask(request, handler, in: self) { [weak self] part in
            switch part {
            case .response(let response): load.respond(SchemeResponse(response))
            case .data(let data): load.write(data)
            case .finished: load.finish()
            case .failed(let error, let isWithinResponse):
                if isWithinResponse { self?.loader.schemeFailed(url, error) }
                load.fail(isWithinResponse ? nil : (error as NSError).failure(of: load.request.url))
            }
        }
        load.onStop = { task.stop() }
        task.start()
    }

    /// Asks the handler of a scheme for a document that native code loads, in a browser that does not know the scheme.
    /// - Returns: nil if no handler is registered; `finish` is called then, too.
    func startDocument(
        _ request: URLRequest, _ finish: @escaping @MainActor (Result<String, any Error>) -> Void
    ) -> SchemeTask? {
        let scheme = request.url?.scheme?.lowercased() ?? ""
        guard let handler = configuration.urlSchemeHandler(forURLScheme: scheme) else {
            finish(.failure(URLError(.unsupportedURL)))
            return nil
        }
        limitations.report(
            "The browser does not know the scheme \(scheme) of a WKURLSchemeHandler: it shows the HTML documents that "
                + "native code loads, and what their pages request of the scheme fails.",
            hint: "Show the app in WebKit (--in webkit), which asks the handler for everything.")
        let document = SchemeDocument(finish)
        let task = SchemeTask(request, handler, in: self) { document.take($0) }
        task.start()
        return task
    }
}

extension URLRequest {
    @MainActor fileprivate init(_ asked: SchemeRequest, _ url: URL, of webView: WKWebView) {
        self.init(url: url)
        httpMethod = asked.method
        for field in asked.fields { addValue(field.value, forHTTPHeaderField: field.name) }
        httpBody = asked.body
        mainDocumentURL = webView.url
    }
}

extension SchemeResponse {
    fileprivate init(_ response: URLResponse) {
        let http = response as? HTTPURLResponse
        let fields = (http?.allHeaderFields ?? [:]).compactMap { name, value -> HeaderField? in
            guard let name = name as? String else { return nil }
            return HeaderField(name, "\(value)")
        }
        let length = response.expectedContentLength
        self.init(
            status: http?.statusCode, mimeType: response.mimeType, charset: response.textEncodingName,
            length: length > 0 ? Int(clamping: length) : nil, fields: fields.sorted { $0.name < $1.name })
    }
}

extension NSError {
    fileprivate static var unsupportedURL: NSError { URLError(.unsupportedURL) as NSError }

    fileprivate func failure(of url: String) -> NavigationFailure {
        NavigationFailure(
            url: PageText.cut(url, to: PageText.url), domain: domain, code: code, text: localizedDescription,
            isProvisional: true)
    }
}
