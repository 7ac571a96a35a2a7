/// Something that a simulated system does wrong on purpose, so that a test sees whether an invariant notices.
enum Mistake: String, CaseIterable, Sendable {
    /// The disk says that it has written, and has not: as if the daemon acknowledged before it writes.
    case losesWrites
    /// The disk changes what is written.
    case garblesLines
    /// Problems are not recorded.
    case hidesProblems
    /// The archive says that it has kept records, and has not.
    case losesArchivedRecords
    /// A page gives a message that it sends again a new number, so the daemon cannot know it.
    case renumbersMessages
    /// A page handles messages of one frame in the reverse order.
    case reversesFrames
    /// A page drops the evaluations that come while it attaches again.
    case dropsEvaluations
    /// A page does not remember the evaluations that it has run.
    case runsEvaluationsAgain
    /// A page answers an evaluation with the value of another.
    case answersWrongly
    /// A page does not ask for the replies that it has missed.
    case forgetsReplies
    /// Messages of a document do not name the document before it.
    case forgetsPredecessor
    /// Something keeps the documents of a daemon that has ended.
    case keepsDocuments
}
