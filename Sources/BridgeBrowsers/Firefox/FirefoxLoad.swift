/// A load of a window or frame ("navigation"), as its driver follows it.
struct FirefoxLoad {
    /// Firefox's name of the load; nil before the first one.
    var id: String?
    var url = ""
    /// Why it has begun, as in `navigation.decide`.
    var type = "other"
    /// The name that Firefox has for what went wrong.
    var error: String?
    /// Whether its document is shown.
    var isShown = false
    /// Whether the driver gives the response itself.
    var isOwn = false
    /// The URL that native code sees, if the document has another one.
    var shownURL: String?

    /// Whether Firefox makes a request for a URL, which the driver can pause.
    static func makesRequest(_ url: String) -> Bool {
        ["http:", "https:", "data:", "file:"].contains { url.hasPrefix($0) }
    }

    /// Whether Firefox shows this URL in place of a document that it could not load.
    static func isError(_ url: String) -> Bool {
        errorPages.contains { url.hasPrefix("about:\($0)") }
    }

    /// Whether a page is Firefox's own, such as its settings, in which no script of ours runs.
    static func isBrowserPage(_ url: String) -> Bool {
        url.hasPrefix("about:") && !["about:blank", "about:srcdoc"].contains { url.hasPrefix($0) }
    }

    static let errorPages = ["neterror", "certerror", "blocked", "httpsonlyerror", "tabcrashed"]

    /// The name of an error and the URL that failed, from the URL of Firefox's error page.
    static func failure(in errorPage: String) -> (error: String, url: String) {
        var found = (error: "", url: "")
        for part in errorPage.split(separator: "?").dropFirst().joined().split(separator: "&") {
            if part.hasPrefix("e=") { found.error = String(part.dropFirst(2)) }
            if part.hasPrefix("u=") { found.url = part.dropFirst(2).removingPercentEncoding ?? "" }
        }
        return found
    }
}

/// A load that the driver itself begins, without a question to native code.
struct OwnLoad {
    let url: String
    /// The document that answers the request; nil for Firefox's own answer.
    var html: String?
    /// The URL that native code sees instead.
    var shownURL: String?

    /// Whether a request is that of the load. A fragment is no part of a request.
    func matches(_ request: String) -> Bool {
        url.isSameDocument(as: request)
    }
}
