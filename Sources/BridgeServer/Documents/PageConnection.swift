/// A WebSocket connection, and the page that it belongs to once one has attached on it.
@MainActor final class PageConnection {
    let channel: Channel
    var page: Page?
    /// The number of wrong messages; see `Limits.errors`.
    var errors = 0
    /// Whether the daemon has closed the connection. What still arrives on it is ignored.
    var isClosing = false
    /// The time at which the connection is closed if no page has attached.
    var attachDeadline: Deadlines.Token?
    /// Whether a page attaches, but it is not known yet whether its host is this machine.
    var isAttaching = false

    init(channel: Channel) { self.channel = channel }
}
