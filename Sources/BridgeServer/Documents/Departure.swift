package import BridgeProtocol
import BridgeTraffic

/// Handles what documents send over HTTP instead of their connection: their last messages when the user leaves, and calls
/// for which the page waits. On the main actor.
@MainActor package final class Departure {
    private let documents: Documents
    let waitingRequests: WaitingRequests
    private let limits: BridgeServer.Configuration.Limits
    private let traffic: TrafficLog

    init(_ documents: Documents, _ waitingRequests: WaitingRequests) {
        (self.documents, self.waitingRequests) = (documents, waitingRequests)
        (limits, traffic) = (documents.limits, documents.traffic)
    }

    // MARK: The owner of a document in a cluster

    /// Calls `action`, which handles the body of a beacon or a call, when this daemon owns the document that sent it.
    /// - Parameters:
    ///   - limit: how long this may take.
    ///   - code: the code of the problem if it is not known which daemon owns the document.
    ///   - refused: is called with that problem, which is recorded.
    func owning(
        _ body: [UInt8], from sender: PageSender, within limit: Duration, orElse code: ProblemCode,
        _ action: @escaping @MainActor () throws(RPCError) -> Void,
        refused: @escaping @MainActor (Refusal) -> Void, failed: @escaping @MainActor (RPCError) -> Void
    ) {
        let proceed = { @MainActor in do throws(RPCError) { try action() } catch { failed(error) } }
        guard documents.gate.hasKeeper, let author = BodyAuthor(body, limits.json) else { return proceed() }
        let (document, known) = (author.document, documents.registry.latestPage(of: author.document))
        // A page that is connected here is blocked by its call, and must not wait for Redis. `action` itself refuses
        // other authors.
        guard author.resumes || known != nil, documents.registry.page(of: document)?.channel == nil,
            documents.maySpeak(sender, for: document)
        else { return proceed() }
        let refuse = { @MainActor [self] (code: ProblemCode, reason: String) in
            let refusal = Refusal.notHandled(code, author.loss(of: known, because: reason))
            traffic.report(refusal, of: document)
            refused(refusal)
        }
        let bytes = body.capacity + author.size
        // Checked before the keeper is asked, because a claim cannot be taken back.
        guard waitingRequests.hasRoom(for: bytes) else { return refuse(.memoryUsedUp, waitingRequests.fullness) }
        waitingRequests.wait(holding: bytes) { report in
            documents.own(document, resumes: author.resumes, within: limit, author.attach, sender, then: report)
        } then: { [waitingRequests] result in
            switch result {
            case .success(.success): proceed()
            case .success(.failure(let error)) where error.code == .waitTimedOut: refuse(code, error.message)
            case .success(.failure(let error)): failed(error)
            case .failure(.noRoom): refuse(.memoryUsedUp, waitingRequests.fullness)
            case .failure(.daemonStops): refuse(code, "the daemon stopped before the cluster's Redis had answered")
            }
        }
    }

    // MARK: POST /beacon

    /// Handles the last messages of a document that the user has left: `{document, run?, attach?, messages}`. The
    /// messages are `message.post` notifications and responses. `run` is the one to which the document attached last.
    /// `attach` holds the params of `page.attach`, in case this run does not know the document.
    ///
    /// The same messages may also come over the document's connection; each is handled once. No replies are sent,
    /// because the document has gone.
    /// - Throws: an error if the body cannot be read or the document is not known.
    package func receiveBeacon(_ body: [UInt8], from sender: PageSender = PageSender()) throws(RPCError) {
        let beacon = try parse(body)
        let messages = try messages(of: beacon)
        let knownRun = beacon["run"]?.wholeNumber
        let page = try author(of: beacon, isForgotten: knownRun == documents.run, sender)
        defer {
            documents.predecessors.releaseSuccessors(of: [page.document])
            traffic.flush()
        }
        var errors = 0
        for message in messages {
            guard errors < limits.errors else { throw .invalidRequest("too many errors; the rest was not read") }
            switch PageMessage(message) {
            case .observed(let entries, nil) where page.isObserved: documents.receive(entries, from: page)
            // If the document comes back, it waits for the reply under the message's number.
            case .post(let message, nil) where !page.isObserved:
                documents.receive(message, id: RequestID(message.seq), from: page)
            // An earlier run of the daemon had other requests with the same ids.
            case .result(let id, let result):
                let run = page.ownership.run
                if knownRun ?? run == run { documents.evaluations.receive(result, id: id, from: page) }
            case .malformed(let message) where message.method == PageMethod.post.rawValue && message.id == nil:
                documents.delivery.recordMalformed(message, from: page, after: page.state.lastSeq)
                reportBadPart("a message that cannot be read: \(message.error.message)", page)
                errors += 1
            default:
                reportBadPart("something that is neither a message nor a response", page)
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

    /// - Parameter isForgotten: whether a document without a page had one in this run. The registry has forgotten that
    ///   page, so it is not known which messages were handled.
    private func author(of beacon: JSON, isForgotten: Bool, _ sender: PageSender) throws(RPCError) -> Page {
        let document = beacon["document"]?.string ?? ""
        guard documents.maySpeak(sender, for: document) else { throw .otherAuthor }
        if let page = documents.registry.latestPage(of: document) { return page }
        guard !isForgotten, let params = beacon["attach"] else {
            throw RPCError(.noSuchPage, "A beacon came from a document that is not known.")
        }
        let attach = try AttachPage(params: params)
        guard attach.document == document else {
            throw .invalidParams(at: "/attach/document", "expected '\(document)', found another document")
        }
        if let error = documents.objection(to: attach, from: sender) { throw error }
        documents.origins.decide(by: attach, sender)
        return documents.introduceDeparted(attach, sender)
    }

    private func reportBadPart(_ what: String, _ page: Page) {
        traffic.problem(
            .badBeacon, "A beacon of \(page.id) holds \(what).",
            hint:
                "The beacon's other messages were handled. Only bridge.js posts here, for a document that has attached.",
            page: page
        )
    }

    private func parse(_ body: [UInt8]) throws(RPCError) -> JSON {
        if let queue = traffic.fullQueue { throw RPCError(.queueFull, "\(queue.reason).") }
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
        let page = try caller(of: request, sender)
        for message in messages {
            switch PageMessage(message) {
            case .post(let message, let id): documents.receive(message, id: id, from: page)
            case .call(let call, let id):
                return documents.receive(call, id: id, from: page) { answer, isKept in
                    respond(answer, isKept, page.ownership.run)
                }
            case .malformed(let message) where message.error.code == .invalidParams:
                documents.delivery.recordMalformed(message, from: page, after: page.state.lastSeq)
                throw message.error
            default: throw .invalidRequest("expected messages, and last an interface.call")
            }
        }
        traffic.flush()
        respond(nil, false, page.ownership.run)
    }

    private func caller(of request: JSON, _ sender: PageSender) throws(RPCError) -> Page {
        guard let params = request["attach"] else {
            throw .invalidParams(at: "/attach", "expected the params of page.attach, found nothing")
        }
        let attach = try AttachPage(params: params)
        // Native code of its own app has the messages of such a page.
        guard !attach.isDevice, documents.registry.page(of: attach.document)?.isObserved != true else {
            throw .methodNotFound(PageMethod.call.rawValue)
        }
        if let error = documents.objection(to: attach, from: sender) { throw error }
        let status = request["status"]?.wholeNumber
        guard documents.maySpeak(sender, for: attach.document) else { throw .otherAuthor }
        documents.origins.decide(by: attach, sender)
        let webView = documents.origins.app.webView(of: PageIdentity(attach, sender))
        guard let known = documents.registry.page(of: attach.document), known.webView == webView else {
            return documents.introduce(attach, sender, status: status)
        }
        if known.status == nil, let status {
            // The call came before the first `page.update`. Observers commit the load at the first update.
            known.status = status
            documents.report(.updated, known)
        }
        return known
    }
}
