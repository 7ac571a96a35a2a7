import BridgeProtocol
import BridgeTraffic

/// A page that native code has asked a browser to load, and the counts at that time.
struct ExpectedPage {
    let url: String
    /// The requests for `bridge.js`, and the pages.
    fileprivate let requests: Int
    fileprivate let documents: Int
}

/// Notices that a page which native code opened does not load `bridge.js`. A page that has the tag asks for the script
/// as soon as it takes the place of the document before it, long before it has loaded.
///
/// Nothing else shows the daemon that such a page has loaded: no script of the daemon runs in it, and a page of another
/// origin shows its state neither to the document before it nor to a window that opened it. So only a time-out can
/// decide. It allows for a server that sends the head of its page late. (A driven browser attaches every page.)
@MainActor final class MissingScripts {
    /// The time from the end of the document before until the page must have asked for the script.
    private static let longestDelay = Duration.seconds(3)

    /// The daemon's address while it listens.
    var address: BridgeServer.Address?
    /// How many requests for `bridge.js` there were.
    private var requests = 0
    /// The page to which a starting browser is led.
    private var launching: ExpectedPage?
    private let traffic: TrafficLog
    private let deadlines: Deadlines
    private let webViews: WebViews
    /// Returns how many documents have attached so far; nil if the daemon is stopping.
    var documentCount: @MainActor () -> Int? = { nil }

    init(_ traffic: TrafficLog, _ deadlines: Deadlines, _ webViews: WebViews) {
        (self.traffic, self.deadlines, self.webViews) = (traffic, deadlines, webViews)
    }

    /// Notes a request for `bridge.js`.
    func scriptRequested() { requests += 1 }

    /// - Returns: nil if the destination may have its script already, or is no page of a web server.
    func expectedPage(after navigation: PageNavigation, from page: Page) -> ExpectedPage? {
        switch navigation {
        case .url(let url): expectedPage(at: url)
        case .reload: expectedPage(at: page.url)
        case .delta: nil
        }
    }

    private func expectedPage(at url: String) -> ExpectedPage? {
        guard url.hasPrefix("http://") || url.hasPrefix("https://") else { return nil }
        return ExpectedPage(url: url, requests: requests, documents: documentCount() ?? 0)
    }

    /// Records a problem and notifies the web view, unless the page asks for its script soon. Call this when the previous
    /// document has left.
    func awaitScript(of expected: ExpectedPage, in webView: String) -> Deadlines.Token {
        deadlines.schedule(after: MissingScripts.longestDelay) { [weak self] in
            guard let self, requests == expected.requests, documentCount() == expected.documents else { return }
            let page = expected.url.prefix { $0 != "?" && $0 != "#" }
            let text =
                "No request for bridge.js came from \(String(page).forText). Put this line first into its <head>: "
                + scriptTag(for: webView)
            traffic.problem(
                .scriptMissing, text,
                hint:
                    "If the line is there with another port, give the daemon that port with "
                    + "\(setting("port", "port")). If it is there with this one, the page did not load (does its server "
                    + "answer?), or its Content-Security-Policy forbids the script.")
            traffic.flush()
            webViews.scope(of: webView).onMissingScript?(text)
        }
    }

    private func scriptTag(for webView: String) -> String {
        let url = (address?.url ?? "") + "bridge.js" + (address?.pageToken.map { "?token=\($0)" } ?? "")
        return "<script src=\"\(url)\"\(webView == "main" ? "" : " data-web-view=\"\(webView)\"")></script>"
    }

    // MARK: A browser's first page

    /// The URL at which a browser starts to show a page: `/launch`, which leads it there, or the page's own.
    func launchURL(to url: String) -> String {
        // A browser may not accept the certificate of a daemon with TLS.
        guard let address, address.scheme == "http", url.hasPrefix("http"), !url.hasPrefix(address.url) else {
            return url
        }
        launching = expectedPage(at: url)
        return "\(address.url)launch"
    }

    /// The URL of the page to which a starting browser is led.
    var launchDestination: String? { launching?.url }

    /// Notes that the browser has been led there.
    func launched() {
        if let page = launching.take() { _ = awaitScript(of: page, in: "main") }
    }
}
