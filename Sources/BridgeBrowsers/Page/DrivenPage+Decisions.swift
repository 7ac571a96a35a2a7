package import BridgeProtocol

/// What native code decides about a window that a page opens.
package enum WindowDecision: Sendable {
    case refused
    /// The window is one of the page's own web view: its popup.
    case allowed
    /// The window stands for the web view of this name.
    case webView(String)
}

/// Decisions about loads and windows. If native code cannot be asked, the driver refuses.
extension DrivenPage {
    /// Asks native code whether a load may begin, or whether its response may be shown.
    /// - Parameter write: writes the members beside `url`.
    package func decide(
        _ url: String, _ write: (inout JSONWriter) -> Void, decided: @escaping @MainActor (_ isAllowed: Bool) -> Void
    ) {
        guard let shown = askable(url, "load") else { return decided(false) }
        request("navigation.decide", isRepeated: true) { writer in
            writer.member("url", shown)
            write(&writer)
        } completion: { [self] result in
            decided(answer(result, "load of \(shown)")?["policy"]?.string == "allow")
        }
    }

    /// Asks native code about a window that a script opens. It does not ask again if the connection breaks, because native
    /// code makes a web view for each question.
    package func askForWindow(_ url: String, decided: @escaping @MainActor (WindowDecision) -> Void) {
        guard let shown = askable(url, "window") else { return decided(.refused) }
        request("window.open") {
            $0.member("url", shown)
        } completion: { [self] result in
            let answer = answer(result, "window for \(shown)")
            if let name = answer?["webView"]?.string { return decided(.webView(name)) }
            decided(answer?["policy"]?.string == "allow" ? .allowed : .refused)
        }
    }

    /// The URL as native code gets it. Native code sees the beginning of a long URL that is a document itself, such as
    /// one of `data:`. It cannot decide about the beginning of any other one.
    private func askable(_ url: String, _ subject: String) -> String? {
        guard url.utf8.count > PageText.url, url.hasPrefix("http") else { return PageText.cut(url, to: PageText.url) }
        report(
            "loadCancelled",
            "A \(subject) was cancelled: its URL has \(url.utf8.count) bytes, and native code gets at most "
                + "\(PageText.url): \(PageText.cut(url, to: 100))")
        return nil
    }

    private func answer(_ result: Result<JSON, RPCError>, _ subject: String) -> JSON? {
        switch result {
        case .success(let answer): return answer
        case .failure(let error):
            // The loads and windows of a document that has left do not matter any more.
            if !hasLeft {
                let subject = PageText.cut(subject, to: 200)
                report(
                    "loadCancelled", "The \(subject) was cancelled, because native code was not asked: \(error.message)"
                )
            }
            return nil
        }
    }
}
