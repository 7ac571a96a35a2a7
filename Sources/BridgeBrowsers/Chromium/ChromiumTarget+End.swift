import BridgeProtocol

/// The end of the web process, and of the window.
extension ChromiumTarget {
    /// Native code learns it, and gets an empty document to which it can send its next load.
    func webProcessTerminated() {
        hasCrashed = true
        defer { endDocuments() }
        guard isWindow else { return }
        if let mainPage {
            mainPage.notify("process.terminated") { _ in }
        } else {
            webView?.report("The web process of \(webView?.name ?? "a window") has crashed, or was killed.")
        }
        send("Page.navigate") { $0.member("url", "about:blank") }
    }

    private func endDocuments() {
        for (_, frame) in frames.sorted(by: { $0.key < $1.key }) { frame.document?.leave() }
        worlds = [:]
    }

    func end() {
        endDocuments()
        for frame in frames.keys.sorted() { forget(frame) }
    }
}
