/// A WebSocket connection, and the page that it belongs to once one has attached on it.
@MainActor final class PageConnection {
    let channel: Channel
    var page: Page?
    /// The number of wrong messages; see `Limits.errors`.
    var errors = 0
    /// Whether the daemon has closed the connection. What still arrives on it is ignored.
    var isClosing = false
    /// Closes the connection if no page attaches in time.
    var attachDeadline: Deadlines.Token?
    /// Whether a page is attaching: the resolver or the keeper has not answered yet.
    var isAttaching = false

    init(channel: Channel) { self.channel = channel }
}
