/// One thing that happens in a simulation.
///
/// Every step can happen in every simulation: an index counts modulo what there is, and a step without an object does
/// nothing. So a history stays valid if steps are taken out of it.
enum Step: Sendable {
    // MARK: Pages

    /// A tab leaves its document, and loads a new one.
    case load(tab: Int, Leaving)
    /// A tab leaves its document, and shows one from its back/forward cache.
    case goBack(tab: Int, Leaving)
    /// The document of a tab gets a frame.
    case addFrame(tab: Int)
    /// A script removes a frame.
    case removeFrame(page: Int)
    case connect(page: Int)
    case post(page: Int, HandlerName, count: Int)
    /// A turn of the page's event loop ends, so it sends what it has posted.
    case send(page: Int)
    /// The page sends its last frame a second time.
    case sendTwice(page: Int)
    /// The page runs a script that native code asked for.
    case runScript(page: Int)
    /// The promise of an async function of native code settles.
    case settleFunction(page: Int, Int)
    /// The page calls an interface object, and is blocked until the call ends.
    case call(page: Int)
    case lie(page: Int, Lie)

    // MARK: The network

    /// Bytes of a page arrive at the daemon.
    case deliver(connection: Int, bytes: Int)
    /// The page reads frames of the daemon.
    case read(connection: Int, frames: Int)
    /// The socket takes nothing from the daemon until it is `writable`.
    case choke(connection: Int)
    case writable(connection: Int)
    /// Nothing passes any more, and neither side knows.
    case cut(connection: Int)
    case daemonNoticesCut(connection: Int)
    case pageNoticesCut(page: Int)
    case deliverBeacon(Int, keepsCopy: Bool)
    case loseBeacon(Int)
    case deliverCall(Int, keepsCopy: Bool)
    /// A page hears that its call, or the response, got lost.
    case loseCall(page: Int)

    // MARK: The daemon

    /// A round of the loop ends: the daemon writes the log, acknowledges, and writes to its sockets.
    case endRound
    case evaluate(page: Int, isFunction: Bool, milliseconds: Int)
    case settleReply(Int, ReplyKind)
    case changeHandlers
    case start
    /// SIGTERM: the daemon accepts no more connections.
    case stop
    /// The daemon has drained its connections, and closes them.
    case finishStop
    /// SIGKILL, after a number of effects: handler calls, writes to the disk, writes to sockets.
    case kill(effects: Int)

    // MARK: The clock and the disk

    case advance(milliseconds: Int)
    case fireTimers
    /// The time of the next timer comes.
    case fireNextTimer
    /// The disk takes this many more bytes.
    case fillDisk(bytes: Int)
    /// The disk writes at most this many bytes a call.
    case slowDisk(bytes: Int)
    case healDisk
    case archive(ArchiveState)
    /// A call of the archive ends.
    /// - Parameter isReported: whether the daemon learns of it at once.
    case finishArchiveCall(isReported: Bool)
    case deleteLog
    case truncateLog
    /// The log gets another name, and an empty file may take its place.
    case moveLog(hasNext: Bool)
    /// SIGHUP: the daemon opens its log again.
    case hangUp
}

/// The name of a message handler.
enum HandlerName: String, CaseIterable, CustomDebugStringConvertible, Sendable {
    /// Does not reply.
    case plain
    /// Replies before it returns.
    case echo
    /// Replies in a later step, or never.
    case late
    /// Exists only sometimes.
    case fickle
    /// Evaluates a script in the page that posted.
    case evaluating
    /// An interface object, whose methods block the page.
    case object

    /// The handlers to which pages post.
    static let posted: [HandlerName] = [.plain, .echo, .late, .fickle, .evaluating]

    var replies: Bool { self == .echo || self == .late }
    var debugDescription: String { rawValue }
}

/// How a tab leaves a document.
enum Leaving: String, CaseIterable, CustomDebugStringConvertible, Sendable {
    /// With a beacon, and a close frame.
    case closed
    /// With a beacon, but the close frame gets lost.
    case broken
    /// It posts a message while it unloads.
    case posting
    /// Into the back/forward cache.
    case kept
    /// Without a beacon.
    case crashed

    var debugDescription: String { rawValue }
}

enum ReplyKind: String, CaseIterable, CustomDebugStringConvertible, Sendable {
    case resolve, reject, release

    var debugDescription: String { rawValue }
}

/// What a page sends that is not honest.
enum Lie: String, CaseIterable, CustomDebugStringConvertible, Sendable {
    case halfAFrame, notUTF8, emptyBatch, junkBatch, badParams, unknownMethod
    case hugeSeq, negativeSeq, fractionalSeq
    case unknownResult, secondAttach, attachWithoutParams, otherWebView
    case foreignBeacon, badBeacon, longStrings, deepNesting

    var debugDescription: String { rawValue }
}
