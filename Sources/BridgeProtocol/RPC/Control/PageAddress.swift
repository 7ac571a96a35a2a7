/// The page that a control method applies to.
public enum PageAddress: Sendable, Equatable {
    /// The page with this id, such as `p3`.
    case page(String)
    /// The newest main-frame document of the web view with this name.
    case webView(String)
    /// The page that a phone or simulator with this id shows, such as `d1`, whichever that is.
    case device(String)
    /// The page that the user sees: in a browser that bridged drives that of the app's visible screen, and else the newest
    /// main-frame document of the web view `main`.
    case visible

    /// Reads `page`, `webView` or `device`. If all are absent, the address is the page that the user sees.
    init(_ params: inout ParamsReader) throws(RPCError) {
        let page = try params.optional("page", .string, "A page's id, such as p3.")
        let webView = try params.optional(
            "webView", .string,
            "A web view's name; the call goes to its newest main-frame document. Default: the one that the user sees.")
        let device = try params.optional(
            "device", .string, "The id of a device with a real app, such as d1: the page that it shows.")
        let found: [PageAddress] = [
            page.map { .page($0) }, webView.map { .webView($0) }, device.map { .device($0) },
        ].compactMap(\.self)
        guard found.count <= 1 else {
            throw device == nil
                ? .invalidParams(at: "/webView", "give page or webView, not both")
                : .invalidParams(at: "/device", "give one of page, webView and device, not several")
        }
        self = found.first ?? .visible
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

extension Duration {
    /// How long tools and tests wait if they do not say it.
    package static let usualTimeout = Duration.seconds(5)
    /// How long scripts and handlers may take then.
    package static let usualEvaluationTimeout = Duration.seconds(30)
}

extension ParamsReader {
    /// Reads `timeoutMs`. The default is `usualTimeout`.
    package mutating func timeout(_ what: String) throws(RPCError) -> Duration {
        try optionalTimeout(what, default: "\(Int(Duration.usualTimeout.milliseconds))") ?? .usualTimeout
    }

    /// Reads the `timeoutMs` of a method that waits for a page. Its default is a setting.
    /// - Parameter result: what the method waits for in the page, with a time of its own by default.
    package mutating func pageTimeout(_ what: String, then result: String? = nil) throws(RPCError) -> Duration? {
        let page = Int(Duration.usualTimeout.milliseconds)
        let other = Int(Duration.usualEvaluationTimeout.milliseconds)
        return try optionalTimeout(
            what, default: result.map { "\(page) for the page, \(other) for the \($0)" } ?? "\(page)")
    }

    private mutating func optionalTimeout(_ what: String, default text: String) throws(RPCError) -> Duration? {
        try optional("timeoutMs", .milliseconds, "\(what) Default: \(text).")
    }
}
