import BridgeProtocol
import DequeModule

/// The sessions of every document that the daemon knows.
///
/// The sessions of documents that have gone are kept for a while, because their beacons may still arrive. Nothing that
/// a message or an attaching page needs looks at all sessions.
@MainActor struct PageRegistry {
    /// The maximum number of sessions that are kept after their documents have gone.
    private static let departedLimit = 256

    /// The sessions of documents that are attached or away, oldest first.
    var sessions: [PageSession] { present.sessions }
    /// How many sessions there have been in this run of the daemon.
    private(set) var count = 0
    private var present = SessionList()
    /// The present sessions of main-frame documents, by their web views.
    private var mainSessions: [String: SessionList] = [:]
    /// The sessions of each web view that wait for a connection.
    private var away: [String: SessionList] = [:]
    /// The sessions that wait for their first connection.
    private var unconnected = SessionList()
    /// The sessions that hold back messages, by the previous document for which they wait.
    private var holding: [String: SessionList] = [:]
    /// The latest sessions whose documents have gone, in the order in which they went.
    private var departed: Deque<PageSession> = []
    private var byDocument: [String: PageSession] = [:]

    // MARK: Look-up

    var departedCount: Int { departed.count }

    /// The session of a document that is attached or away.
    func session(of document: String) -> PageSession? {
        byDocument[document].flatMap { $0.state.presence == .gone ? nil : $0 }
    }

    /// The session of a document that is attached, away or gone.
    func latestSession(of document: String) -> PageSession? { byDocument[document] }

    /// The session of the page with this id, which is attached or away.
    func session(ofPage id: String) -> PageSession? {
        // In a cluster, the node's name and a dot come before.
        let own = id.split(separator: ".").last ?? ""
        guard own.first == "p", let session = Int(own.dropFirst()).flatMap({ present[$0] }) else { return nil }
        return session.page.id == id ? session : nil
    }

    /// The newest session of an attached main-frame document in a web view that matches.
    func mainSession(of webView: String, where matches: (Page) -> Bool = { _ in true }) -> PageSession? {
        mainSessions[webView]?.sessions.last { $0.page.isAttached && matches($0.page) }
    }

    /// The attached main-frame documents of a web view, the newest first.
    func attachedPages(of webView: String) -> [Page] {
        mainSessions[webView]?.sessions.reversed().map(\.page).filter(\.isAttached) ?? []
    }

    /// The sessions of a web view that wait for a connection, oldest first.
    func awaySessions(of webView: String) -> [PageSession] { away[webView]?.sessions ?? [] }

    // MARK: Changes

    /// Adds a session. A document that had one before, for example one that comes back from the back/forward cache,
    /// continues its message numbers, and takes over the messages that wait for those of a previous document.
    mutating func add(_ attach: AttachPage, _ identity: PageIdentity, in documents: Documents) -> PageSession {
        count += 1
        let before = byDocument[attach.document]
        let session = PageSession(number: count, attach, identity, before: before, in: documents)
        present.insert(session)
        if attach.frame.isMainFrame { mainSessions[session.page.webView, default: SessionList()].insert(session) }
        if let before, let previous = session.predecessorWait?.previous {
            setHolding(false, before, for: previous)
            setHolding(true, session, for: previous)
        }
        byDocument[session.document] = session
        return session
    }

    /// Notes whether a session waits for a connection.
    mutating func setAway(_ isAway: Bool, _ session: PageSession) {
        if !isAway { unconnected.remove(session) }
        PageRegistry.change(&away, session.page.webView) { isAway ? $0.insert(session) : $0.remove(session) }
    }

    /// Notes that a session waits for its first connection.
    mutating func addUnconnected(_ session: PageSession) { unconnected.insert(session) }

    var unconnectedCount: Int { unconnected.sessions.count }
    var oldestUnconnected: PageSession? { unconnected.sessions.first }

    /// Notes whether a session holds back messages for a previous document.
    mutating func setHolding(_ isHolding: Bool, _ session: PageSession, for previous: AttachPage.Previous) {
        PageRegistry.change(&holding, previous.document) { isHolding ? $0.insert(session) : $0.remove(session) }
    }

    mutating func depart(_ session: PageSession) {
        present.remove(session)
        setAway(false, session)
        PageRegistry.change(&mainSessions, session.page.webView) { $0.remove(session) }
        departed.append(session)
        guard departed.count > PageRegistry.departedLimit, let forgotten = departed.popFirst() else { return }
        if byDocument[forgotten.document] === forgotten { byDocument[forgotten.document] = nil }
    }

    private static func change(
        _ lists: inout [String: SessionList], _ key: String, _ change: (inout SessionList) -> Void
    ) {
        change(&lists[key, default: SessionList()])
        if lists[key]?.sessions.isEmpty == true { lists[key] = nil }
    }

    // MARK: Previous documents

    /// Whether all messages of a previous document have arrived.
    func hasAll(of previous: AttachPage.Previous) -> Bool {
        (byDocument[previous.document]?.state.lastSeq ?? 0) >= previous.seq
    }

    /// The sessions that wait for a previous document, oldest first.
    var waitingSessions: [PageSession] { holding.values.flatMap(\.sessions).sorted { $0.number < $1.number } }

    /// The sessions that wait for a document of which they need no more messages, oldest first.
    func releasedSessions(waitingFor document: String) -> [PageSession] {
        (holding[document]?.sessions ?? []).filter { $0.predecessorWait.map { hasAll(of: $0.previous) } ?? false }
    }
}

/// Sessions in the order of their numbers, oldest first. Finding one takes a binary search.
@MainActor private struct SessionList {
    private(set) var sessions: [PageSession] = []

    subscript(_ number: Int) -> PageSession? {
        let index = index(of: number)
        return sessions.indices.contains(index) && sessions[index].number == number ? sessions[index] : nil
    }

    mutating func insert(_ session: PageSession) {
        let index = index(of: session.number)
        if !sessions.indices.contains(index) || sessions[index] !== session { sessions.insert(session, at: index) }
    }

    mutating func remove(_ session: PageSession) {
        let index = index(of: session.number)
        if sessions.indices.contains(index), sessions[index] === session { sessions.remove(at: index) }
    }

    /// The index of the first session whose number is not below `number`.
    private func index(of number: Int) -> Int {
        // Most additions are at the end.
        if let last = sessions.last, last.number < number { return sessions.count }
        var (low, high) = (0, sessions.count)
        while low < high {
            let middle = (low + high) / 2
            if sessions[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
