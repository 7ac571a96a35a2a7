import BridgeClient

enum ExitCodes {
    /// For the help of every command that talks to a daemon.
    static let text = """
        Exit codes: 0 fine, 1 the page or handler answered with an error, 2 time-out, 3 no such page, handler or stub, \
        64 a mistake in the arguments, 69 no daemon can be reached, 77 wrong token.
        """
}

extension DaemonClient {
    /// What a page needs to attach.
    var scriptTag: String {
        let token = contact.pageToken.map { "?token=\($0)" } ?? ""
        return "<script src=\"\(contact.url)bridge.js\(token)\"></script>"
    }
}
