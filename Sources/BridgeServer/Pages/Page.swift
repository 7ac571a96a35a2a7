public import BridgeProtocol
public import BridgeTraffic

/// One document in one frame, from when it attaches until it is gone. On the main actor.
@MainActor public final class Page: ScriptEvaluator, TrafficPage {
    /// `p1`, `p2`, … in each run of the daemon.
    public let id: String
    /// The UUID that `bridge.js` made for the document.
    public let document: String
    /// The name of the web view that shows the document.
    public let webView: String
    public let userAgent: String
    public internal(set) var frame: FrameInfo
    public var url: String { frame.url }
    public internal(set) var title: String
    public internal(set) var readyState: String
    public internal(set) var visibility: String?
    /// The document's HTTP status, if the browser reports it.
    public internal(set) var status: Int?

    /// Whether native code has ended it.
    public private(set) var isTerminated = false
    /// When it attached first.
    public let attachedAt = Timestamp.now

    /// Whether it is connected now.
    public var isAttached: Bool { session?.state.presence == .attached }

    /// Nil once the server has forgotten the document. It is kept by the hub's `PageRegistry`.
    weak var session: PageSession?

    init(id: String, _ attach: AttachPage) {
        self.id = id
        document = attach.document
        webView = attach.webView
        userAgent = attach.userAgent
        frame = attach.frame
        title = attach.title
        readyState = attach.readyState
    }

    /// Runs a script in the page as a global indirect eval. The result is its completion value.
    ///
    /// Evaluations run in the order in which they were requested. While the page is away they wait, and are sent when it
    /// is back.
    /// - Parameters:
    ///   - sourceURL: the name of the source in errors; nil for the document's URL.
    ///   - timeout: nil for `Limits.evaluationTimeout`.
    ///   - completion: is called once, on the main actor.
    public func evaluate(
        _ source: String, sourceURL: String?, timeout: Duration? = nil, completion: EvaluationCompletion?
    ) {
        evaluate(.script(source: source, sourceURL: sourceURL), timeout: timeout, completion)
    }

    /// Runs a script in the page as a global indirect eval. The result is its completion value.
    public func evaluate(_ source: String, timeout: Duration? = nil, completion: EvaluationCompletion?) {
        evaluate(source, sourceURL: nil, timeout: timeout, completion: completion)
    }

    /// Runs the body of an async function in the page, like `callAsyncJavaScript`, and waits until it settles.
    ///
    /// - Parameter arguments: an object. The body sees each member as a variable of that name.
    public func callAsync(
        _ body: String, arguments: ScriptValue = .emptyObject, timeout: Duration? = nil,
        completion: @escaping EvaluationCompletion
    ) {
        evaluate(.asyncFunction(body: body, arguments: arguments), timeout: timeout, completion)
    }

    private func evaluate(_ evaluation: Evaluation, timeout: Duration?, _ completion: EvaluationCompletion?) {
        if let session {
            session.evaluate(evaluation, timeout: timeout, completion)
        } else {
            Task { completion?(.failure(.pageGone(id))) }
        }
    }

    /// Fails all evaluations at once and has the browser load `url`, as if the document's process had ended.
    public func terminate(loading url: String) {
        isTerminated = true
        session?.failEvaluations()
        navigate(to: url)
    }

    /// Has the page load `url`.
    public func navigate(to url: String) { navigate(.url(url)) }

    /// Has the page load an address, reload, or move in its session history. It does nothing while the page is away.
    public func navigate(_ navigation: PageNavigation) { session?.navigate(navigation) }
}
