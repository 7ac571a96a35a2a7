/// The page that a control method applies to.
public enum PageAddress: Sendable, Equatable {
    /// The page with this id, such as `p3`.
    case page(String)
    /// The newest main-frame document of the web view with this name.
    case webView(String)

    /// Reads `page` or `webView`. If both are absent, the address is the web view `main`.
    init(_ params: inout ParamsReader) throws(RPCError) {
        let page = try params.optional("page", .string, "A page's id, such as p3.")
        let webView = try params.optional(
            "webView", .string, "A web view's name; the call goes to its newest main-frame document. Default: main.")
        guard let page else { self = .webView(webView ?? "main"); return }
        guard webView == nil else {
            throw .invalidParams(at: "/webView", "give page or webView, not both")
        }
        self = .page(page)
    }
}

/// The part of a cluster that a call concerns. It decides which node answers.
public enum CallSubject: Sendable, Equatable {
    /// The daemon that gets the call.
    case daemon
    case page(PageAddress)
    /// The emulated or real app that shows the pages.
    case app
}

extension ParamsReader {
    /// Reads `timeoutMs`.
    ///
    /// - Parameter text: the default, in words.
    package mutating func timeout(_ what: String, default text: String) throws(RPCError) -> Duration? {
        try optional("timeoutMs", .milliseconds, "\(what) Default: \(text).")
    }
}
