/// Where `page.navigate` sends a page.
public enum PageNavigation: Sendable, Equatable {
    case url(String)
    case reload
    /// Steps in the session history; negative ones go back.
    case delta(Int)

    func writeMembers(to writer: inout JSONWriter) {
        switch self {
        case .url(let url): writer.member("url", url)
        case .reload: writer.member("reload", true)
        case .delta(let steps): writer.member("delta", steps)
        }
    }
}
