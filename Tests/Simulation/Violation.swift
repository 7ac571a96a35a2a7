/// A promise of `docs/delivery.md` that was broken, or a limit that was exceeded.
struct Violation: Error, CustomStringConvertible {
    enum Invariant: String, CaseIterable, Sendable {
        /// What is acknowledged is in the log.
        case logged
        /// What native code was told by a beacon, or has handled before SIGTERM, is in the log.
        case stopped
        /// Nothing runs twice.
        case once
        /// Messages reach handlers in the order posted, after those of the document before.
        case order
        /// Each message and each evaluation ends, and ends once.
        case ends
        /// A result belongs to its script.
        case result
        /// Each line of the log is a record, unless the daemon was killed while it wrote.
        case lines
        /// What cannot be kept is said.
        case silence
        /// What is in the log of a node and not in the traffic of its cluster is taken back.
        case taken
        /// Nothing grows without a limit, and nothing stays when it is over.
        case memory
    }

    let invariant: Invariant
    let text: String

    var description: String { "\(invariant.rawValue): \(text)" }
}

/// How a page's promise for a message ended.
enum MessageEnd: Sendable {
    case fulfilled, rejected
    /// The daemon had started again, or had dropped the page.
    case failed
}
