import BridgeProtocol
import BridgeServer
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Support for the documents of `loadHTMLString`. The daemon serves them under URLs of its own, and native code sees
/// their base URLs.
extension WKWebView {
    /// Returns the frame with the URL that native code should see.
    func shown(_ frame: FrameInfo) -> FrameInfo {
        guard let baseURL = baseURL(of: frame.url) else { return frame }
        return FrameInfo(url: baseURL.absoluteString, origin: baseURL.origin, isMainFrame: frame.isMainFrame)
    }

    func shownURL(of page: Page) -> URL? { URL(string: shown(page.frame).url) }

    /// Returns the URL that native code sees after a load; nil if it is not known beforehand.
    func url(of target: Loader.Target) -> URL? {
        switch target {
        case .request(let request), .simulated(let request, _), .scheme(let request): request.url
        case .document(let number): baseURL(ofDocument: number)
        case .reload, .history: nil
        }
    }

    /// Returns whether the page already shows the target of a load.
    func shows(_ target: Loader.Target, _ page: Page) -> Bool {
        switch target {
        case .request(let request), .simulated(let request, _):
            request.url?.isSameDocument(as: page.frame.url) ?? false
        case .document(let number): page.frame.url == server.url(ofDocument: number, for: bridgedName)
        case .scheme, .reload, .history: false
        }
    }

    private func baseURL(of url: String) -> URL? {
        guard let blank = server.url(for: bridgedName), url.hasPrefix(blank) else { return nil }
        guard let number = Int(url.dropFirst(blank.count + "&document=".count).prefix { $0.isNumber }) else {
            return .blank
        }
        return baseURL(ofDocument: number)
    }

    private func baseURL(ofDocument number: Int) -> URL {
        scope.documents[number]?.baseURL.flatMap { URL(string: $0) } ?? .blank
    }
}

extension Page {
    /// Makes the response to the request for the page. The status is 200 if the browser does not report it.
    func response(url: URL) -> URLResponse {
        guard ["http", "https"].contains(url.scheme) else {
            return URLResponse(url: url, mimeType: "text/html", expectedContentLength: -1, textEncodingName: nil)
        }
        return HTTPURLResponse(url: url, statusCode: status ?? 200, httpVersion: "HTTP/1.1", headerFields: nil)
            ?? URLResponse(url: url, mimeType: "text/html", expectedContentLength: -1, textEncodingName: nil)
    }
}

extension URL {
    /// Whether a page at the URL `text` shows this URL's document. Fragments do not count, and an empty path is `/`.
    func isSameDocument(as text: String) -> Bool {
        func normalized(_ text: String) -> String? {
            guard var components = URLComponents(string: text) else { return nil }
            components.fragment = nil
            if components.path.isEmpty { components.path = "/" }
            return components.string
        }
        return normalized(absoluteString) == normalized(text)
    }

    /// The serialized origin; `null` for an opaque one.
    fileprivate var origin: String {
        guard let scheme, let host else { return "null" }
        return "\(scheme)://\(host)" + (port.map { ":\($0)" } ?? "")
    }
}
