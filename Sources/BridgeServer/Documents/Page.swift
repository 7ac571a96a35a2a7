public import BridgeProtocol
public import BridgeTraffic

/// One document in one frame, from the time at which it attaches until it is gone. On the main actor.
///
/// `Documents` makes a page when it first receives the params of `page.attach`, and adds it to its `PageRegistry`. A
/// document that comes back after it was gone gets a new page.
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
    /// The device, if the document is in an app of its own, and only observed.
    public let device: DeviceInfo?
    var deviceID: String? { device?.id }
    /// Whether the document is in an app of its own. No native code of the daemon has to do with it.
    public var isObserved: Bool { device != nil }
    /// The web view that would show the document if it were not observed.
    let ownWebView: String
    public private(set) var frame: FrameInfo {
        didSet { recordMembers = PageMembers(page: id, webView: webView, frame) }
    }
    public var url: String { frame.url }
    public var members: PageMembers { recordMembers }
    /// Private, because each access to a stored property that other modules can use is checked.
    private var recordMembers: PageMembers
    public private(set) var title: String
    public private(set) var readyState: String
    public private(set) var visibility: String?
    /// The document's HTTP status, if the browser reports it.
    public internal(set) var status: Int?

    /// Whether `terminate(loading:)` was called.
    public private(set) var isTerminated = false
    /// The time at which the document first attached.
    public let attachedAt: Timestamp

    /// Whether the document is attached, and not away or gone. A document that has called before its connection is open
    /// counts as attached.
    public var isAttached: Bool { !isGone && state.presence == .attached }

    /// Sends the answer to a call, with whether the log has the records of all messages up to it.
    typealias CallResponse = @MainActor (_ answer: [UInt8], _ isKept: Bool) -> Void

    let identity: PageIdentity
    /// The number of the page in this run of the daemon, from 1.
    let number: Int
    /// Nil once the server has ended, which ends its pages.
    private weak var documents: Documents?

    /// Unchecked for overlapping accesses, as `evaluations` is: what they do calls nothing else.
    @exclusivity(unchecked) var state: PageState
    /// The channel of the connection; nil while the document has none.
    var channel: Channel?
    var absence = Absence()
    /// The load that the document must begin next.
    var nextLoad = NextLoad()
    /// The messages that the page holds back until those of the previous document have arrived.
    var heldBack: HeldBack?
    /// Which daemon of a durable cluster owns the page.
    var ownership: PageOwnership
    /// The records that the page has caused, of those that wait to be written.
    @exclusivity(unchecked) private(set) var recordShare = RecordShare()
    /// The evaluations that have no result yet.
    @exclusivity(unchecked) var evaluations = EvaluationQueue()
    /// The latest replies, in case the connection breaks before they arrive.
    var replies = ReplyCache()
    /// The requests that wait for the answer to a call, by the number of its message.
    var openCalls: [Int: [CallResponse]] = [:]
    /// The replies that handlers have not given yet.
    let owedReplies = OwedReplies()
    /// The actions of tools on the page's elements.
    let gestures: GestureQueue
    /// Whether the latest acknowledgement will be sent again, because messages wait for the log.
    var repeatsAcknowledgement = false
    /// Whether a problem was recorded about texts of the document that were too long.
    private var hasCutTexts = false

    /// Whether the document has left and will not come back.
    var isGone: Bool { state.presence == .gone || documents == nil }

    /// Whether the document has no connection but may still attach.
    var isAway: Bool { channel == nil && state.presence != .gone }

    /// - Parameter before: the page that the document had before.
    init(number: Int, _ attach: AttachPage, _ identity: PageIdentity, before: Page?, in documents: Documents) {
        id = "\(documents.pagePrefix)p\(number)"
        (self.number, self.identity, self.documents) = (number, identity, documents)
        gestures = GestureQueue(documents.deadlines)
        attachedAt = documents.traffic.clock.timestamp
        document = attach.document
        webView = documents.origins.app.webView(of: identity)
        userAgent = attach.userAgent
        engine = attach.engine
        var device = attach.isDevice ? DeviceInfo(userAgent: attach.userAgent) : nil
        if attach.isDevice {
            device?.id = documents.devices.id(of: identity.sender, userAgent: attach.userAgent, webView: attach.webView)
        }
        self.device = device
        ownWebView = attach.webView
        let declared = attach.frame
        frame = FrameInfo(
            url: declared.url, origin: identity.origin?.text ?? declared.origin, isMainFrame: declared.isMainFrame)
        recordMembers = PageMembers(page: id, webView: webView, frame)
        title = attach.title
        readyState = attach.readyState
        state = PageState(lastSeq: before?.state.lastSeq ?? 0)
        ownership = PageOwnership(epoch: before?.ownership.epoch ?? 1, run: documents.run)
    }

    // MARK: The document's own description

    /// Takes the members of an update.
    /// - Returns: whether the update says that the document has finished loading.
    func update(_ update: UpdatePage) -> Bool {
        visibility = update.visibility ?? visibility
        status = update.status ?? status
        return set(url: update.url, title: update.title, readyState: update.readyState)
    }

    /// Takes the URL, title and state with which a document attaches again. They may have changed since it introduced
    /// itself, and it sends no update about them.
    /// - Returns: whether the document has finished loading since; nil if nothing has changed.
    func change(_ attach: AttachPage) -> Bool? {
        guard (url, title, readyState) != (attach.frame.url, attach.title, attach.readyState) else { return nil }
        return set(url: attach.frame.url, title: attach.title, readyState: attach.readyState)
    }

    private func set(url: String?, title: String?, readyState: String?) -> Bool {
        if let url { frame = FrameInfo(url: url, origin: frame.origin, isMainFrame: frame.isMainFrame) }
        self.title = title ?? self.title
        let isLoaded = readyState == "complete" && self.readyState != "complete"
        self.readyState = readyState ?? self.readyState
        return isLoaded
    }

    /// Notes that the page has caused the records since an earlier total.
    func caused(recordsSince total: RecordCount, in traffic: TrafficLog) {
        traffic.add(recordsSince: total, to: &recordShare)
    }

    /// Records, once, that texts of the document were too long and have been cut.
    func reportCutTexts(in traffic: TrafficLog) {
        guard !hasCutTexts else { return }
        let texts = [
            ("URL", url, PageText.url), ("title", title, PageText.title), ("user agent", userAgent, PageText.userAgent),
        ]
        guard let (name, _, limit) = texts.first(where: { $1.utf8.count > $2 }) else { return }
        hasCutTexts = true
        traffic.problem(
            .textCut, "The \(name) of \(id) has more than \(limit) bytes and was cut.",
            hint: "Records, tools and the app see only its beginning. Give the page a shorter one.", page: self)
    }

    // MARK: Scripts

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
            let error = RPCError.invalidParams(
                at: "/world",
                "\(id) has no content world '\(world.forText)', because a script tag attached it. A browser that bridged "
                    + "drives has content worlds: bridged open URL")
            Task { completion?(.failure(.rejected(error))) }
        } else if let documents {
            documents.evaluations.evaluate(evaluation, world, in: self, timeout: timeout, completion)
        } else {
            Task { completion?(.failure(.pageGone(id))) }
        }
    }

    /// Runs a script like Android's `WebView.evaluateJavascript(script, callback)`.
    ///
    /// - Parameter callback: receives the completion value as JSON text, once, on the main actor. It is `"null"` for
    ///   undefined, for a function and for a script that throws; the traffic log has the error.
    public func evaluateJavascript(_ script: String, callback: (@MainActor (String) -> Void)? = nil) {
        evaluate(script) { result in callback?((try? result.get())?.androidJSON ?? "null") }
    }

    /// Fails all evaluations immediately and makes the browser load `url`, as if the document's process had ended.
    public func terminate(loading url: String) {
        isTerminated = true
        processTerminated()
        navigate(to: url)
    }

    /// Fails all evaluations immediately, because the process that ran the document has ended.
    package func processTerminated() { documents?.evaluations.fail(in: self) }

    /// Sends a request to the driver of the page, such as `page.snapshot`. It waits in one queue with the evaluations.
    ///
    /// - Parameters:
    ///   - timeout: nil for `Limits.evaluationTimeout`.
    ///   - completion: gets an error if no browser is driven.
    package func command(
        _ command: DriverCommand, timeout: Duration? = nil, completion: EvaluationCompletion? = nil
    ) {
        guard isDriven else {
            Task { completion?(.failure(.rejected(.methodNotFound(command.method)))) }
            return
        }
        evaluate(.command(command), nil, timeout: timeout, completion)
    }

    /// Sends a command to the page's driver, and waits for its result.
    func result(of command: DriverCommand, timeout: Duration? = nil) async -> Result<ScriptValue, ScriptError> {
        await withCheckedContinuation { continuation in
            self.command(command, timeout: timeout) { continuation.resume(returning: $0) }
        }
    }

    /// Whether the page was asked by ``navigate(_:)`` to load a URL, apart from its fragment.
    package func isAsked(toLoad url: String) -> Bool {
        nextLoad.page.map { $0.url.prefix { $0 != "#" } == url.prefix { $0 != "#" } } ?? false
    }

    /// Makes the page load `url`.
    public func navigate(to url: String) { navigate(.url(url)) }

    /// Makes the page load a URL, reload, or move in its session history. Does nothing while the page is away.
    ///
    /// The origin of a URL becomes one of the app's, because its page takes the place of this one.
    public func navigate(_ navigation: PageNavigation) {
        guard let documents else { return }
        documents.origins.add(of: navigation, from: identity)
        documents.navigate(self, navigation)
    }
}

