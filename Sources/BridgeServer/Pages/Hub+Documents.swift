package import BridgeProtocol
import BridgeTraffic
import DequeModule

/// Makes sessions for documents, and handles what documents send over HTTP instead of their connection.
extension Hub {
    // MARK: Sessions

    /// Makes a session. A new main-frame document replaces the one that its web view showed before.
    func makeSession(_ attach: AttachPage, _ sender: PageSender) -> PageSession {
        let identity = PageIdentity(attach, sender)
        if attach.frame.isMainFrame { endPredecessors(in: appOrigins.webView(of: identity)) }
        // Documents that come and go faster than they are forgotten must not fill the memory.
        if registry.sessions.count >= 2 * limits.connections { registry.sessions.first(where: \.isAway)?.leave() }
        return registry.add(attach, identity, hub: self)
    }

    /// Whether the document resumes a session that this run of the daemon does not know: it was attached to an earlier
    /// run, or its session was forgotten.
    func isUnknown(_ attach: AttachPage) -> Bool {
        attach.resume && registry.latestSession(of: attach.document) == nil
    }

    /// Ends the sessions of the main document that a web view showed before and of its frames, if they have lost their
    /// connections. A frame that attached after the main document had left belongs to the new document, because a frame
    /// may attach before its main document.
    private func endPredecessors(in webView: String) {
        let left = registry.awaySessions(of: webView)
        guard let last = left.filter(\.page.frame.isMainFrame).map(\.sessionsWhenLeft).max() else { return }
        leave(left.filter { $0.page.frame.isMainFrame || $0.number <= last })
    }

    /// Ends sessions, the latest ones at once. If there are many, the others end later, because other clients wait
    /// meanwhile.
    private func leave(_ sessions: [PageSession]) {
        for session in sessions.suffix(Hub.sessionsAtOnce) { session.leave() }
        let others = sessions.dropLast(Hub.sessionsAtOnce)
        guard !others.isEmpty else { return }
        deadlines.schedule(after: .milliseconds(10)) { [weak self] in
            self?.leave(others.filter(\.isAway))
            self?.traffic.flush()
        }
    }

    /// How many sessions end, or wait no longer, in one turn.
    private static let sessionsAtOnce = 128
    /// How many bytes all sessions may hold back.
    private static let mostHeldBack = 16 << 20
    /// How many documents may be known by their calls alone.
    private static let mostUnconnected = 256

    /// Holds back the messages of a new document until all messages of the previous document in its tab have arrived,
    /// for `Limits.beaconTimeout` at most. The registry may not know the previous document yet, if it left before it
    /// attached.
    func waitForPredecessor(_ session: PageSession, _ attach: AttachPage) {
        guard let previous = attach.previous, !isStopping, session.predecessorWait == nil,
            !registry.hasAll(of: previous)
        else { return }
        session.wait(for: previous)
        deadlines.schedule(after: limits.beaconTimeout) { [weak self] in
            // The document may have a new session by now, which has taken over what waits.
            (self?.registry.latestSession(of: session.document) ?? session).endPredecessorWait()
            self?.releaseSuccessors(of: [session.document])
            self?.traffic.flush()
        }
    }

    /// Counts a message that a session holds back. If all sessions together hold back too much now, this one waits no
    /// longer: other clients wait while what it holds back is handled.
    func countHeldBack(_ message: PostMessage, by session: PageSession) {
        // A message without a body takes memory, too.
        let bytes = message.body.json.memory + 256
        session.predecessorWait?.bytes += bytes
        heldBackBytes += bytes
        guard heldBackBytes > min(limits.memoryBytes, Hub.mostHeldBack) else { return }
        traffic.problem(
            "heldBackTooMuch",
            "\(session.page.id) does not wait for the last messages of the document before it: pages hold back too much.",
            hint: "Post smaller messages while a page loads, or fewer.", page: session.page)
        session.endPredecessorWait()
        releaseSuccessors(of: [session.document])
    }

    /// Handles the messages that were held back for documents whose last messages have now arrived. The released
    /// messages may be the ones for which another document waits. If there are many such documents, some wait a moment
    /// longer, because other clients wait meanwhile.
    private func releaseSuccessors(of documents: Deque<String>) {
        var (documents, count) = (documents, 0)
        while let document = documents.popFirst() {
            for session in registry.releasedSessions(waitingFor: document) {
                guard count < Hub.sessionsAtOnce else {
                    documents.prepend(document)
                    return releaseLater(documents)
                }
                count += 1
                session.endPredecessorWait()
                documents.append(session.document)
            }
        }
    }

    private func releaseLater(_ documents: Deque<String>) {
        deadlines.schedule(after: .milliseconds(10)) { [weak self] in
            self?.releaseSuccessors(of: documents)
            self?.traffic.flush()
        }
    }

    // MARK: POST /beacon

    /// Handles the last messages of a document that the user has left: `{document, run?, attach?, messages}`. The
    /// messages are `message.post` notifications and responses. `run` is the one to which the document attached last.
    /// `attach` holds the params of `page.attach`, in case this run does not know the document.
    ///
    /// The same messages may also come over the document's connection; each is handled once. The messages need no
    /// replies, because the document has gone.
    /// - Throws: an error if the body cannot be read or the document is not known.
    package func receiveBeacon(_ body: [UInt8], from sender: PageSender = PageSender()) throws(RPCError) {
        let beacon = try parse(body)
        let messages = try messages(of: beacon)
        let knownRun = beacon["run"]?.wholeNumber
        let session = try author(of: beacon, isForgotten: knownRun == run, sender)
        defer {
            releaseSuccessors(of: [session.document])
            traffic.flush()
        }
        var errors = 0
        for message in messages {
            guard errors < limits.errors else { throw .invalidRequest("too many errors; the rest was not read") }
            switch PageMessage(message) {
            // A document that comes back waits for the reply under the message's number.
            case .post(let message, nil): session.receive(message, id: RequestID(message.seq))
            // An earlier run of the daemon had other requests with the same ids.
            case .result(let id, let result):
                if knownRun ?? session.run == session.run { session.receive(result, id: id) }
            case .malformed(let message) where message.method == "message.post" && message.id == nil:
                session.recordMalformed(message)
                reportBadPart("a message that cannot be read: \(message.error.message)", session.page)
                errors += 1
            default:
                reportBadPart("something that is neither a message nor a response", session.page)
                errors += 1
            }
        }
    }

