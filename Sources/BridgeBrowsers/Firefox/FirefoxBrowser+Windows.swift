import BridgeProtocol

/// How windows are closed.
extension FirefoxBrowser {
    package func close(_ webView: DrivenWebView) {
        for (id, context) in contexts.sorted(by: { $0.key < $1.key })
        where context.webView === webView && context.parent == nil {
            if keepsWindow(of: webView) { Task { await empty(id) } } else { closeContext(id) }
        }
    }

    func closeContext(_ id: String) { connection.send("browsingContext.close") { $0.member("context", id) } }

    /// Whether the window of a web view stays for the next one. A user would see the empty window, and the process ends
    /// with the last web view. A popup is a tab in the window of the page that has opened it.
    private func keepsWindow(of webView: DrivenWebView) -> Bool {
        let windows = contexts.values.filter(\.isWindow)
        return options.isHeadless && spares.count < FirefoxBrowser.mostSpares
            && !windows.contains { $0.opening != nil || $0.webView?.isPopup == true }
            && windows.contains { $0.webView.map { $0 !== webView && !$0.isOpenedByApp } ?? false }
    }

    private static let mostSpares = 4

    /// Replaces the tab of a window by an empty one, for the next web view. Firefox 153 keeps 9 MB for each window that was
    /// closed, and takes longer for each new one.
    private func empty(_ id: String) async {
        // Firefox closes a window with its last tab, so the new one comes first.
        let made = try? await connection.call("browsingContext.create") { writer in
            writer.member("type", "tab")
            writer.member("referenceContext", id)
            writer.member("background", true)
        }
        closeContext(id)
        if let spare = made?["context"]?.string { spares.append(spare) }
    }
}
