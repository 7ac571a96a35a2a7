import BridgeProtocol

/// What the daemon asks of a document: evaluations, gestures, and commands such as `page.snapshot`.
@MainActor final class PageCalls {
    private weak var page: DrivenPage?
    private var answers = AnsweredEvaluations()
    /// The gestures that have not ended, the oldest first. Only that one has begun.
    private var gestures: [ElementGesture] = []
    /// How many calls of interface objects the page waits for.
    private var openCalls = 0
    private var scriptsHeldBack: [@MainActor () -> Void] = []

    init(for page: DrivenPage) { self.page = page }

    /// Does what the daemon asks for: an evaluation, or a command such as `page.snapshot`.
    func perform(_ method: String, _ params: JSON?, _ id: RequestID) {
        // If the daemon repeats a request, it is not done again.
        if answers.contains(id) {
            if let frame = answers[id] { page?.send(frame) }
            return
        }
        answers.begin(id)
        do throws(RPCError) {
            switch try DaemonMessage(method, params) {
            case .run(let script):
                let run = { @MainActor [weak self] in
                    guard let realm = self?.page?.realm else { self?.finish(id, .failure(.pageGone(""))); return }
                    realm.evaluate(script) { self?.finish(id, $0) }
                }
                if openCalls > 0 { scriptsHeldBack.append(run) } else { run() }
            case .command(.point(let gesture, let element, let timeout)):
                make(gesture, element, within: timeout, id)
            case .command(let command): perform(command, id)
            case .acknowledge, .handlersChanged, .navigate: throw .methodNotFound(method)
            }
        } catch {
            finish(id) { $0.error(id: id, error) }
        }
    }

    /// Holds back scripts while the page waits for a call of an interface object. Firefox would run them in the middle of the
    /// page's own script, and Android runs them after it.
    func holdBackScripts() { openCalls += 1 }

    /// Runs the scripts that were held back, unless the page waits for another call.
    func releaseScripts() {
        openCalls -= 1
        guard openCalls == 0 else { return }
        let scripts = scriptsHeldBack
        scriptsHeldBack = []
        for run in scripts { run() }
    }

    private func perform(_ command: DriverCommand, _ id: RequestID) {
        Task { [weak self, delegate = page?.realm?.delegate, webView = page?.webView] in
            do throws(RPCError) {
                guard let delegate, let webView else { throw RPCError(.documentGone, "The document has left.") }
                let value: CommandValue =
                    switch command {
                    case .openWebView(let name): try await webView.open(name)
                    case .closeWebView: try webView.close()
                    default: try await delegate.perform(command)
                    }
                self?.finish(id) { writer in writer.result(id: id) { $0.member("value", value) } }
            } catch {
                self?.finish(id) { $0.error(id: id, error) }
            }
        }
    }

    private func make(
        _ gesture: PointerGesture, _ element: ElementTarget, within timeout: Duration, _ id: RequestID
    ) {
        guard let realm = page?.realm else { return finish(id, .failure(.pageGone(""))) }
        let gesture = ElementGesture(gesture, element, within: timeout, in: realm) { [weak self] result in
            self?.finish(id) { writer in
                switch result {
                case .success(let value): writer.result(id: id) { $0.member("value", value) }
                case .failure(let error): writer.error(id: id, error)
                }
            }
        }
        gestures.append(gesture)
        if gestures.count == 1 { beginGesture() }
    }

    /// Begins the oldest gesture. There is one finger.
    private func beginGesture() {
        gestures.first?.begin { [weak self] in
            guard let self, !gestures.isEmpty else { return }
            gestures.removeFirst()
            beginGesture()
        }
    }

    /// Ends all gestures, because the document has left.
    func endGestures() {
        let left = gestures
        gestures = []
        for gesture in left { gesture.documentLeft() }
    }

    /// The daemon has started again, and repeats no request.
    func forgetAnswers() { answers = AnsweredEvaluations() }

    private func finish(_ id: RequestID, _ result: EvaluationResult) {
        finish(id) { writer in
            switch result {
            case .success(.value(let value)): writer.valueResult(id: id, value)
            case .success(.members(let text)):
                writer.result(id: id) { $0.raw(text.utf8) }
            case .failure(let error): writer.error(id: id, error.rpcError)
            }
        }
    }

    /// Sends an answer, and keeps it.
    private func finish(_ id: RequestID, _ write: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        write(&writer)
        if let objection = page?.frameLimits.objection(to: writer.bytes) {
            page?.report("messageTooBig", "A result was not sent: \(objection).")
            writer = JSONWriter()
            writer.error(id: id, RPCError(.internalError, "The result was not sent: \(objection)."))
        }
        answers.finish(id, writer.bytes)
        page?.send(writer.bytes)
    }
}
