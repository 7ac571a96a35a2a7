import BridgeProtocol
import BridgeTraffic

/// `/document`: HTML that native code wrote (`loadHTMLString`), or the empty document that a web view shows at first.
///
/// `?web-view=NAME` names the web view, and `document=NUMBER` one of the documents in its scope. `key` is a secret, so
/// that only native code can lead a browser here.
@MainActor struct DocumentRoutes {
    let parts: ServerParts
    let access: AccessPolicy

    func install(in router: Router) {
        router.on(.get, "/document", respond: respond)
    }

    private func respond(_ request: HTTPRequest) -> HTTPResponse {
        let refusal = access.refusal(ofDocumentWith: request.value(of: "key"))
        if let refusal = refusal ?? access.refusal(ofPageWith: request.value(of: "token")) {
            return parts.documents.traffic.refuse(refusal)
        }
        let webView = request.value(of: "web-view") ?? "main"
        let query = "&key=\(access.documentKey.text)" + (access.pageToken.map { "&token=\($0.text)" } ?? "")
        var html = WebViewScope.Document.initial(for: webView, query)
        if let number = request.value(of: "document") {
            guard let found = Int(number).flatMap({ parts.webViews.scope(of: webView).documents[$0] }) else {
                return .text("The web view \(webView.forText) has no document \(number.forText).", status: .notFound)
            }
            html = found.html(for: webView, query)
        }
        return .html(html, fields: [("Referrer-Policy", "same-origin")])
    }
}

extension WebViewScope.Document {
    /// The empty document. As in WebKit, no user script runs in it.
    fileprivate static func initial(for webView: String, _ query: String) -> String {
        "<!DOCTYPE html><html><head>\(script(for: webView, "&user-scripts=none" + query))</head><body></body></html>"
    }

    private static func script(for webView: String, _ query: String) -> String {
        "<script src=\"/bridge.js?web-view=\(webView.queryEscaped)\(query)\"></script>"
    }

    /// The document with `bridge.js` before its first script, but after its document type, which must come first.
    func html(for webView: String, _ query: String) -> String {
        var head = Self.script(for: webView, query)
        if let baseURL {
            let escaped = baseURL.replacing("&", with: "&amp;").replacing("\"", with: "&quot;")
            head += "<base href=\"\(escaped)\">"
        }
        let start = html.firstIndex { !$0.isWhitespace } ?? html.startIndex
        guard html[start...].prefix(9).lowercased() == "<!doctype", let end = html[start...].firstIndex(of: ">") else {
            return head + html
        }
        return html[...end] + head + html[html.index(after: end)...]
    }
}
