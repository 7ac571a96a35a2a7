import BridgeProtocol
package import BridgeTraffic
import DequeModule

/// Knows every document that has attached: it makes, connects and ends their pages, and hands their messages to
/// `Delivery`. On the main actor.
@MainActor package final class Documents {
    /// How many pages end in one turn of the loop.
    private static let pagesAtOnce = 128
    /// How many documents that have called may lack a connection.
    private static let mostUnconnected = 256
    /// How long the scripts of tools wait for an observed page that has lost its connection.
    private static let observedPatience = Duration.seconds(2)
    /// How often an acknowledgement is repeated. A page that receives nothing for 30 seconds connects again.
    private static let repetitionInterval = Duration.seconds(10)

    let limits: BridgeServer.Configuration.Limits
    package let traffic: TrafficLog
    let deadlines: Deadlines
    let webViews: WebViews
    let gate: Gate
    let delivery: Delivery
    let evaluations: Evaluations
    let drivers: DriverMessages
    let observations: Observations
    let origins: Origins
    let predecessors: Predecessors
    private let missingScripts: MissingScripts
    /// Tells pages in which run of the daemon they attached: the time at which it began, in microseconds.
    package let run: Int
    private(set) var registry = PageRegistry()
    var devices = Devices()
    /// Called when a page attaches, comes back, changes, loses its connection or is gone.
    private var observers: [@MainActor (TrafficRecord.PageEvent, Page) -> Void] = []
    /// The beginning of the ids of pages. In a cluster it is the name of the daemon's node and a dot.
    var pagePrefix = ""
    /// Closes the connection of a page, which will attach again; with the reason.
    var close: @MainActor (Channel, _ reason: String) -> Void = { _, _ in }

    init(
        _ limits: BridgeServer.Configuration.Limits, _ webViews: WebViews, _ gate: Gate, _ delivery: Delivery,
        _ evaluations: Evaluations, _ drivers: DriverMessages, _ origins: Origins, _ missingScripts: MissingScripts
    ) {
        (self.limits, self.webViews, self.gate, self.delivery) = (limits, webViews, gate, delivery)
        (self.evaluations, self.drivers, self.origins) = (evaluations, drivers, origins)
        self.missingScripts = missingScripts
        (traffic, deadlines) = (delivery.traffic, delivery.deadlines)
        observations = Observations(delivery)
        predecessors = Predecessors(limits, traffic, deadlines)
        run = Int(traffic.clock.timestamp.microseconds)
        predecessors.latestPage = { [weak self] in self?.registry.latestPage(of: $0) }
        predecessors.handle = { [weak self] in self?.handle($0, of: $1) }
        delivery.replies.pages = { [weak self] in self?.registry.pages ?? [] }
        missingScripts.documentCount = { [weak self] in
            self.flatMap { $0.predecessors.areOver ? nil : $0.registry.count }
        }
        origins.onChange = { [weak self] in self?.moveToOtherWebViews() }
        webViews.forEachConnectedPage = { [weak self] body in
            for page in self?.registry.pages ?? [] { page.channel.map { body(page, $0) } }
        }
    }

    /// The pages that are attached or away, oldest first.
    package var pages: [Page] { registry.pages }

    func observe(_ observer: @escaping @MainActor (TrafficRecord.PageEvent, Page) -> Void) {
        observers.append(observer)
    }

    /// - Parameter recorded: the event in the record, if it is more precise than the one that observers get.
    func report(_ event: TrafficRecord.PageEvent, _ page: Page, recorded: TrafficRecord.PageEvent? = nil) {
        traffic.append(.page(recorded ?? event), .toNative, page)
        for observer in observers { observer(event, page) }
        if !page.isObserved { webViews.scope(of: page.webView).pageObserver?(event, page) }
        page.reportCutTexts(in: traffic)
    }

    /// Ends all waits for messages of previous documents, because a daemon that stops accepts no more beacons.
    package func beginStopping() { predecessors.endAll() }

    /// Settles all replies that handlers have not given yet, because the daemon has stopped.
    package func endReplies() {
        predecessors.beginAgain()
        for page in registry.pages { delivery.endReplies(to: page, .daemonStopped) }
    }

    /// Fails all evaluations, because the server is released, and no page will answer.
    func endEvaluations() {
        for page in registry.pages { evaluations.fail(in: page) }
    }

    // MARK: Making pages

    /// Resumes the page of a document that is known. Any other document gets a new page; if it is a main frame, it
    /// replaces the document that its web view showed before.
    func resumeOrMakePage(_ attach: AttachPage, _ channel: Channel) -> (Page, resumed: Bool) {
        let webView = origins.app.webView(of: PageIdentity(attach, channel.sender))
        if let known = registry.page(of: attach.document), known.webView == webView {
            if let old = known.channel, old !== channel { close(old, "the document attached again") }
            if known.state.attach() { return (known, true) }
        }
        return (makePage(attach, channel.sender), false)
    }

    /// Makes a page. A new main-frame document replaces the one that its web view showed before.
    func makePage(_ attach: AttachPage, _ sender: PageSender) -> Page {
        let identity = PageIdentity(attach, sender)
        if attach.frame.isMainFrame { endPredecessors(in: origins.app.webView(of: identity)) }
        // Documents that come and go faster than they are forgotten must not fill the memory.
        if registry.pages.count >= 2 * limits.connections { registry.pages.first(where: \.isAway).map(leave) }
        return add(attach, identity)
    }

    /// Adds a page. It takes over the messages that the document's page before it holds back.
    private func add(_ attach: AttachPage, _ identity: PageIdentity) -> Page {
        let before = registry.latestPage(of: attach.document)
        let page = registry.add(attach, identity, in: self)
        before.map { predecessors.move(from: $0, to: page) }
        return page
    }

    /// Adds the page of a document that calls before its connection is open, and may never connect.
    func introduce(_ attach: AttachPage, _ sender: PageSender, status: Int?) -> Page {
        let isUnknown = isUnknown(attach)
        let page = makePage(attach, sender)
        predecessors.wait(page, attach)
        page.status = status
        waitForConnection(page)
        registry.addUnconnected(page)
        if registry.unconnectedCount > Documents.mostUnconnected { registry.oldestUnconnected.map(leave) }
        report(.attached, page)
        // Observers commit the load of a page at its first update, which otherwise is a `page.update`.
        report(.updated, page)
        if isUnknown { reportAttachedAnew(page) }
        origins.report(page, page.identity)
        return page
    }

    /// Adds the page of a document that has left already.
    func introduceDeparted(_ attach: AttachPage, _ sender: PageSender) -> Page {
        let page = add(attach, PageIdentity(attach, sender))
        predecessors.wait(page, attach)
        report(.attached, page)
        if attach.resume { reportAttachedAnew(page) }
        origins.report(page, page.identity)
        leave(page)
        return page
    }

    /// Whether the document resumes a page that this run of the daemon does not know: it was attached to an earlier run,
    /// or its page was forgotten.
    func isUnknown(_ attach: AttachPage) -> Bool {
        attach.resume && registry.latestPage(of: attach.document) == nil
    }

    private func reportAttachedAnew(_ page: Page) {
        traffic.problem(
            .attachedAnew,
            "\(page.id) was attached to an earlier run of the daemon, or so long ago that the daemon has forgotten it. "
                + "It sends its unacknowledged messages again.",
            hint: "A message that the daemon had handled but not acknowledged is handled twice.", page: page)
    }

    /// Whether the client may speak for a document: no other client has done so before, or a page of the same origin.
    func maySpeak(_ sender: PageSender, for document: String) -> Bool {
        registry.latestPage(of: document).map { $0.identity.origin == sender.origin } ?? true
    }

    /// Returns an error if a page says that it is driven, because only a tool may do so.
    func objection(to attach: AttachPage, from sender: PageSender) -> RPCError? {
        guard attach.engine != nil, !sender.isDriver else { return nil }
        return .invalidParams(
            at: "/engine",
            "expected nothing: only a tool drives a browser, with the daemon's token and without an Origin")
    }

    // MARK: Connections

    /// Answers `page.attach` on a new connection, and sends everything that the document has missed.
    /// - Parameter isUnknown: whether the document resumes a page that is not known.
    func connect(_ page: Page, to channel: Channel, _ attach: AttachPage, id: RequestID, resumed: Bool, isUnknown: Bool)
    {
        deadlines.cancel(page.absence.deadline)
        deadlines.cancel(page.nextLoad.deadline.take())
        registry.setAway(false, page)
        page.channel = channel
        if gate.keepAll() { page.state.keep(page.state.lastSeq) }
        // The result acknowledges, too.
        _ = page.state.acknowledge()
        let result = AttachResult(
            page: page.id, run: page.ownership.run, otherWebView: page.webView == attach.webView ? nil : page.webView,
            isResumed: resumed, lastSeq: page.state.keptSeq,
            settings: webViews.settings(of: page.webView, isDriven: page.isDriven),
            maxMessageBytes: limits.messageBytes, limits: page.isDriven ? limits.json : nil)
        channel.send { $0.result(id: id, result) }
        // This comes before the report, because an observer may evaluate a script, which must be sent only once.
        page.evaluations.sendAgain()
        report(resumed ? .resumed : .attached, page)
        if resumed, let isLoaded = page.change(attach) { reportUpdate(page, isLoaded: isLoaded) }
        if isUnknown { reportAttachedAnew(page) }
        gate.whenAllIsConfirmed { [delivery, evaluations] in
            delivery.replies.sendAgain(to: page, attach.waiting ?? [], on: channel)
            evaluations.send(to: page)
        }
        if let navigation = page.nextLoad.navigation.take() { navigate(page, navigation) }
    }

    /// Handles the end of a connection. A document that closed it with 1001 (going away) will not answer its evaluations;
    /// one whose connection broke may still do so.
    func disconnect(_ page: Page, _ closure: Closure) {
        guard page.state.detach() else { return }
        page.channel = nil
        waitForConnection(page)
        report(.detached, page)
        // A tool waits for its script. The device may have been switched off, or its app ended.
        if page.isObserved { evaluations.failLater(in: page, after: Documents.observedPatience) }
        page.nextLoad.deadline = page.nextLoad.page.map { missingScripts.awaitScript(of: $0, in: page.webView) }
        guard closure.byPeer, closure.code == .goingAway else { return }
        // A driver closes with 1001 only if the document will not come back, and has sent all that it knows; a page may be in
        // the back/forward cache, and sends a beacon.
        guard page.isDriven else { return evaluations.failLater(in: page) }
        leave(page, hasToldAll: true)
    }

    /// Ends a page unless its document connects in time.
    func waitForConnection(_ page: Page) {
        page.absence.pagesBefore = registry.count
        registry.setAway(true, page)
        page.absence.deadline = deadlines.schedule(after: limits.awayTimeout) { [weak self, weak page] in
            guard let self, let page else { return }
            leave(page)
            traffic.flush()
        }
    }

    /// Ends a page, because its document will not come back or has been away for too long.
    func leave(_ page: Page) { leave(page, hasToldAll: false) }

    /// - Parameter hasToldAll: whether no result can come any more.
    private func leave(_ page: Page, hasToldAll: Bool) {
        guard page.state.leave() else { return }
        deadlines.cancel(page.absence.deadline)
        registry.depart(page)
        evaluations.failLater(in: page, after: hasToldAll ? .zero : nil)
        delivery.endReplies(to: page, .pageGone(page.id))
        delivery.replies.forget(page)
        gate.note(.gone, of: page)
        report(.gone, page)
    }

    /// Ends the page of the main document that a web view showed before, and those of its frames, if they have lost their
    /// connections. A frame that attached after the main document had left belongs to the new document, because a frame
    /// may attach before its main document.
    private func endPredecessors(in webView: String) {
        let left = registry.awayPages(of: webView)
        guard let last = left.filter(\.frame.isMainFrame).map(\.absence.pagesBefore).max() else { return }
        leave(left.filter { $0.frame.isMainFrame || $0.number <= last })
    }

    /// Ends pages, the latest ones at once. If there are many, the others end later, because other clients wait meanwhile.
    private func leave(_ pages: [Page]) {
        pages.suffix(Documents.pagesAtOnce).forEach(leave)
        let others = pages.dropLast(Documents.pagesAtOnce)
        guard !others.isEmpty else { return }
        deadlines.schedule(after: .milliseconds(10)) { [weak self] in
            self?.leave(others.filter(\.isAway))
            self?.traffic.flush()
        }
    }

    /// Closes the connections of pages that would get another web view now, so that they attach again.
    private func moveToOtherWebViews() {
        for page in registry.pages where page.webView != origins.app.webView(of: page.identity) {
            leave(page)
            if let channel = page.channel { close(channel, "the page's web view has another name now") }
        }
    }

    // MARK: Loads

    func update(_ page: Page, _ update: UpdatePage) { reportUpdate(page, isLoaded: page.update(update)) }

    private func reportUpdate(_ page: Page, isLoaded: Bool) {
        report(.updated, page, recorded: isLoaded ? .loaded : nil)
    }

    /// Makes a page load something. Does nothing while the page is away.
    func navigate(_ page: Page, _ navigation: PageNavigation) {
        page.nextLoad.page = missingScripts.expectedPage(after: navigation, from: page)
        if let channel = page.channel {
            channel.send { $0.call(DaemonMessage.navigate(navigation)) }
        } else if page.state.presence == .attached {
            page.nextLoad.navigation = navigation
        }
    }

    // MARK: Messages

    /// Handles a message, unless it was handled before. Holds it back while messages of the previous document are
    /// missing.
    func receive(_ message: PostMessage, id: RequestID?, from page: Page) {
        guard page.heldBack == nil else { return predecessors.hold(message, id, by: page) }
        guard page.state.accept(message.seq) else { return }
        gate.note(.handled(seq: message.seq), of: page)
        let (seq, handler) = (message.seq, message.handler)
        delivery.deliver(message, from: page) { [replies = delivery.replies] outcome in
            replies.send(outcome, ofMessage: seq, to: handler, id: id, page)
        }
    }

    /// Records what was observed in a page of an app of its own, unless it was recorded before.
    func receive(_ observed: ObservedEntries, from page: Page) {
        for entry in observed.entries where page.state.accept(entry.seq) {
            gate.note(.handled(seq: entry.seq), of: page)
            observations.record(entry, of: page)
        }
    }

    /// Calls a method of an interface object, shows a dialog, or asks about a load, after all messages that are held
    /// back. A browser may send the request twice if a connection breaks; both requests get the same response.
    func receive(
        _ call: CallInterface, id: RequestID, from page: Page, respond: @escaping Page.CallResponse
    ) {
        let seq = call.message.seq
        guard page.heldBack == nil else {
            return predecessors.hold(call.message, by: page) { [weak self] page in
                self?.receive(call, id: id, from: page, respond: respond)
            }
        }
        guard page.state.accept(seq) else {
            // A dialog may still be open.
            guard page.openCalls[seq] == nil else {
                page.openCalls[seq]?.append(respond)
                return
            }
            return respond(delivery.replies.cached(for: seq, id: id, of: page), gate.keepAll())
        }
        page.openCalls[seq] = [respond]
        gate.note(.handled(seq: seq), of: page)
        let finish = { @MainActor [gate, replies = delivery.replies] (result: Result<ScriptValue, RPCError>) in
            var writer = JSONWriter()
            switch result {
            case .success(let value): writer.valueResult(id: id, value)
            case .failure(let error): writer.error(id: id, error)
            }
            let answer = writer.bytes
            replies.cache(answer, to: seq, of: page)
            gate.whenAllIsKept { isKept in
                for respond in page.openCalls.removeValue(forKey: seq) ?? [] { respond(answer, isKept) }
            }
        }
        if !drivers.decideLoad(call, from: page, finish), !delivery.showDialog(call, from: page, finish) {
            finish(delivery.perform(call, from: page))
        }
    }

    /// Handles what a page has held back.
    private func handle(_ heldBack: HeldBack, of page: Page) {
        for (message, id) in heldBack.messages { receive(message, id: id, from: page) }
        for call in heldBack.calls { call(page) }
        flushAndAcknowledge([page])
    }

    // MARK: Acknowledgements

    /// Writes the records of messages, and acknowledges the messages when the records are kept: at once, or later.
    /// - Returns: whether they are kept now.
    @discardableResult func flushAndAcknowledge(_ pages: some Sequence<Page>) -> Bool {
        let record = traffic.lastRecord
        let isKept = gate.keepAll()
        for page in pages {
            if isKept {
                acknowledge(page, through: page.state.lastSeq)
            } else if let seq = page.state.awaitKeeping() {
                gate.whenKept(record) { [weak self] in self?.acknowledge(page, through: seq) }
                repeatAcknowledgement(to: page)
            }
        }
        return isKept
    }

    /// Sends one acknowledgement for all messages up to `seq`, whose records the log has.
    private func acknowledge(_ page: Page, through seq: Int) {
        page.state.keep(seq)
        guard let seq = page.state.acknowledge() else { return }
        page.channel?.send { DaemonMessage.writeAcknowledgement(seq: seq, to: &$0) }
    }

    /// Repeats the latest acknowledgement while further ones wait, so that the page knows that its connection works.
    private func repeatAcknowledgement(to page: Page) {
        guard !page.repeatsAcknowledgement else { return }
        page.repeatsAcknowledgement = true
        deadlines.schedule(after: Documents.repetitionInterval) { [weak self, weak page] in
            guard let self, let page else { return }
            page.repeatsAcknowledgement = false
            guard page.state.isAwaitingLog else { return }
            page.channel?.send { [seq = page.state.keptSeq] in
                DaemonMessage.writeAcknowledgement(seq: seq, to: &$0)
            }
            repeatAcknowledgement(to: page)
        }
    }

    // MARK: Faults

    /// - Returns: the fault's id.
    /// - Throws: `invalidRequest` if there are too many, if it is wrong, or if none of the attached pages can have it.
    func add(_ fault: Fault, webView: String?) throws(RPCError) -> String {
        if let mistake = fault.mistake { throw .invalidRequest(mistake.description) }
        guard !webViews.faults.isFull else {
            throw .invalidRequest("there are \(ToolRules<Fault>.limit) faults already. Remove some with faults.remove.")
        }
        let shown = pages.filter {
            $0.frame.isMainFrame && $0.isAttached && ToolRules<Fault>.applies(webView, to: $0.webView)
        }
        let objections = shown.compactMap { fault.objection(of: $0) }
        if objections.count == shown.count, let objection = objections.first { throw .invalidRequest(objection) }
        return webViews.add(fault, webView: webView)
    }

    /// Records that a page that has attached cannot have faults that were added before.
    func reportIgnoredFaults(of page: Page) {
        guard page.frame.isMainFrame else { return }
        let objections = webViews.faults.applying(to: page.webView).compactMap { entry in
            entry.rule.objection(of: page).map { (entry.id, $0) }
        }
        guard let (id, objection) = objections.first else { return }
        traffic.problem(
            .faultIgnored, "The fault \(id) does nothing here: \(objection)",
            hint: "Remove it with bridged unfault \(id), or faults.remove.", page: page)
    }
}

extension Fault {
    /// Explains why a page cannot have the fault; nil if it can.
    @MainActor func objection(of page: Page) -> String? {
        switch page.engine {
        case nil:
            "\(page.id) is attached by its script tag, which cannot change requests. Show it in a browser that bridged drives: bridged open, or --in for flows."
        case .webkit where kind.name != .offline && kind.name != .slow:
            "\(page.id) is shown in WebKit, which can only make documents offline or slow. Show it in chromium or firefox."
        default: nil
        }
    }
}
