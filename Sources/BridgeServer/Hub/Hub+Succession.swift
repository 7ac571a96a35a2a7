import BridgeProtocol

/// What a document posted as it left comes before what the next one posts, though the one came by beacon and the other by
/// a connection that was faster.
extension Hub {
    /// Keeps back what a new document posts until its predecessor's beacons are there, or are late.
    func hold(_ page: Page, until previous: AttachPage.Previous) {
        guard let predecessor = document(previous.document), predecessor.state.lastSeq < previous.seq else { return }
        page.succession = Page.Succession(predecessor: predecessor, seq: previous.seq)
        deadlines.schedule(after: settings.beaconTimeout) { [weak self, weak page] in
            guard let self, let page else { return }
            release(page)
            traffic.flush()
        }
    }

    /// - Returns: whether the message waits.
    func keepsBack(_ message: PostMessage, _ id: RequestID?, _ page: Page) -> Bool {
        guard page.succession != nil else { return false }
        page.succession?.waiting.append((message, id))
        return true
    }

    /// Lets those go on whose predecessors have come to their end.
    func releaseHeld() {
        for page in pages.values {
            if let succession = page.succession, succession.isOver { release(page) }
        }
    }

    private func release(_ page: Page) {
        guard let succession = page.succession else { return }
        page.succession = nil
        for (message, id) in succession.waiting { post(message, id, page) }
        traffic.flush()
        if let seq = page.state.acknowledge() { page.channel?.send { $0.pageAck(seq: seq) } }
    }

    private func document(_ document: String) -> Page? {
        pages[document] ?? departed.last { $0.document == document }
    }
}

extension Page {
    /// A document that waits for what the one before it left behind.
    @MainActor struct Succession {
        let predecessor: Page
        /// The predecessor's last message.
        let seq: Int
        var waiting: [(message: PostMessage, id: RequestID?)] = []

        var isOver: Bool { predecessor.state.lastSeq >= seq }
    }
}
