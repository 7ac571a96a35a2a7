import BridgeProtocol
import BridgeServer
import BridgeTraffic

/// A machine with a daemon, a disk, a clock and a browser with three tabs.
@MainActor final class SimulatedSystem {
    static let tabs = 3

    let settings: Settings
    let mistake: Mistake?
    let invariants = Invariants()
    let clock = SimulatedClock()
    let disk: SimulatedDisk
    var daemon: SimulatedDaemon?
    /// The documents that are shown or in the back/forward cache.
    var pages: [SimulatedPage] = []
    private var byDocument: [String: SimulatedPage] = [:]
    /// What each tab remembers of its last document.
    var left: [Int: AttachPage.Previous] = [:]
    /// The beacons on their way.
    var beacons: [Beacon] = []
    /// The calls of interface objects on their way to the daemon.
    var calls: [SimulatedCall] = []
    private var documents = 0
    var steps = 0
    /// When each document attached first in this run of the daemon, unless it did so by a beacon that did not name the
    /// document before.
    private var attachedAt: [Int: ContinuousClock.Instant?] = [:]
    /// The beacon that the daemon is reading.
    var arriving: Beacon?
    /// The documents of runs that have ended. None may be alive when the system is at rest.
    private var ended: [WeakDocuments] = []
    private static var kept: [Documents] = []

    init(_ settings: Settings, mistake: Mistake? = nil) {
        self.settings = settings
        self.mistake = mistake
        disk = SimulatedDisk(invariants: invariants)
        if settings.hasArchive { invariants.keepers.insert(.archive) }
        for tab in 0..<Self.tabs { load(tab) }
        start()
    }

    // MARK: Pages

    func load(_ tab: Int) { addPage(tab, previous: left.removeValue(forKey: tab)) }

    func addPage(_ tab: Int, parent: SimulatedPage? = nil, previous: AttachPage.Previous? = nil) {
        documents += 1
        let page = SimulatedPage(
            number: documents, tab: tab, parent: parent, previous: previous, invariants: invariants, mistake: mistake)
        page.sendBeacon = { [unowned self] beacon in
            if daemon != nil, beacons.count < 32 { beacons.append(beacon) }
        }
        page.sendCall = { [unowned self] call in
            if daemon?.isStopping ?? true { call.page.failCall(nil) } else { calls.append(call) }
        }
        pages.append(page)
        byDocument[page.document] = page
    }

    func shown(in tab: Int) -> SimulatedPage? {
        pages.first { $0.tab == tab && $0.state == .shown && $0.parent == nil }
    }

    func frames(of page: SimulatedPage) -> [SimulatedPage] { pages.filter { $0.parent === page } }

    /// A document and its frames leave.
    func leave(_ page: SimulatedPage, _ leaving: Leaving) {
        let frames = frames(of: page).filter { $0.state == .shown }
        for removed in self.frames(of: page) where removed.state == .lingering { crash(removed) }
        // A page that is blocked by a call can only be closed.
        guard leaving != .crashed, ([page] + frames).allSatisfy({ $0.call == nil }) else {
            for page in [page] + frames { crash(page) }
            return
        }
        left[page.tab] = page.leave()
        for frame in frames { _ = frame.leave() }
        if leaving == .posting {
            page.post(to: .plain)
            page.flush()
            left[page.tab] = AttachPage.Previous(document: page.document, seq: page.seq)
        }
        let isKept = leaving == .kept && pages.count < Self.tabs * 4
        for page in [page] + frames {
            if leaving == .broken { page.connection?.cut() }
            if isKept { page.state = .kept }
            page.disconnect(isKept ? nil : .goingAway)
            if !isKept { end(page) }
        }
    }

    private func crash(_ page: SimulatedPage) {
        page.connection?.cut()
        page.failCall(nil)
        end(page)
    }

    private func end(_ page: SimulatedPage) {
        page.connection?.isOpenAtPage = false
        page.lostConnection()
        page.state = .left
        pages.removeAll { $0 === page }
    }

    // MARK: The daemon

