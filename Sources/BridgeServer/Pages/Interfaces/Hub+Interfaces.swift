import BridgeProtocol
import BridgeTraffic

/// Calls of interface objects (`POST /call`): the page's thread stands still until it has its answer.
extension Hub {
    /// `{document, attach, status?, messages}`: what the page has posted and the daemon may not have got yet, in order, and
    /// behind it the call. A part that is too large comes ahead, without a call.
    ///
    /// `attach` holds the params of `page.attach`: a page may call before its connection stands.
    /// - Parameter answer: is called once, with the response to the call; nil where there was none.
    func receiveCall(_ body: [UInt8], _ answer: @escaping @MainActor ([UInt8]?) -> Void) throws(RPCError) {
        let request = try parse(body)
        let page = try caller(request)
        for message in RPCFrame(request["messages"] ?? .null).messages {
            switch message {
            case .notification("message.post", let params): try post(params ?? .null, nil, page)
            case .request(let id, "message.post", let params): try post(params ?? .null, id, page)
            case .request(let id, "interface.call", let params):
                return call(try CallInterface(params: params), id, page, answer)
            default: throw .invalidRequest("expected messages, and last an interface.call")
            }
        }
        traffic.flush()
        answer(nil)
    }

    // MARK: Who calls

    private func caller(_ request: JSON) throws(RPCError) -> Page {
        guard let params = request["attach"] else {
            throw .invalidParams(at: "/attach", "expected the params of page.attach, found nothing")
        }
        let attach = try AttachPage(params: params)
        let status = request["status"]?.wholeNumber
        guard let known = pages[attach.document], known.webView == attach.webView else {
            return introduce(attach, status: status)
        }
        if known.status == nil, let status {
            // The call overtook the first `page.update`, by which native code commits the load.
            known.status = status
            report(.updated, known)
        }
        return known
    }

    /// Makes a page of a document whose connection is still to come: all but that it has already.
    private func introduce(_ attach: AttachPage, status: Int?) -> Page {
        let isUnknown = attach.resume && document(attach.document) == nil
        if attach.frame.isMainFrame { giveUpPredecessors(in: attach.webView) }
        let page = makePage(attach)
        if let previous = attach.previous { hold(page, until: previous) }
        page.status = status
        away[page.document] = page
        page.pagesWhenLeft = pageCount
        giveUpLater(page)
        report(.attached, page)
        // As the first `page.update` does: native code commits the load.
        report(.updated, page)
        if isUnknown { tellAttachedAnew(page) }
        return page
    }

    // MARK: The call

    /// Behind what the document before left, as all that a page posts.
    private func call(
        _ call: CallInterface, _ id: RequestID, _ page: Page, _ answer: @escaping @MainActor ([UInt8]) -> Void
    ) {
        guard page.predecessorWait == nil else {
            page.predecessorWait?.calls.append { [self] in self.call(call, id, page, answer) }
            return
        }
        // A browser may send a request twice where a connection breaks.
        guard page.state.accept(call.message.seq) else { return answer(page.answer(to: call.message.seq, id)) }
        var writer = JSONWriter()
        switch perform(call, page) {
        case .success(let value): writer.valueResult(id: id, value)
        case .failure(let error): writer.error(id: id, error)
        }
        page.remember(writer.bytes, to: call.message.seq)
        traffic.flush()
        answer(writer.bytes)
    }

    private func perform(_ call: CallInterface, _ page: Page) -> Result<ScriptValue, RPCError> {
        let started = ContinuousClock.now
        let message = call.message
        messageCounts[message.handler, default: 0] += 1
        let object = interfaces(of: page.webView)[message.handler]
        let end = InterfaceCallEnd(call, of: object, context(of: message, page))
        let carried = object?.methods[call.method]?.message(in: call.arguments)
        let carriedName = carried.flatMap {
            ScriptMessageDispatcher.messageName(of: $0, discriminator: discriminator)
        }
        let record = traffic.append(
            .message(
                handler: message.handler, name: carriedName ?? call.method,
                body: carried ?? message.body, seq: message.seq, verdict: traffic.redaction.redacted(end.verdict)),
            .toNative, page)
        if end.verdict.reason != nil {
            let titled = PostMessage(seq: message.seq, handler: call.title, body: message.body)
            tellProblem(traffic.redaction.redacted(end.verdict), titled, record, page)
        }
        for coercion in end.coercions {
            traffic.problem("argumentCoerced", coercion.text, hint: coercion.hint, page: page, about: record)
        }
        if case .success(let value) = end.result, value.kind != .undefined {
            traffic.append(
                .reply(
                    handler: message.handler, seq: message.seq, result: .success(value),
                    duration: ContinuousClock.now - started, verdict: .replied), .toWeb, page)
        }
        return end.result
    }
}
