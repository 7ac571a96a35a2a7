import BridgeProtocol

/// What a document posted as it left comes before what the next one posts, though the one came by beacon and the other
/// by a connection that was faster.
extension Hub {
    /// Keeps back what a new document posts until its predecessor's beacons are there, or are late. A predecessor that
    /// is not known yet may be one that left before it was attached.
    func hold(_ page: Page, until previous: AttachPage.Previous) {
        guard page.succession == nil, !isOver(previous) else { return }
        page.succession = Page.Succession(previous: previous)
        held.append(page)
        deadlines.schedule(after: settings.beaconTimeout) { [weak self] in
            guard let self else { return }
            release(page)
            releaseHeld()
            traffic.flush()
        }
    }

    /// - Returns: whether the message waits.
    func keepsBack(_ message: PostMessage, _ id: RequestID?, _ page: Page) -> Bool {
        guard page.succession != nil else { return false }
        page.succession?.waiting.append((message, id))
        return true
    }

    /// Lets those go on whose predecessors have come to their end, one after the other where several have left.
    func releaseHeld() {
        while let page = held.first(where: { $0.succession.map { isOver($0.previous) } ?? true }) { release(page) }
    }

    private func release(_ page: Page) {
        held.removeAll { $0 === page }
        guard let succession = page.succession else { return }
        page.succession = nil
        for (message, id) in succession.waiting { post(message, id, page) }
        for call in succession.calls { call() }
        traffic.flush()
        if let seq = page.state.acknowledge() { page.channel?.send { $0.pageAck(seq: seq) } }
    }

    private func isOver(_ previous: AttachPage.Previous) -> Bool {
        (document(previous.document)?.state.lastSeq ?? 0) >= previous.seq
    }

    /// A document that is here, or was.
    func document(_ document: String) -> Page? {
        pages[document] ?? departed.last { $0.document == document }
    }
}

extension Page {
    /// A document that waits for what the one before it left behind.
    @MainActor struct Succession {
        let previous: AttachPage.Previous
        var waiting: [(message: PostMessage, id: RequestID?)] = []
        /// Of interface objects, made behind those messages.
        var calls: [@MainActor () -> Void] = []
    }
}