    /// The messages in the body of a beacon or a call.
    private func messages(of body: JSON) throws(RPCError) -> RPCFrame.Messages {
        let messages = RPCFrame(body["messages"] ?? .null).messages
        guard messages.count <= limits.batchMessages else {
            throw .batchTooLong(messages.count, limit: limits.batchMessages)
        }
        return messages
    }

    /// - Parameter isForgotten: whether a document without a session had one in this run. Then it is not known which of
    ///   its messages were handled.
    private func author(of beacon: JSON, isForgotten: Bool, _ sender: PageSender) throws(RPCError) -> PageSession {
        let document = beacon["document"]?.string ?? ""
        guard maySpeak(sender, for: document) else { throw .otherAuthor }
        if let session = registry.latestSession(of: document) { return session }
        guard !isForgotten, let params = beacon["attach"] else {
            throw RPCError(.noSuchPage, "A beacon came from a document that is not known.")
        }
        let attach = try AttachPage(params: params)
        guard attach.document == document else {
            throw .invalidParams(at: "/attach/document", "expected '\(document)', found another document")
        }
        if let error = objection(to: attach, from: sender) { throw error }
        decideOrigin(by: attach, sender)
        let session = registry.add(attach, PageIdentity(attach, sender), hub: self)
        waitForPredecessor(session, attach)
        session.report(.attached)
        if attach.resume { session.reportAttachedAnew() }
        reportOtherOrigin(of: session)
        session.leave()
        return session
    }

    private func reportBadPart(_ what: String, _ page: Page) {
        traffic.problem(
            "badBeacon", "A beacon of \(page.id) holds \(what).",
            hint:
                "The beacon's other messages were handled. Only bridge.js posts here, for a document that has attached.",
            page: page
        )
    }

    private func parse(_ body: [UInt8]) throws(RPCError) -> JSON {
        guard !traffic.isFull else {
            throw RPCError(.queueFull, "The log cannot be written, and too many records wait for it.")
        }
        do throws(JSONParseError) { return try JSON.parse(body, limits.json) } catch { throw .parseError(error) }
    }

    // MARK: POST /call

    /// Handles a call of an interface object, during which the page's thread is blocked: `{document, attach, status?,
    /// messages}`. The messages are those that may not have arrived yet, in order, followed by the call. If they are
    /// too large for one request, the page first sends requests without a call.
    ///
    /// `attach` holds the params of `page.attach`, because a page may call before its connection is open.
    /// - Parameter respond: is called once unless this method throws, with the response to the call, or with nil if
    ///   there was no call; with whether the log has the records of all messages, so that the page may forget them; and
    ///   with the run that the page is to know.
    package func receiveCall(
        _ body: [UInt8], from sender: PageSender = PageSender(),
        respond: @escaping @MainActor (_ answer: [UInt8]?, _ isKept: Bool, _ run: Int) -> Void
    ) throws(RPCError) {
        let request = try parse(body)
        let messages = try messages(of: request)
        let session = try caller(of: request, sender)
        for message in messages {
            switch PageMessage(message) {
            case .post(let message, let id): session.receive(message, id: id)
            case .call(let call, let id):
                return session.receive(call, id: id) { answer, isKept in respond(answer, isKept, session.run) }
            case .malformed(let message) where message.error.code == .invalidParams:
                session.recordMalformed(message)
                throw message.error
            default: throw .invalidRequest("expected messages, and last an interface.call")
            }
        }
        traffic.flush()
        respond(nil, false, session.run)
    }

    private func caller(of request: JSON, _ sender: PageSender) throws(RPCError) -> PageSession {
        guard let params = request["attach"] else {
            throw .invalidParams(at: "/attach", "expected the params of page.attach, found nothing")
        }
        let attach = try AttachPage(params: params)
        if let error = objection(to: attach, from: sender) { throw error }
        let status = request["status"]?.wholeNumber
        guard maySpeak(sender, for: attach.document) else { throw .otherAuthor }
        decideOrigin(by: attach, sender)
        let webView = appOrigins.webView(of: PageIdentity(attach, sender))
        guard let known = registry.session(of: attach.document), known.page.webView == webView else {
            return introduce(attach, sender, status: status)
        }
        if known.page.status == nil, let status {
            // The call came before the first `page.update`. Observers commit the load at the first update.
            known.page.status = status
            known.report(.updated)
        }
        return known
    }

    /// Makes a session for a document that calls before its connection is open.
    private func introduce(_ attach: AttachPage, _ sender: PageSender, status: Int?) -> PageSession {
        let isUnknown = isUnknown(attach)
        let session = makeSession(attach, sender)
        waitForPredecessor(session, attach)
        session.page.status = status
        session.waitForConnection()
        registry.addUnconnected(session)
        if registry.unconnectedCount > Hub.mostUnconnected { registry.oldestUnconnected?.leave() }
        session.report(.attached)
        // Observers commit the load of a page at its first update, which otherwise is a `page.update`.
        session.report(.updated)
        if isUnknown { session.reportAttachedAnew() }
        reportOtherOrigin(of: session)
        return session
    }
}
