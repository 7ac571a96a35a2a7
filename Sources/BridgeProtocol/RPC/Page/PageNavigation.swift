/// Where `page.navigate` sends a page.
public enum PageNavigation: Sendable, Equatable {
    case url(String)
    case reload
    /// Steps in the session history; negative ones go back.
    case delta(Int)

    /// - Throws: `invalidParams` unless exactly one of `url`, `reload: true` and `delta` is there.
    public init(params: JSON?) throws(RPCError) {
        switch (params?["url"], params?["reload"], params?["delta"]) {
        case (let url?, nil, nil) where url.kind == .string:
            self = .url(url.string ?? "")
        case (nil, let reload?, nil) where reload.bool == true:
            self = .reload
        case (nil, nil, let delta?):
            guard let steps = delta.number.flatMap(Int.init(exactly:)) else {
                throw .invalidParams(at: "/delta", "expected a whole number, found \(delta.summary)")
            }
            self = .delta(steps)
        default:
            throw .invalidParams(
                at: "", "expected one of url (a string), reload (true) and delta, found \(params.summary)"
            )
        }
    }

    func writeMembers(to writer: inout JSONWriter) {
        switch self {
        case .url(let url): writer.member("url", url)
        case .reload: writer.member("reload", true)
        case .delta(let steps): writer.member("delta", steps)
        }
    }
}
