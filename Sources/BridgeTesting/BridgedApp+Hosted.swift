import BridgeProtocol
import BridgeServer

/// A real app, which opens its first page itself when it is launched.
extension BridgedApp {
    /// Waits until the visible screen shows a page, and loads the URL in it if the page has another one.
    func openInApp(_ url: String, until readiness: PageReadiness, within timeout: Duration) async throws -> Page {
        let expected = normalized(url)
        let deadline = ContinuousClock.now + timeout
        let first = try await shownPage("a page of the app's first screen", before: deadline) {
            // A new window has the empty document until the app's own load arrives.
            $0.frame.url != "about:blank"
        }
        var page = first
        if first.frame.url != expected {
            first.navigate(to: url)
            page = try await shownPage("the app to show \(expected)", before: deadline) { $0.frame.url == expected }
        }
        if readiness == .load { try await loaded(page.webView, before: deadline) }
        return try self.page()
    }

    private func shownPage(
        _ what: String, before deadline: ContinuousClock.Instant, where fits: (Page) -> Bool
    ) async throws -> Page {
        while true {
            if let page = shownPage, fits(page) { return page }
            guard ContinuousClock.now < deadline else {
                let found = shownPage.map { "the screen shows \($0.frame.url)" } ?? "the screen shows no page"
                throw failure(what, found, isTimeOut: true)
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
