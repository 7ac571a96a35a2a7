package import BridgeProtocol

/// The back/forward list of a window: the params of `history.changed`.
package struct BrowserHistory: Equatable {
    let entries: [HistoryEntry]
    /// The place of the entry that is shown.
    let index: Int

    package init(entries: [HistoryEntry], index: Int) {
        self.entries = entries
        self.index = index
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("entries", entries)
        writer.member("index", index)
    }
}

package struct HistoryEntry: Equatable, JSONWritable {
    let url: String
    let title: String

    /// Long texts are cut, as the daemon would do: one of them must not make the whole list too long for it.
    package init(url: String, title: String) {
        self.url = PageText.cut(url, to: PageText.repeatedURL)
        self.title = PageText.cut(title, to: PageText.repeatedURL)
    }

    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("url", url)
            writer.member("title", title)
        }
    }
}
