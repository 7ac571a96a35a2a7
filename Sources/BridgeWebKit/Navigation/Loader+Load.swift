import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A load of a web view's main frame, and how far it is.
extension Loader {
    enum Target {
        case request(URLRequest)
        /// A request whose response native code has already.
        case simulated(URLRequest, html: String)
        /// A document of `loadHTMLString`, by its number in the scope.
        case document(Int)
        /// A request whose scheme has a handler. It becomes a document when the handler has answered.
        case scheme(URLRequest)
        case reload
        /// A number of steps in the history.
        case history(Int)
    }

    enum Phase {
        case deciding
        /// The handler of the URL's scheme answers.
        case fetching
        case waitingForPage
        /// The load was sent to the page. The next document that attaches is the result of this load.
        case sent
        /// The document has attached. Its first update, which may have the HTTP status, has not arrived.
        case received
        /// The delegate decides about the response.
        case responding
        case committed
    }

    @MainActor struct Load {
        let navigation = WKNavigation()
        var target: Target
        let type: WKNavigationType
        let url: URL?
        var phase = Phase.deciding
        /// Whether the load was sent to a page that was just being replaced, and then to the next one.
        var isSentAgain = false
        /// Whether the driver of the page has reported that the load has begun.
        var hasStarted = false
        /// Whether the driver of the page has asked about the load's request, and has been answered.
        var isActionDecided = false
        /// Whether the driver of the page has asked about the load's response, and has been answered.
        var isResponseDecided = false
    }
}

extension Error where Self == NSError {
    /// `WebKitErrorFrameLoadInterruptedByPolicyChange`
    static var frameLoadInterrupted: NSError {
        NSError(
            domain: "WebKitErrorDomain", code: 102,
            userInfo: [NSLocalizedDescriptionKey: "Frame load interrupted"])
    }
}