extension PageMembers {
    fileprivate convenience init(page: String, webView: String, _ frame: FrameInfo) {
        self.init(page: page, webView: webView, url: PageText.cut(frame.url, to: PageText.repeatedURL))
    }
}

/// Since when a document has no connection.
struct Absence {
    /// The number of pages that had been made when this document lost its connection, or began to wait for its first
    /// one. A page with a higher number attached after that.
    var pagesBefore = 0
    /// The time at which the document counts as gone.
    var deadline: Deadlines.Token?
}

/// The load that a document must begin next.
struct NextLoad {
    /// The page that takes the document's place, if native code has asked for it.
    var page: ExpectedPage?
    var deadline: Deadlines.Token?
    /// A navigation that waits for the first connection.
    var navigation: PageNavigation?
}

/// Scripts whose values are decoded.
extension Page {
    /// Runs a script in the page as a global indirect eval, and decodes its completion value.
    ///
    /// - Parameters:
    ///   - awaitingPromise: whether to wait until the value, if it is a promise, is fulfilled.
    ///   - timeout: nil for `Limits.evaluationTimeout`.
    /// - Throws: `ScriptError`, or `DecodingError` if the value is of another type.
    public func evaluate<Value: Decodable>(
        _ source: String, as type: Value.Type = Value.self, awaitingPromise: Bool = false, timeout: Duration? = nil
    ) async throws -> Value {
        guard awaitingPromise else { return try await evaluate(source, timeout: timeout).decode(type) }
        return try await callAsync(
            "return await (0, eval)(source)", arguments: ["source": .string(source)], as: type, timeout: timeout)
    }

    /// Runs the body of an async function in the page, like `callAsyncJavaScript`, and decodes its value.
    ///
    /// - Parameter arguments: an object. The body sees each member as a variable of that name.
    /// - Throws: `ScriptError`, or `DecodingError` if the value is of another type.
    public func callAsync<Value: Decodable>(
        _ body: String, arguments: ScriptValue = [:], as type: Value.Type = Value.self, timeout: Duration? = nil
    ) async throws -> Value {
        let result = await withCheckedContinuation { continuation in
            callAsync(body, arguments: arguments, timeout: timeout) { continuation.resume(returning: $0) }
        }
        return try result.get().decode(type)
    }
}
