import BridgeProtocol
public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Loads what has a URL of its scheme. In driven WebKit it is asked for everything that pages request, as on iOS; other
/// browsers do not know the scheme, so that there it is asked only for the HTML documents that native code loads with
/// `load(_:)`.
@preconcurrency @MainActor public protocol WKURLSchemeHandler: NSObjectProtocol {
    func webView(_ webView: WKWebView, start urlSchemeTask: any WKURLSchemeTask)
    /// Called if the load has ended before the task.
    func webView(_ webView: WKWebView, stop urlSchemeTask: any WKURLSchemeTask)
}

/// A request to a scheme's handler. The handler calls these methods: the response, the data in any number of parts, and
/// the end. WebKit raises an exception for a call that comes in another order, or after the end; here the call does
/// nothing, and a `problem` record says so.
@preconcurrency @MainActor public protocol WKURLSchemeTask: NSObjectProtocol {
    var request: URLRequest { get }
    func didReceive(_ response: URLResponse)
    func didReceive(_ data: Data)
    func didFinish()
    func didFailWithError(_ error: any Error)
}

extension WKWebViewConfiguration {
    /// Registers the handler of a scheme such as `app`. Web views take it over when they are made.
    ///
    /// WebKit raises an exception for a scheme that it handles itself, and for what is no scheme. Here that does nothing, and
    /// a `problem` record says so.
    public func setURLSchemeHandler(_ urlSchemeHandler: (any WKURLSchemeHandler)?, forURLScheme urlScheme: String) {
        let own = ["about", "blob", "data", "file", "ftp", "http", "https", "javascript", "ws", "wss"]
        guard !own.contains(urlScheme.lowercased()), urlScheme.wholeMatch(of: /[A-Za-z][A-Za-z0-9+.\-]*/) != nil else {
            return Limitations(bridgeServer).report(
                "The handler of the URL scheme '\(PageText.cut(urlScheme, to: 100))' was not set. On iOS this raises an "
                    + "exception, which ends the app.",
                hint: "Name a scheme of the app's own, such as app.")
        }
        guard schemeHandlers[urlScheme.lowercased()] == nil else {
            return Limitations(bridgeServer).report(
                "The handler of the URL scheme '\(urlScheme)' was not set, because it has one. On iOS this raises an exception, "
                    + "which ends the app.", hint: "Register one handler for each scheme.")
        }
        schemeHandlers[urlScheme.lowercased()] = urlSchemeHandler
    }

    public func urlSchemeHandler(forURLScheme urlScheme: String) -> (any WKURLSchemeHandler)? {
        schemeHandlers[urlScheme.lowercased()]
    }
}

/// A request that a scheme's handler answers, and how far the answer is.
@MainActor final class SchemeTask: NSObject, WKURLSchemeTask {
    /// What the handler has given.
    enum Part {
        case response(URLResponse)
        case data(Data)
        case finished
        /// - Parameter isWithinResponse: whether there was a response before.
        case failed(any Error, isWithinResponse: Bool)
    }

    private enum Phase { case started, responded, receiving, ended, stopped }

    let request: URLRequest
    private let handler: any WKURLSchemeHandler
    private weak var webView: WKWebView?
    private var phase = Phase.started
    private let take: @MainActor (Part) -> Void

    /// - Parameter take: gets what the handler gives, in a correct order.
    init(
        _ request: URLRequest, _ handler: any WKURLSchemeHandler, in webView: WKWebView,
        take: @escaping @MainActor (Part) -> Void
    ) {
        (self.request, self.handler, self.webView, self.take) = (request, handler, webView, take)
    }

    func start() {
        if let webView { handler.webView(webView, start: self) }
    }

    /// Tells the handler that its answer is not needed any more.
    func stop() {
        guard phase != .ended, phase != .stopped else { return }
        phase = .stopped
        if let webView { handler.webView(webView, stop: self) }
    }

    // MARK: From the handler

    nonisolated func didReceive(_ response: URLResponse) { onMainThread { $0.received(response) } }
    nonisolated func didReceive(_ data: Data) { onMainThread { $0.received(data) } }
    nonisolated func didFinish() { onMainThread { $0.finished() } }
    nonisolated func didFailWithError(_ error: any Error) { onMainThread { $0.failed(error) } }

