public import BridgeProtocol
public import BridgeTraffic

/// One document in one frame, as it is or was attached. On the main actor.
@MainActor public final class Page: ScriptEvaluator, TrafficPage {
    /// `p1`, `p2`, … in each run of the daemon.
    public let id: String
    /// The UUID that the document's `bridge.js` made.
    public let document: String
    /// The name of the web view that the document is shown in.
    public let webView: String
    public let userAgent: String
    @exclusivity(unchecked) public internal(set) var frame: FrameInfo
    public var url: String { frame.url }
    public internal(set) var title: String
    public internal(set) var readyState: String
    public internal(set) var visibility: String?
    /// The document's HTTP status, where the browser tells.
    public internal(set) var status: Int?

    /// Whether native code has ended it.
    public private(set) var isTerminated = false
    /// When it attached first.
    public let attachedAt = Timestamp.now

    /// Whether it is connected now.
    public var isAttached: Bool { state.presence == .attached }

    unowned let hub: Hub
    @exclusivity(unchecked) var state = PageState()
    var channel: Channel?
    let evaluations = Evaluations()
    /// By sequence number: what its handlers have not answered yet.
    var awaited: [Int: Hub.AwaitedReply] = [:]
    private var answers = ReplyCache()
    /// For a document whose connection is still to come.
    private var navigation: PageNavigation?
    /// While it waits for what the document before it left behind.
    var predecessorWait: PredecessorWait?
    /// The page is given up when this passes.
    var awayDeadline: Deadlines.Token?
    /// Counts the pages of this run of the daemon.
    let number: Int
    /// How many pages there had been when it was last connected.
    var pagesWhenLeft = 0

    init(number: Int, hub: Hub, attach: AttachPage) {
        id = "p\(number)"
        self.number = number
        self.hub = hub
        document = attach.document
        webView = attach.webView
        userAgent = attach.userAgent
        frame = attach.frame
        title = attach.title
        readyState = attach.readyState
    }

    /// Sends an answer to a message, now or when the page is back.
    func answer(_ seq: Int, _ write: (inout JSONWriter) -> Void) {
        guard state.presence != .gone else { return }
        var writer = JSONWriter()
        write(&writer)
        let bytes = writer.bytes
        remember(bytes, to: seq)
        channel?.send { $0.raw(bytes) }
    }

    func remember(_ bytes: [UInt8], to seq: Int) { answers.remember(bytes, to: seq) }

    /// What was answered already, to a request that comes again.
    func answer(to seq: Int, _ id: RequestID) -> [UInt8] {
        if let known = answers.answers(to: [seq]).first { return known.bytes }
        var writer = JSONWriter()
        writer.error(id: id, .forgottenAnswer)
        return writer.bytes
    }

    /// Of a page that is gone: nobody will ask.
    func forgetAnswers() { answers = ReplyCache() }

    /// What a page that is back has heard nothing of yet. Answers that are still to come will come; those that are
    /// forgotten are told to be.
    func answerAgain(_ waiting: [Int]) {
        let remembered = answers.answers(to: Set(waiting))
        for (_, bytes) in remembered { channel?.send { $0.raw(bytes) } }
        let known = Set(remembered.map(\.seq))
        for seq in waiting where seq <= state.lastSeq && awaited[seq] == nil && !known.contains(seq) {
            channel?.send { $0.error(id: .number(Double(seq)), .forgottenAnswer) }
        }
    }

    /// Runs a script in the page: a global indirect eval, whose completion value is the result.
    ///
    /// Evaluations run in the order in which they were asked for. While the page is away they wait, and are sent when
    /// it is back.
    /// - Parameters:
    ///   - timeout: nil for 30 s.
    ///   - completion: is called once, on the main actor.
    public func evaluate(_ source: String, timeout: Duration? = nil, completion: EvaluationCompletion?) {
        evaluate(source, sourceURL: nil, timeout: timeout, completion: completion)
    }

    /// - Parameter sourceURL: what errors call the source; nil for the document's URL.
    public func evaluate(
        _ source: String, sourceURL: String?, timeout: Duration? = nil, completion: EvaluationCompletion?
    ) {
        hub.evaluate(.script(source: source, sourceURL: sourceURL), in: self, timeout: timeout, completion)
    }

    /// Runs the body of an async function in the page, like `callAsyncJavaScript`, and waits until it settles.
    ///
    /// - Parameter arguments: an object, whose members the body sees by their names.
    public func callAsync(
        _ body: String, arguments: ScriptValue = .emptyObject, timeout: Duration? = nil,
        completion: @escaping EvaluationCompletion
    ) {
        hub.evaluate(.asyncFunction(body: body, arguments: arguments), in: self, timeout: timeout, completion)
    }

    /// Fails at once what the document has not answered, and has its browser load `url`: as if its process had ended.
    public func terminate(loading url: String) {
        isTerminated = true
        hub.failEvaluations(of: self)
        navigate(to: url)
    }

    /// Has the page load `url`.
    public func navigate(to url: String) { navigate(.url(url)) }

    /// Has the page load an address, load again, or go through its tab's history. Nothing happens while it is away.
    public func navigate(_ navigation: PageNavigation) {
        guard let channel else {
            if isAttached { self.navigation = navigation }
            return
        }
        channel.send { $0.pageNavigate(navigation) }
    }

    /// Its connection is there.
    func navigateAtLast() {
        if let navigation = navigation.take() { navigate(navigation) }
    }
}

extension RPCError {
    fileprivate static let forgottenAnswer = RPCError(
        .queueFull, "The reply went down with the connection, and the daemon keeps only the latest ones.",
        data: ["limit": .number(Double(ReplyCache.limits.messages))])
}
