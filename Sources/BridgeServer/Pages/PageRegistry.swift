import BridgeProtocol

/// The sessions of every document that the daemon knows.
///
/// The sessions of documents that have gone are kept for a while, because their beacons may still arrive.
@MainActor struct PageRegistry {
    /// The maximum number of sessions that are kept after their documents have gone.
    private static let departedLimit = 256

    /// The sessions of documents that are attached or away, oldest first.
    private(set) var sessions: [PageSession] = []
    /// The latest sessions whose documents have gone, in the order in which they went.
    private var departed: [PageSession] = []
    private var byDocument: [String: PageSession] = [:]
    /// How many sessions there have been in this run of the daemon.
    private(set) var count = 0

    /// The session of a document that is attached or away.
    func session(of document: String) -> PageSession? {
        byDocument[document].flatMap { $0.state.presence == .gone ? nil : $0 }
    }

    /// The session of a document that is attached, away or gone.
    func latestSession(of document: String) -> PageSession? { byDocument[document] }

    /// Adds a session. A document that had one before, for example one that comes back from the back/forward cache,
    /// continues its message numbers.
    mutating func add(_ attach: AttachPage, hub: Hub) -> PageSession {
        count += 1
        let lastSeq = byDocument[attach.document]?.state.lastSeq ?? 0
        let session = PageSession(number: count, attach, lastSeq: lastSeq, hub: hub)
        sessions.append(session)
        byDocument[session.document] = session
        return session
    }

    mutating func depart(_ session: PageSession) {
        sessions.removeAll { $0 === session }
        departed.append(session)
        guard departed.count > PageRegistry.departedLimit else { return }
        let forgotten = departed.removeFirst()
        if byDocument[forgotten.document] === forgotten { byDocument[forgotten.document] = nil }
    }

    /// Whether all messages of a previous document have arrived.
    func hasAll(of previous: AttachPage.Previous) -> Bool {
        (byDocument[previous.document]?.state.lastSeq ?? 0) >= previous.seq
    }

    /// A session that waits for a previous document whose messages have all arrived.
    var nextToRelease: PageSession? {
        (departed + sessions).first { $0.predecessorWait.map { hasAll(of: $0.previous) } ?? false }
    }
}
