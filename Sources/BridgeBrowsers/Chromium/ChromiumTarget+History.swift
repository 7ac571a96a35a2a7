import BridgeProtocol

extension ChromiumTarget {
    /// Tells the daemon the back/forward list of the window, after a document or a part of one was shown.
    func tellHistory() {
        send(
            "Page.getNavigationHistory",
            completion: { [weak self] result in
                guard case .success(let json) = result, let list = BrowserHistory(chromium: json) else { return }
                self?.mainDocument?.withPage { $0?.tellHistory(list) }
            })
    }

    /// Before `pagehide`, Chromium moves its driver to the next document if that is in the history or of another site.
    func reportDeparture(of url: String, to next: DrivenDocument?) {
        next?.withPage { page in
            page?.report(
                "departureLost",
                "What \(PageText.cut(url, to: 256)) has posted in pagehide, if anything, is lost: Chromium does not tell it to "
                    + "bridged if a page goes back or forward, or to another site. In WebKit and Firefox it arrives.")
        }
    }
}

extension BrowserHistory {
    /// Reads the answer of `Page.getNavigationHistory`. A web view does not begin with an empty document in its list, as
    /// a window of Chromium does.
    init?(chromium json: JSON) {
        guard let index = json["currentIndex"]?.wholeNumber else { return nil }
        let all =
            json["entries"]?.elements.map {
                HistoryEntry(url: $0["url"]?.string ?? "", title: $0["title"]?.string ?? "")
            } ?? []
        let isEmptyFirst = all.count > 1 && index > 0 && all.first?.url == "about:blank"
        self.init(entries: isEmptyFirst ? Array(all.dropFirst()) : all, index: isEmptyFirst ? index - 1 : index)
        guard entries.indices.contains(self.index) else { return nil }
    }
}
