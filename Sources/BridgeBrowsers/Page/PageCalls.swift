import BridgeProtocol

/// What the daemon asks of a document: evaluations, taps, and commands such as `page.snapshot`.
@MainActor final class PageCalls {
    private weak var page: DrivenPage?
    private var answers = AnsweredEvaluations()
    /// The taps on elements that have not ended, the oldest first. Only that one has begun.
    private var taps: [ElementTap] = []

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
                guard let realm = page?.realm else { return finish(id, .failure(.pageGone(""))) }
                realm.evaluate(script) { [weak self] in self?.finish(id, $0) }
            case .command(.tap(let element, let timeout)): tap(element, within: timeout, id)
            case .command(let command): perform(command, id)
            case .acknowledge, .handlersChanged, .navigate: throw .methodNotFound(method)
            }
        } catch {
            finish(id) { $0.error(id: id, error) }
        }
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

    private func tap(_ element: ElementTarget, within timeout: Duration, _ id: RequestID) {
        guard let realm = page?.realm else { return finish(id, .failure(.pageGone(""))) }
        let tap = ElementTap(element, within: timeout, in: realm) { [weak self] result in
            self?.finish(id) { writer in
                switch result {
                case .success(let value): writer.result(id: id) { $0.member("value", value) }
                case .failure(let error): writer.error(id: id, error)
                }
            }
        }
        taps.append(tap)
        if taps.count == 1 { beginTap() }
    }

    /// Begins the oldest tap. There is one finger.
    private func beginTap() {
        taps.first?.begin { [weak self] in
            guard let self, !taps.isEmpty else { return }
            taps.removeFirst()
            beginTap()
        }
    }

    /// Ends all taps, because the document has left.
    func endTaps() {
        let left = taps
        taps = []
        for tap in left { tap.documentLeft() }
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
