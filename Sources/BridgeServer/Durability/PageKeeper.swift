package import BridgeProtocol

/// Stores the states of pages outside of this process, so that a page can go on with another daemon. The module
/// `BridgeCluster` implements it with Redis. On the main actor.
///
/// What a handler sends to a page (replies, evaluations, acknowledgements) is sent when the keeper has confirmed
/// everything that led to it. So a page never knows more from a killed daemon than the other daemons know.
@MainActor package protocol PageKeeper: AnyObject {
    /// The number of the last record that is confirmed, together with all before it and the changes that they are about.
    var confirmedRecord: Int { get }

    /// Notes a change of a page. It is committed together with the records that are appended until the loop's round
    /// ends.
    func note(_ change: PageChange, of page: KeptPage)

    /// Makes this daemon the owner of a page: the only one that may change its state.
    /// - Parameters:
    ///   - epoch: the one with which this daemon owned the page before; nil if it does not know it.
    ///   - origin: the origin of the page that attaches. A page of another origin does not get the state.
    ///   - limit: the time after which the claim is given up if no answer has come.
    ///   - answer: is called once.
    func claim(
        _ document: String, epoch: Int?, origin: String?, within limit: Duration,
        _ answer: @escaping @MainActor (PageClaim) -> Void)
}

/// A page as a keeper knows it.
package struct KeptPage: Sendable, Hashable {
    package let document: String
    /// How many daemons have owned the page so far. A change with an older number is ignored.
    package let epoch: Int
    /// The page's id.
    package let page: String
}

/// A change in the state of a page.
package enum PageChange: Sendable {
    /// The first change. `run` is the run of a daemon that the page knows.
    case began(run: Int, origin: String?)
    case handled(seq: Int)
    /// Native code has requested an evaluation.
    case asked(id: Int, evaluation: [UInt8])
    /// An evaluation has ended.
    case answered(id: Int)
    /// A handler has replied. The replies to the messages `dropped` are not cached any more.
    case replied(seq: Int, reply: [UInt8], dropped: [Int])
    case gone
}

/// The answer to a claim.
package enum PageClaim: Sendable {
    /// No daemon owns the page.
    case new
    /// This daemon still owns the page.
    case same
    /// This daemon owns the page now, and goes on from this state.
    case moved(PageHandOver)
    case refused(RPCError)
    /// The keeper cannot say now which daemon owns the page. The text says why.
    case unanswered(String)
}

/// The state of a page that comes from another daemon.
package struct PageHandOver: Sendable {
    package var epoch: Int
    package var run: Int
    /// The id that the page had.
    package var page = ""
    package var lastSeq = 0
    /// The highest id of an evaluation that the page may have got.
    package var lastEvaluation = 0
    /// Whether the page counted as gone. Its document then gets a new page, which only continues its message numbers.
    package var isGone = false
    /// The evaluations without an answer, by their ids.
    package var evaluations: [(id: Int, evaluation: [UInt8])] = []
    package var replies: [(seq: Int, reply: [UInt8])] = []

    package init(epoch: Int, run: Int) {
        self.epoch = epoch
        self.run = run
    }
}

/// Which daemons of a durable cluster have owned a page, and whether this one still does.
struct PageOwnership {
    /// How many daemons have owned the page, with this one.
    var epoch: Int
    /// The run of a daemon that the page knows: in a durable cluster perhaps that of another one.
    var run: Int
    /// Whether the keeper knows the page.
    var isNoted = false
    /// Whether another daemon has the page now.
    var hasMovedAway = false
}
