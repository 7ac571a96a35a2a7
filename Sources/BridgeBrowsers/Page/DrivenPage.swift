package import BridgeProtocol
import Foundation

/// The page's half of the page protocol (docs/protocol.md) for one document of a driven browser.
///
/// It numbers the messages of the document's scripts, keeps them until the daemon has acknowledged them, connects again
/// if the connection breaks, and hands the daemon's calls to the document's `ScriptRealm`. On the main actor.
@MainActor package final class DrivenPage {
    /// The UUID of the document.
    package let document = UUID().uuidString.lowercased()
    package let webView: DrivenWebView
    private let introduction: Introduction
    private let previous: AttachPage.Previous?
    private(set) weak var realm: (any ScriptRealm)?

    private var outbox: PageOutbox
    private(set) lazy var calls = PageCalls(for: self)
    private var socket: PageSocket?
    /// Frames that wait for the connection: page updates, console entries and results.
    private var waiting: [[UInt8]] = []
    /// How many more there were.
    private var droppedCount = 0
    private var isAttached = false
    /// The run of the daemon that has attached the document; nil before the first time.
    private var run: Int?
    private(set) var hasLeft = false
    /// Set while the document was left, and messages of it have no answer.
    private var whenAnswered: (@MainActor () -> Void)?
    /// The back/forward list that the daemon knows.
    private var toldHistory: NavigationHistory?
    /// The settings that the realm has.
    private var appliedSettings: WebViewSettings
    private var failures = 0
    private(set) var frameLimits = FrameLimits()
    private(set) var questions = PageQuestions()
    /// Ends the wait of questions for a connection.
    private var questionDeadline: Task<Void, Never>?

    package init(
        _ introduction: Introduction, after previous: AttachPage.Previous?, in webView: DrivenWebView,
        realm: any ScriptRealm
    ) {
        self.introduction = introduction
        self.previous = previous
        self.webView = webView
        self.realm = realm
        appliedSettings = webView.settings
        outbox = PageOutbox(webView.limits, webView.memory)
        for request in webView.takeUntoldRequests() { webView.tell(request, from: self) }
        connect()
    }

    /// What the next document of the frame has to wait for.
    package var asPrevious: AttachPage.Previous? {
        outbox.seq == 0 ? nil : AttachPage.Previous(document: document, seq: outbox.seq)
    }

    /// The document's URL when it began.
    package var url: String { introduction.url }

    // MARK: From the document

    /// Sends a message, and calls `end` once with how it ended.
    package func post(_ message: ScriptMessage, end: @escaping @MainActor (MessageEnd) -> Void) {
        post([(message, end)])
    }

    /// Sends messages that were posted in one turn, in one batch.
    package func post(_ messages: [(message: ScriptMessage, end: @MainActor (MessageEnd) -> Void)]) {
        let frames = messages.compactMap { message, end -> [UInt8]? in
            do throws(PageOutbox.Refusal) {
                return try outbox.add(message, frameLimits, end: end)
            } catch {
                refuse(message.handler, error, end)
                return nil
            }
        }
        if isAttached { send(frames) }
    }

    /// Fails a message as `bridge.js` does.
    private func refuse(
        _ handler: String, _ refusal: PageOutbox.Refusal, _ end: @MainActor (MessageEnd) -> Void
    ) {
        end(.failed(.undelivered(handler, refusal.reason)))
        report(refusal.code, "A message to \"\(handler)\" was not sent: \(refusal.reason).")
    }

    /// Reports something that went wrong to people and, as a `problem` record, to tools.
    package func report(_ code: String, _ text: String) {
        webView.report(text)
        notify(DriverMessage.problem(DriverProblem(code: code, text: text)))
    }

    /// Tells the daemon something: an `UpdatePage`, a `ConsoleEntry` or a `DriverMessage`.
    package func notify(_ call: some MethodCall) {
        var writer = JSONWriter()
        writer.call(call)
        send(writer.bytes)
    }

    /// Tells the daemon the window's back/forward list, unless the document has told the same one.
    package func tellHistory(_ history: NavigationHistory) {
        guard history != toldHistory else { return }
        toldHistory = history
        notify(DriverMessage.historyChanged(history))
    }

    /// Takes the number of a call that is sent separately.
    func reserveNumber() -> Int { outbox.reserveNumber() }

    /// Sends a JSON-RPC notification or an answer.
    package func send(_ frame: [UInt8]) {
        if isAttached {
            if isSendable(frame) { send([frame]) }
        } else if waiting.count < webView.limits.notifications, !webView.memory.isFull {
            waiting.append(frame)
        } else {
            droppedCount += 1
        }
    }

    private func send(_ frames: [[UInt8]]) { socket?.send(frames, batchBytes: frameLimits.json.values) }

    /// Whether the daemon takes a frame. Of one that it would refuse, it gets a problem.
    private func isSendable(_ frame: [UInt8]) -> Bool {
        guard let objection = frameLimits.objection(to: frame) else { return true }
        report("messageTooBig", "A report about the page was not sent: \(objection).")
        return false
    }

    /// The document has been left: sends what waits, and ends the connection. If the daemon has not attached it yet, it does
    /// so first.
    package func leave() {
        guard !hasLeft else { return }
        hasLeft = true
        calls.endGestures()
        if isAttached { close() }
    }

    /// The document of a frame has been left, and another page may wait for the replies to its messages. Leaves as soon as
    /// all have come, or after some time.
    /// - Parameter end: is called once, then.
    func leave(whenAnswered end: @escaping @MainActor () -> Void) {
        guard !hasLeft, isOwedAnswers else {
            leave()
            return end()
        }
        hasLeft = true
        calls.endGestures()
        whenAnswered = end
        Task { [self, limit = webView.limits.questionTimeout] in
            try? await Task.sleep(for: limit)
            endWait()
        }
    }

    private func endWait() {
        guard let end = whenAnswered.take() else { return }
        if isAttached { close() }
        end()
    }

    private var isOwedAnswers: Bool { !outbox.isEmpty || !outbox.waiting.isEmpty }

    private func close() {
        socket?.leave()
        socket = nil
        isAttached = false
        fail(questions.takeAll(), RPCError(.documentGone, "The document has left."))
    }

    // MARK: Questions

    /// Asks the daemon, as soon as the document is attached, and waits for its answer.
    /// - Parameter isRepeated: whether to ask again if the connection breaks before the answer comes. Otherwise the
    ///   question fails then.
    package func request(
        _ call: some MethodCall, isRepeated: Bool = false,
        completion: @escaping @MainActor (Result<JSON, RPCError>) -> Void
    ) {
        guard !hasLeft else { return completion(.failure(RPCError(.documentGone, "The document has left."))) }
        guard questions.count < webView.limits.questions else {
            return completion(.failure(RPCError(.queueFull, "\(questions.count) questions have no answer.")))
        }
        let frame = questions.frame(call)
        if let objection = frameLimits.objection(to: frame) {
            return completion(.failure(RPCError(.queueFull, "It was not sent: \(objection).")))
        }
        questions.add(frame, isRepeated: isRepeated, isSent: isAttached, at: .now, completion: completion)
        if isAttached { send([frame]) } else { limitWait() }
    }

    /// Fails the questions that wait too long for a connection.
    private func limitWait() {
        guard questionDeadline == nil, !isAttached, !questions.isEmpty else { return }
        questionDeadline = Task { [weak self, limit = webView.limits.questionTimeout] in
            try? await Task.sleep(for: limit)
            guard let self, !Task.isCancelled else { return }
            questionDeadline = nil
            fail(
                questions.take(before: .now - limit),
                RPCError(.documentGone, "The daemon could not be reached within \(limit.inMilliseconds)."))
            limitWait()
        }
    }

    private func fail(_ completions: [PageQuestions.Completion], _ error: RPCError) {
        for completion in completions { completion(.failure(error)) }
    }

    // MARK: Connection

    private func connect() {
        // The connection keeps the page until it has left and the daemon has everything.
        Task { [self] in
            do {
                let socket = try await PageSocket.connect(
                    to: webView.link, onMessage: { self.receive($0) }, onClose: { self.disconnected() })
                connected(socket)
            } catch {
                disconnected()
            }
        }
    }

    private func connected(_ socket: PageSocket) {
        self.socket = socket
        var writer = JSONWriter()
        writer.call(attachPage, id: .string("attach"))
        socket.send([writer.bytes], batchBytes: .max)
    }

    private var attachPage: AttachPage {
        let frame = FrameInfo(
            url: introduction.url, origin: introduction.origin, isMainFrame: introduction.isMainFrame)
        return AttachPage(
            document: document, webView: webView.name, frame: frame, title: introduction.title,
            readyState: introduction.readyState, userAgent: introduction.userAgent, resume: run != nil,
            previous: run == nil ? previous : nil, waiting: run == nil ? nil : outbox.waiting, engine: webView.engine)
    }

    private func disconnected() {
        socket = nil
        isAttached = false
        fail(questions.disconnect(), RPCError(.documentGone, "The connection to the daemon broke."))
        limitWait()
        guard !(hasLeft && outbox.isEmpty) else { return }
        failures += 1
        if failures == 1, run != nil { webView.report("The connection to the daemon broke. Messages are kept.") }
        // A document that has left waits no longer than the daemon would wait for it.
        guard !hasLeft || failures < 10 else { return }
        let delay = min(5, 0.1 * Double(1 << min(failures, 6)))
        Task { [self] in
            try? await Task.sleep(for: .seconds(delay))
            connect()
        }
    }

    private func attached(_ result: AttachResult) {
        let isResumed = result.isResumed && result.run == run
        failures = 0
        // In each run of the daemon, the ids of faults begin anew.
        if run != nil, result.run != run { webView.faultUses = [:] }
        run = result.run
        isAttached = true
        if !isResumed {
            calls.forgetAnswers()
            outbox.forgetReplies(
                .failed(RPCError(.documentGone, "the daemon started again before the handler replied")))
        }
        outbox.acknowledge(through: result.lastSeq)
        apply(result.settings)
        frameLimits = FrameLimits(result)
        questionDeadline.take()?.cancel()
        sendKept()
        if hasLeft, whenAnswered == nil { close() }
    }

    /// Sends what has waited for the connection, without what the daemon would refuse.
    private func sendKept() {
        for (message, refusal) in outbox.takeRefused(frameLimits) { refuse(message.handler, refusal, message.end) }
        let tooBig = RPCError(.queueFull, "It has more bytes or values than the daemon takes.")
        fail(questions.takeRefused(frameLimits), tooBig)
        let frames = waiting.filter(isSendable)
        waiting = []
        send(frames + outbox.frames + questions.send())
        guard droppedCount > 0 else { return }
        report("queueFull", "\(droppedCount) notifications were dropped while the daemon could not be reached.")
        droppedCount = 0
    }

    // MARK: From the daemon

    private func receive(_ json: JSON) {
        for message in json.kind == .array ? json.elements : [json] { handle(RPCMessage(message)) }
        realm?.endRound()
        if !isOwedAnswers { endWait() }
    }

    private func handle(_ message: RPCMessage) {
        switch message {
        case .success(.string("attach"), let result): attached(AttachResult(result))
        case .failure(.string("attach"), let error):
            hasLeft = true
            webView.report("The daemon refused the page: \(error)")
            close()
        case .success(.string(let name), let result): questions.take(name)?(.success(result))
        case .failure(.string(let name), let error): questions.take(name)?(.failure(error))
        case .success(let id, let result): outbox.settle(id.wholeNumber ?? 0, .reply(result))
        // The daemon's log says more about a message that was dropped.
        case .failure(.null, let error) where error.code == .handlerRejected || error.code == .noSuchHandler: break
        case .failure(.null, let error): webView.report("The daemon could not handle a message: \(error)")
        case .failure(let id, let error): outbox.settle(id.wholeNumber ?? 0, .failed(error))
        case .notification(let method, let params):
            switch try? DaemonMessage(method, params) {
            case .acknowledge(let seq): outbox.acknowledge(through: seq)
            case .handlersChanged(let settings): apply(settings)
            case .navigate(let navigation): realm?.delegate?.navigate(navigation)
            case .run, .command, nil: break
            }
        case .request(let id, let method, let params): calls.perform(method, params, id)
        case .malformed: break
        }
    }

    private func apply(_ change: WebViewSettings) {
        let settings = webView.settings.changed(by: change)
        webView.settings = settings
        // Another document of the window may have got the same settings before this one.
        guard settings != appliedSettings else { return }
        appliedSettings = settings
        realm?.update(settings)
    }
}

extension DrivenPage {
    /// What a document says about itself when it attaches.
    package struct Introduction {
        package var url: String
        package var origin: String
        package var isMainFrame: Bool
        package var title: String
        /// `loading`, `interactive` or `complete`.
        package var readyState: String
        package var userAgent: String
        /// The name of a frame's document among the pages around it that share its handlers.
        var frameName: String?
        /// Whether the document has come back from the browser's back/forward cache.
        var isRestored = false

        package init(
            url: String, origin: String, isMainFrame: Bool, title: String = "", readyState: String = "loading",
            userAgent: String = ""
        ) {
            self.url = url
            self.origin = origin
            self.isMainFrame = isMainFrame
            self.title = title
            self.readyState = readyState
            self.userAgent = userAgent
        }
    }
}
