/// Which page a control method is about.
public enum PageAddress: Sendable, Equatable {
    /// By its id, such as `p3`.
    case page(String)
    /// The newest main-frame document of that web view.
    case webView(String)

    /// Without either it means the web view `main`.
    init(_ params: inout ParamsReader) throws(RPCError) {
        let page = try params.optional("page", .string, "A page's id, such as p3.")
        let webView = try params.optional(
            "webView", .string, "A web view's name: its newest main-frame document. main, unless page is given.")
        guard let page else { self = .webView(webView ?? "main"); return }
        guard webView == nil else {
            throw .invalidParams(at: "/webView", "give page or webView, not both")
        }
        self = .page(page)
    }
}

extension ParamsReader {
    /// - Parameter default: in words.
    package mutating func timeout(_ what: String, default text: String) throws(RPCError) -> Duration? {
        try optional("timeoutMs", .milliseconds, "\(what) \(text) unless told.")
    }
}
