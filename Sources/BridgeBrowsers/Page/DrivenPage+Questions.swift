package import BridgeProtocol

/// Requests to the daemon, which answer questions of the browser.
extension DrivenPage {
    /// Asks the daemon, as soon as the document is attached, and waits for its answer.
    /// - Parameter isRepeated: whether to ask again if the connection breaks before the answer comes. Otherwise the
    ///   question fails then.
    package func request(
        _ method: String, isRepeated: Bool = false, _ write: (inout JSONWriter) -> Void,
        completion: @escaping @MainActor (Result<JSON, RPCError>) -> Void
    ) {
        guard !hasLeft else { return completion(.failure(RPCError(.documentGone, "The document has left."))) }
        guard questions.count < webView.limits.questions else {
            return completion(.failure(RPCError(.queueFull, "\(questions.count) questions have no answer.")))
        }
        let frame = questions.frame(method, write)
        if let objection = frameLimits.objection(to: frame) {
            return completion(.failure(RPCError(.queueFull, "It was not sent: \(objection).")))
        }
        questions.add(frame, isRepeated: isRepeated, isSent: isAttached, at: .now, completion: completion)
        if isAttached { send([frame]) } else { limitWait() }
    }

    /// Fails the questions that wait too long for a connection.
    func limitWait() {
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

    func fail(_ completions: [PageQuestions.Completion], _ error: RPCError) {
        for completion in completions { completion(.failure(error)) }
    }
}