    func start() {
        guard daemon == nil else { return }
        clock.advance(milliseconds: 1)
        guard
            let daemon = try? SimulatedDaemon(
                settings, clock: clock, disk: disk, invariants: invariants, mistake: mistake)
        else { return invariants.daemonKilled() }
        self.daemon = daemon
        invariants.daemonStarted()
        attachedAt = [:]
        install(in: daemon, isFickleThere: true)
        daemon.parts.webViews.defaultScope.pageObserver = { [unowned self, life = daemon.life] event, page in
            guard life.isAlive, event == .attached, let page = byDocument[page.document] else { return }
            guard attachedAt[page.number] == nil else { return }
            attachedAt[page.number] = .some(arriving?.namesPrevious == false ? nil : clock.now)
        }
        daemon.traffic.observe { [unowned self, life = daemon.life] record in
            if life.isAlive { observe(record) }
        }
    }

    func install(in daemon: SimulatedDaemon, isFickleThere: Bool) {
        let took: @MainActor (ScriptValue) -> Void = { [invariants, life = daemon.life] body in
            if life.lasts(), let number = body.json.wholeNumber { invariants.handled(number) }
        }
        let plain = MessageHandler.plain { body, _ in
            took(body)
            return .handled
        }
        var handlers: [String: MessageHandler] = [
            HandlerName.plain.rawValue: plain,
            HandlerName.echo.rawValue: .replying { body, _, reply in
                took(body)
                reply.resolve(body)
            },
            HandlerName.late.rawValue: .replying { [weak daemon] body, _, reply in
                took(body)
                daemon?.owe(reply, body)
            },
            HandlerName.evaluating.rawValue: .plain { [unowned self, life = daemon.life] body, context in
                took(body)
                if life.isAlive, let page = context.evaluator as? Page {
                    evaluate(page, isFunction: false, milliseconds: 30_000)
                }
                return .handled
            },
        ]
        if isFickleThere { handlers[HandlerName.fickle.rawValue] = plain }
        daemon.parts.webViews.defaultScope.handlers = handlers
        var object = JavascriptInterface()
        object.method("take") { [invariants, life = daemon.life] (number: Int) -> Int in
            if life.lasts() { invariants.handled(number) }
            return number
        }
        daemon.parts.webViews.defaultScope.javascriptInterfaces = [HandlerName.object.rawValue: object]
    }

    private func observe(_ record: TrafficRecord) {
        switch record.event {
        case .message(_, _, let body, _, _):
            guard let number = body.json.wholeNumber ?? body.json[0]?.wholeNumber else { return }
            invariants.recorded(number, isLate: isLate)
        case .problem(let code, let text, _, _, _) where mistake != .hidesProblems: invariants.problem(code, text)
        default: break
        }
    }

    /// Whether a later document had messages handled although it should have waited for this message.
    private func isLate(_ page: SimulatedPage, _ seq: Int) -> Bool {
        guard daemon?.isStopping == false else { return false }
        return pages.contains { next in
            guard let previous = next.previous, previous.document == page.document, seq <= previous.seq,
                next.hasNamedPrevious, invariants.hasRecorded(next), let time = attachedAt[next.number] ?? nil
            else { return false }
            return clock.now < time + settings.limits.beaconTimeout
        }
    }

    func evaluate(_ page: Page, isFunction: Bool, milliseconds: Int) {
        guard let daemon, let simulated = byDocument[page.document] else { return }
        let script = invariants.requested(on: simulated)
        let completion: EvaluationCompletion = { [invariants, life = daemon.life] result in
            if life.isAlive { invariants.ended(script, result) }
        }
        if isFunction {
            page.callAsync("\(script)", timeout: .milliseconds(milliseconds), completion: completion)
        } else {
            page.evaluate("\(script)", timeout: .milliseconds(milliseconds), completion: completion)
        }
    }

    /// Ends the daemon. What it has written to sockets may still arrive.
    func endDaemon(isKilled: Bool) {
        guard let daemon else { return }
        if isKilled { invariants.daemonKilled() } else { invariants.daemonStopped() }
        daemon.release()
        clock.forgetAll()
        ended.append(WeakDocuments(documents: daemon.parts.documents))
        if mistake == .keepsDocuments { Self.kept = [daemon.parts.documents] }
        self.daemon = nil
        // Their connections have ended, too.
        beacons = []
        calls = []
        for page in pages { page.failCall(nil) }
    }

    /// Ends everything. Nothing may use the system after that.
    func end() { endDaemon(isKilled: true) }

    /// How many daemons that have ended still have their documents.
    var leaks: Int { ended.count { $0.documents != nil } }

    private struct WeakDocuments { weak var documents: Documents? }
}