    /// The handler may call from any thread, as in WebKit, which waits for the main thread as well (WKURLSchemeTask.mm).
    nonisolated private func onMainThread(_ body: @MainActor @Sendable (SchemeTask) -> Void) {
        if Thread.isMainThread || DispatchQueue.getSpecific(key: SchemeTask.isMainQueue) == true {
            MainActor.assumeIsolated { body(self) }
        } else {
            DispatchQueue.main.sync { MainActor.assumeIsolated { body(self) } }
        }
    }

    /// On Linux the main queue may run on another thread than the main one.
    nonisolated private static let isMainQueue: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    private func received(_ response: URLResponse) {
        guard allows("didReceive(_: URLResponse)") else { return }
        guard phase != .receiving else {
            return report("didReceive(_: URLResponse)", "Data has already been sent for this task")
        }
        // A second response before the data takes the place of the first in WebKit; the page here has got that already.
        guard phase == .started else {
            webView?.limitations.report(
                "A second response of a WKURLSchemeTask was dropped. On iOS it takes the place of the first.",
                hint: "Call didReceive(_: URLResponse) once.")
            return
        }
        phase = .responded
        take(.response(response))
    }

    private func received(_ data: Data) {
        guard allows("didReceive(_: Data)") else { return }
        guard phase != .started else {
            return report("didReceive(_: Data)", "No response has been sent for this task")
        }
        phase = .receiving
        take(.data(data))
    }

    private func finished() {
        guard allows("didFinish()") else { return }
        guard phase != .started else {
            report("didFinish()", "No response has been sent for this task")
            return failed(URLError(.badServerResponse))
        }
        phase = .ended
        take(.finished)
    }

    private func failed(_ error: any Error) {
        guard allows("didFailWithError(_:)") else { return }
        let isWithinResponse = phase != .started
        phase = .ended
        take(.failed(error, isWithinResponse: isWithinResponse))
    }

    /// Whether the task has neither ended nor been stopped. Otherwise reports the call.
    private func allows(_ call: String) -> Bool {
        switch phase {
        case .started, .responded, .receiving: return true
        case .ended: report(call, "This task has already been completed")
        case .stopped: report(call, "This task has already been stopped")
        }
        return false
    }

    /// - Parameter text: as in WebKit's exception.
    private func report(_ call: String, _ text: String) {
        webView?.limitations.report(
            "\(call) of a WKURLSchemeTask did nothing: \(text). On iOS this raises an exception, which ends the app.",
            hint:
                "Call didReceive(_: URLResponse), then didReceive(_: Data) any number of times, then didFinish or "
                + "didFailWithError, and nothing after webView(_:stop:).")
    }
}

/// Collects what a scheme's handler gives for a document in a browser that does not know the scheme.
@MainActor final class SchemeDocument {
    private static let largest = 16 << 20
    private var mimeType: String?
    private var data = Data()
    private let finish: Once<Result<String, any Error>>

    init(_ finish: @escaping @MainActor (Result<String, any Error>) -> Void) { self.finish = Once(finish) }

    func take(_ part: SchemeTask.Part) {
        switch part {
        case .response(let response): mimeType = response.mimeType
        case .data(let data):
            guard self.data.count + data.count <= SchemeDocument.largest else {
                return fail("The scheme's handler gave a document of more than \(SchemeDocument.largest) bytes.")
            }
            self.data.append(data)
        case .failed(let error, _): finish(.failure(error))
        case .finished:
            guard mimeType.map({ $0.hasSuffix("html") || $0.hasSuffix("html+xml") }) ?? true else {
                return fail(
                    "The scheme's handler gave \(mimeType ?? "nothing"); only driven WebKit shows its documents that are "
                        + "not HTML.")
            }
            finish(.success(String(decoding: data, as: UTF8.self)))
        }
    }

    /// Adds the URL to a document that a driven browser shows as `about:blank`, so that it can resolve links.
    static func html(_ html: String, of url: URL?) -> String {
        guard let url, !html.contains(/<base\b/.ignoresCase()) else { return html }
        let escaped = url.absoluteString.replacing("&", with: "&amp;").replacing("\"", with: "&quot;")
        let type = html.prefixMatch(of: /\s*<!doctype[^>]*>/.ignoresCase())?.range.upperBound ?? html.startIndex
        return "\(html[..<type])<base href=\"\(escaped)\">\(html[type...])"
    }

    private func fail(_ text: String) { finish(.failure(WKError(.unknown, text: text))) }
}
