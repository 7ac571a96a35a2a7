import BridgeProtocol
import BridgeTraffic

/// Takes pages of a durable cluster over from other daemons, and gives them up to these.
extension Documents {
    /// Makes sure that this daemon owns the document that has sent something, and has the state that another daemon had
    /// of it.
    /// - Parameters:
    ///   - resumes: whether the document has been attached before, to any daemon.
    ///   - limit: how long this may take.
    ///   - attach: the params of `page.attach`, if the document sent them. Without them, no state can be taken over.
    ///   - proceed: is called when this daemon owns the document, with the new page that continues one that counted as
    ///     gone, or nil. Without a keeper it is called at once.
    func own(
        _ document: String, resumes: Bool, within limit: Duration, _ attach: AttachPage?, _ sender: PageSender,
        then proceed: @escaping @MainActor (Result<Page?, RPCError>) -> Void
    ) {
        let known = registry.latestPage(of: document)
        guard let keeper = gate.keeper, resumes || known != nil else { return proceed(.success(nil)) }
        let origin = sender.origin?.text
        keeper.claim(document, epoch: known?.ownership.epoch, origin: origin, within: limit) { [self] claim in
            switch claim {
            case .new, .same: proceed(.success(nil))
            case .refused(let error): proceed(.failure(error))
            case .unanswered(let reason): proceed(.failure(RPCError(.waitTimedOut, reason)))
            case .moved(let state):
                registry.page(of: document).map(moveAway)
                guard let attach else { return proceed(.success(nil)) }
                let page = takeOver(state, attach, sender)
                proceed(.success(state.isGone ? page : nil))
            }
        }
    }

    /// Makes a page that goes on where another daemon's has ended.
    private func takeOver(_ handOver: PageHandOver, _ attach: AttachPage, _ sender: PageSender) -> Page {
        evaluations.advance(beyond: handOver.lastEvaluation)
        let page = makePage(attach, sender)
        page.ownership.epoch = handOver.epoch
        page.state = PageState(lastSeq: handOver.lastSeq, isKept: true)
        if !handOver.isGone {
            page.ownership.run = handOver.run
            delivery.replies.takeOver(handOver.replies, of: page)
            for (id, text) in handOver.evaluations {
                guard let json = try? JSON.parse(text), let script = try? PageScript(json) else { continue }
                evaluations.takeOver(script, id: id, in: page)
            }
        }
        // A beacon or a call may have caused this, whose document does not connect.
        waitForConnection(page)
        // For this daemon and its app the page is new.
        if !handOver.isGone { report(.attached, page) }
        return page
    }

    /// Ends the pages of documents that other daemons own now.
    package func lost(_ documents: [(document: String, epoch: Int)]) {
        for (document, epoch) in documents {
            // The page may be a newer one, if this daemon has taken the document over again.
            guard let page = registry.page(of: document), page.ownership.epoch == epoch else { continue }
            if let channel = page.channel { close(channel, "another daemon of the cluster has this page") }
            moveAway(page)
        }
    }

    /// Ends a page, because another daemon owns it now. What this page has done since then has no effect.
    private func moveAway(_ page: Page) {
        page.ownership.hasMovedAway = true
        leave(page)
        evaluations.fail(in: page)
    }

    /// The documents that are attached or away.
    package var documents: [String] { registry.pages.map(\.document) }

    /// Tells the keeper the whole states of pages, because its store has lost them.
    /// - Parameter documents: nil for all.
    package func noteAll(_ documents: [String]? = nil) {
        for page in documents?.compactMap({ registry.page(of: $0) }) ?? registry.pages {
            page.ownership.isNoted = false
            gate.note(.handled(seq: page.state.lastSeq), of: page)
            evaluations.noteAll(of: page)
            for (seq, reply) in page.replies.all {
                gate.note(.replied(seq: seq, reply: reply, dropped: []), of: page)
            }
        }
    }
}
