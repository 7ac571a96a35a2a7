public import BridgeProtocol
public import BridgeTraffic

/// One document in one frame, from the time at which it attaches until it is gone. On the main actor.
@MainActor public final class Page: ScriptEvaluator, TrafficPage {
    /// `p1`, `p2`, … in each run of the daemon.
    public let id: String
    /// The UUID that `bridge.js` made for the document.
    public let document: String
    /// The name of the web view that shows the document.
    public let webView: String
    public let userAgent: String
    /// The engine that is driven from outside, and shows the document; nil if `bridge.js` speaks for it.
    public let engine: BrowserEngine?
    /// Whether a browser that is driven from outside shows the document. It has content worlds.
    public var isDriven: Bool { engine != nil }
    public internal(set) var frame: FrameInfo {
        didSet { cutURL = PageText.cut(frame.url, to: PageText.repeatedURL) }
    }
    public var url: String { frame.url }
    public var repeatedURL: String { cutURL }
    /// Private, because each access to a stored property that other modules can use is checked.
    private var cutURL: String
    public internal(set) var title: String
    public internal(set) var readyState: String
    public internal(set) var visibility: String?
    /// The document's HTTP status, if the browser reports it.
    public internal(set) var status: Int?

    /// Whether `terminate(loading:)` was called.
    public private(set) var isTerminated = false
    /// The time at which the document first attached.
    public let attachedAt: Timestamp

    /// Whether the document is attached, and not away or gone.
    public var isAttached: Bool { session?.state.presence == .attached }

    /// The replies that handlers have not given yet.
    let owedReplies = OwedReplies()

    /// Whether the document has left and will not come back.
    var isGone: Bool { session.map { $0.state.presence == .gone } ?? true }

    /// The document's session, which `PageRegistry` owns; nil once the registry has forgotten the document.
    weak var session: PageSession?

    /// - Parameters:
    ///   - webView: the web view that the page gets.
    ///   - origin: the origin that the browser reports; nil if the client is not a browser.
    init(id: String, _ attach: AttachPage, webView: String, origin: Origin?, at time: Timestamp) {
        self.id = id
        attachedAt = time
        document = attach.document
        self.webView = webView
        userAgent = attach.userAgent
        engine = attach.engine
        let declared = attach.frame
        frame = FrameInfo(
            url: declared.url, origin: origin?.text ?? declared.origin, isMainFrame: declared.isMainFrame)
        cutURL = PageText.cut(declared.url, to: PageText.repeatedURL)
        title = attach.title
        readyState = attach.readyState
    }

    /// Runs a script in the page as a global indirect eval. The result is its completion value.
    ///
    /// Evaluations run in the order in which they were requested. While the page is away, they wait until it is
    /// attached again.
    /// - Parameters:
    ///   - sourceURL: the name of the source in errors; nil for the document's URL.
    ///   - world: the content world of a driven page; nil for the page's own. Other pages answer with an error.
    ///   - timeout: nil for `Limits.evaluationTimeout`.
    ///   - completion: is called once, on the main actor.
    public func evaluate(
        _ source: String, sourceURL: String?, world: String? = nil, timeout: Duration? = nil,
        completion: EvaluationCompletion?
    ) {
        evaluate(.script(source: source, sourceURL: sourceURL), world, timeout: timeout, completion)
    }

    /// Runs a script in the page as a global indirect eval. The result is its completion value.
    public func evaluate(_ source: String, timeout: Duration? = nil, completion: EvaluationCompletion?) {
        evaluate(.script(source: source, sourceURL: nil), nil, timeout: timeout, completion)
    }

    /// Runs the body of an async function in the page, like `callAsyncJavaScript`, and waits until it settles.
    ///
    /// - Parameters:
    ///   - arguments: an object. The body sees each member as a variable of that name.
    ///   - world: the content world of a driven page; nil for the page's own. Other pages answer with an error.
    public func callAsync(
        _ body: String, arguments: ScriptValue = .emptyObject, world: String? = nil, timeout: Duration? = nil,
        completion: @escaping EvaluationCompletion
    ) {
        evaluate(.asyncFunction(body: body, arguments: arguments), world, timeout: timeout, completion)
    }

    private func evaluate(
        _ evaluation: Evaluation, _ world: String?, timeout: Duration?, _ completion: EvaluationCompletion?
    ) {
        if let world, !isDriven {
            Task { completion?(.failure(.rejected(.noWorld(world, in: id)))) }
        } else if let session {
            session.evaluations.evaluate(evaluation, world, timeout: timeout, completion)
        } else {
            Task { completion?(.failure(.pageGone(id))) }
        }
    }

    /// Fails all evaluations immediately and makes the browser load `url`, as if the document's process had ended.
    public func terminate(loading url: String) {
        isTerminated = true
        session?.evaluations.fail()
        navigate(to: url)
    }

    /// Fails all evaluations immediately, because the process that ran the document has ended.
    package func processTerminated() { session?.evaluations.fail() }

    /// Sends a request to the driver of the page, such as `page.snapshot`. It waits in one queue with the evaluations.
    ///
    /// - Parameters:
    ///   - timeout: nil for `Limits.evaluationTimeout`.
    ///   - completion: gets an error if no browser is driven.
    package func command(
        _ method: String, _ params: [JSONValue.Member] = [], timeout: Duration? = nil,
        completion: EvaluationCompletion? = nil
    ) {
        guard isDriven else {
            Task { completion?(.failure(.rejected(.methodNotFound(method)))) }
            return
        }
        evaluate(.command(method: method, params: params), nil, timeout: timeout, completion)
    }

    /// Makes the page load `url`.
    public func navigate(to url: String) { navigate(.url(url)) }

    /// Makes the page load a URL, reload, or move in its session history. Does nothing while the page is away.
    ///
    /// The origin of a URL becomes one of the app's, because its page takes the place of this one.
    public func navigate(_ navigation: PageNavigation) {
        guard let session else { return }
        session.documents.origins.add(of: navigation, from: session.identity)
        session.navigate(navigation)
    }
}

extension RPCError {
    fileprivate static func noWorld(_ world: String, in page: String) -> RPCError {
        .invalidParams(
            at: "/world",
            "\(page) has no content world '\(world.forText)', because a script tag attached it. A browser that bridged "
                + "drives has content worlds: bridged open URL")
    }
}
