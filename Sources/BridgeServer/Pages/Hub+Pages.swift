import BridgeProtocol
import BridgeTraffic

/// Documents that attach, come back, change and go.
extension Hub {
    func attach(_ params: JSON, _ id: RequestID?, _ connection: PageConnection) throws(RPCError) {
        let attach = try AttachPage(params: params)
        guard let id else { throw RPCError(.invalidRequest, "page.attach must be a request: give it an id.") }
        let isUnknown = attach.resume && document(attach.document) == nil
        let (page, resumed) = findOrMakePage(attach, connection)
        if let previous = attach.previous { hold(page, until: previous) }
        connection.page = page
        deadlines.cancel(connection.attachDeadline)
        deadlines.cancel(page.awayDeadline)
        page.channel = connection.channel
        let handlers = handlerInfo(of: page.webView)
        connection.channel.send { [lastSeq = page.state.lastSeq, limits] writer in
            writer.attachResult(
                id: id, page: page.id, resumed: resumed, lastSeq: lastSeq, handlers: handlers,
                maxMessageBytes: limits.messageBytes)
        }
        report(resumed ? .resumed : .attached, page)
        if isUnknown { tellAttachedAnew(page) }
        page.answerAgain(attach.waiting ?? [])
        page.evaluations.sendAgain()
        sendEvaluations(to: page)
        page.navigateAtLast()
    }

    /// A document that is known comes back as the page it was. A new main-frame document takes the place of the one
    /// its web view showed before, if that has left.
    private func findOrMakePage(_ attach: AttachPage, _ connection: PageConnection) -> (Page, resumed: Bool) {
        if let known = pages[attach.document], known.webView == attach.webView {
            if let old = known.channel, old !== connection.channel {
                old.close(.normal, "the document attached again")
                connections[old.id]?.page = nil
            }
            if known.state.attach() {
                away[known.document] = nil
                return (known, true)
            }
        }
        if attach.frame.isMainFrame { giveUpPredecessors(in: attach.webView) }
        return (makePage(attach), false)
    }

    /// The main document that a web view showed before, and its frames. A frame that attached after that had left is one
    /// of the new document's, which its parent may be slower than.
    func giveUpPredecessors(in webView: String) {
        let left = away.values.filter { $0.webView == webView }
        guard let last = left.filter(\.frame.isMainFrame).map(\.pagesWhenLeft).max() else { return }
        for page in left where page.frame.isMainFrame || page.number <= last { giveUp(page) }
    }

    /// All that a daemon knows of its pages goes with it.
    func tellAttachedAnew(_ page: Page) {
        traffic.problem(
            "attachedAnew",
            "\(page.id) was attached to an earlier run of the daemon, and sends again what that did not acknowledge.",
            hint: "A message that the earlier run handled in its last moment, and did not acknowledge, comes twice.",
            page: page)
    }

    /// A document that was given up and comes back after all, as out of the back/forward cache, goes on counting.
    func makePage(_ attach: AttachPage) -> Page {
        pageCount += 1
        let page = Page(number: pageCount, hub: self, attach: attach)
        if let earlier = departed.last(where: { $0.document == page.document }) {
            page.state = PageState(lastSeq: earlier.state.lastSeq)
        }
        pages[page.document] = page
        away[page.document] = nil
        return page
    }

    /// Every document that is not gone, oldest first.
    var pagesInOrder: [Page] {
        pages.values.sorted { $0.number < $1.number }
    }

    func update(_ page: Page, _ params: JSON) throws(RPCError) {
        let update = try UpdatePage(params: params)
        if let url = update.url {
            page.frame = FrameInfo(url: url, origin: page.frame.origin, isMainFrame: page.frame.isMainFrame)
        }
        page.title = update.title ?? page.title
        page.readyState = update.readyState ?? page.readyState
        page.visibility = update.visibility ?? page.visibility
        page.status = update.status ?? page.status
        report(.updated, page)
    }

    func log(_ params: JSON, _ page: Page) throws(RPCError) {
        traffic.append(.console(try ConsoleEntry(params: params)), .toNative, page)
    }

    /// The connection is gone. A document that said it is going away will not answer what it was asked; one whose
    /// connection broke may still.
    func detach(_ page: Page, _ closure: Closure) {
        guard page.state.detach() else { return }
        page.channel = nil
        page.pagesWhenLeft = pageCount
        away[page.document] = page
        report(.detached, page)
        if closure.byPeer, closure.code == .goingAway { failEvaluationsLater(of: page) }
        giveUpLater(page)
    }

    /// Unless its connection comes before.
    func giveUpLater(_ page: Page) {
        page.awayDeadline = deadlines.schedule(after: limits.awayTimeout) { [self] in
            giveUp(page)
            traffic.flush()
        }
    }

    /// The page won't come back, or is too late.
    func giveUp(_ page: Page) {
        guard page.state.leave() else { return }
        deadlines.cancel(page.awayDeadline)
        pages[page.document] = nil
        away[page.document] = nil
        rememberDeparted(page)
        failEvaluationsLater(of: page)
        endReplies(of: page, .pageGone(page.id))
        page.forgetAnswers()
        report(.gone, page)
    }

    func report(_ event: TrafficRecord.PageEvent, _ page: Page) {
        traffic.append(.page(event), .toNative, page)
        for observer in pageObservers { observer(event, page) }
        scope(of: page.webView).pageObserver?(event, page)
    }
}
