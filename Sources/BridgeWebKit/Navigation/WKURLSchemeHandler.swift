import BridgeProtocol
import BridgeServer
public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Loads the documents of a URL scheme. Here it is asked for what native code loads with `load(_:)`, and not for what a
/// page requests, because browsers do not know the scheme.
@preconcurrency @MainActor public protocol WKURLSchemeHandler: NSObjectProtocol {
    func webView(_ webView: WKWebView, start urlSchemeTask: any WKURLSchemeTask)
    /// Called if the load has ended before the task.
    func webView(_ webView: WKWebView, stop urlSchemeTask: any WKURLSchemeTask)
}

/// A request to a scheme's handler. The handler calls these methods: the response, the data in any number of parts, and
/// the end.
@preconcurrency @MainActor public protocol WKURLSchemeTask: NSObjectProtocol {
    var request: URLRequest { get }
    func didReceive(_ response: URLResponse)
    func didReceive(_ data: Data)
    func didFinish()
    func didFailWithError(_ error: any Error)
}

extension WKWebViewConfiguration {
    /// Registers the handler of a scheme such as `app`. Web views take it over when they are made.
    public func setURLSchemeHandler(_ urlSchemeHandler: (any WKURLSchemeHandler)?, forURLScheme urlScheme: String) {
        schemeHandlers[urlScheme.lowercased()] = urlSchemeHandler
    }

    public func urlSchemeHandler(forURLScheme urlScheme: String) -> (any WKURLSchemeHandler)? {
        schemeHandlers[urlScheme.lowercased()]
    }
}

/// Collects what a scheme's handler gives for a document.
@MainActor final class SchemeTask: NSObject, WKURLSchemeTask {
    let request: URLRequest
    private var mimeType: String?
    private var data = Data()
    private let finish: Once<Result<String, any Error>>
    private var cancel: (@MainActor (SchemeTask) -> Void)?

    init(_ request: URLRequest, _ finish: @escaping @MainActor (Result<String, any Error>) -> Void) {
        self.request = request
        self.finish = Once(finish)
    }

    func didReceive(_ response: URLResponse) { mimeType = response.mimeType }
    func didReceive(_ data: Data) { self.data.append(data) }
    func didFailWithError(_ error: any Error) { end(.failure(error)) }

    func didFinish() {
        guard mimeType.map({ $0.hasSuffix("html") || $0.hasSuffix("html+xml") }) ?? true else {
            let text = "The scheme's handler gave \(mimeType ?? "nothing"); a browser can show only its HTML documents."
            return end(.failure(WKError(.unknown, text: text)))
        }
        end(.success(String(decoding: data, as: UTF8.self)))
    }

    /// Tells the handler that its answer is not needed any more.
    func stop() {
        guard finish.cancel() else { return }
        cancel?(self)
    }

    private func end(_ result: Result<String, any Error>) { finish(result) }

    /// - Returns: nil if no handler is registered; `finish` is called then, too.
    static func start(
        _ request: URLRequest, in webView: WKWebView,
        _ finish: @escaping @MainActor (Result<String, any Error>) -> Void
    ) -> SchemeTask? {
        guard let handler = webView.configuration.urlSchemeHandler(forURLScheme: request.url?.scheme ?? "") else {
            finish(.failure(URLError(.unsupportedURL)))
            return nil
        }
        let task = SchemeTask(request, finish)
        task.cancel = { [weak webView] task in
            if let webView { handler.webView(webView, stop: task) }
        }
        handler.webView(webView, start: task)
        return task
    }
}

extension Limitations {
    /// Reports the limits of scheme handlers, if there are any.
    func reportSchemes(_ schemes: [String]) {
        guard !schemes.isEmpty else { return }
        report(
            "A WKURLSchemeHandler answers only load(_:) of its URLs (\(schemes.sorted().joined(separator: ", "))).",
            hint: "Browsers do not know the scheme: serve what the pages themselves request over http.")
    }
}
