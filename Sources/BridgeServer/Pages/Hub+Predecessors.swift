import BridgeProtocol
import BridgeTraffic

/// What a document posted as it left comes before what the next one posts, though the one came by beacon and the other
/// by a connection that was faster.
extension Hub {
    /// Keeps back what a new document posts until its predecessor's beacons are there, or are late. A predecessor that
    /// is not known yet may be one that left before it was attached.
    func hold(_ page: Page, until previous: AttachPage.Previous) {
        guard page.predecessorWait == nil, !isOver(previous) else { return }
        page.predecessorWait = Page.PredecessorWait(previous: previous)
        held.append(page)
        deadlines.schedule(after: limits.beaconTimeout) { [weak self] in
            guard let self else { return }
            release(page)
            releaseHeld()
            traffic.flush()
        }
    }

    /// - Returns: whether the message waits.
    func keepsBack(_ message: PostMessage, _ id: RequestID?, _ page: Page) -> Bool {
        guard page.predecessorWait != nil else { return false }
        page.predecessorWait?.waiting.append((message, id))
        return true
    }

    /// Lets those go on whose predecessors have come to their end, one after the other where several have left.
    func releaseHeld() {
        while let page = held.first(where: { $0.predecessorWait.map { isOver($0.previous) } ?? true }) { release(page) }
    }

    private func release(_ page: Page) {
        held.removeAll { $0 === page }
        guard let predecessorWait = page.predecessorWait else { return }
        page.predecessorWait = nil
        for (message, id) in predecessorWait.waiting { post(message, id, page) }
        for call in predecessorWait.calls { call() }
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
    @MainActor struct PredecessorWait {
        let previous: AttachPage.Previous
        var waiting: [(message: PostMessage, id: RequestID?)] = []
        /// Of interface objects, made behind those messages.
        var calls: [@MainActor () -> Void] = []
    }
}
