import BridgeCluster
import BridgeProtocol
import BridgeServer
import BridgeTraffic

/// A node of a simulated cluster: the real parts of a durable daemon, with a clock and a log of its own.
@MainActor final class ClusterNode {
    let name: String
    let clock = SimulatedClock()
    let daemon: SimulatedDaemon
    private let store: NodeStore
    /// The connections that it has opened.
    private let links = Links()
    /// Whether it does nothing for a while, as a process that is stopped or swapped out.
    var isPaused = false
    /// The records of messages in its log, and those that it has taken back.
    private(set) var logged: [Int] = []
    private(set) var takenBack: Set<Int> = []
    private let log = Invariants()

    init(
        _ number: Int, _ redis: SimulatedRedis, _ settings: Settings, _ invariants: ClusterInvariants,
        _ mistake: ClusterMistake?
    ) throws {
        name = "n\(number)"
        // Each run of a daemon begins at another time.
        clock.advance(milliseconds: number)
        daemon = try SimulatedDaemon(
            settings, clock: clock, disk: SimulatedDisk(invariants: log), invariants: log, mistake: nil)
        store = try NodeStore(
            RedisAddress("unix:///redis?name=test"), node: name, isDurable: true, settings.limits, daemon.traffic,
            daemon.parts.documents, daemon.parts.gate, Deadlines(clock: clock)
        ) { [links] _, _, onEvent throws(RedisAddress.Mistake) in
            let link = SimulatedRedisConnection(redis, onEvent: onEvent)
            links.all = links.all.filter(\.isAlive) + [link]
            return link
        }
        log.show = { [unowned self] line in
            invariants.show?("    \(name): \(line)")
            read(line, takesBack: mistake != .takesNothingBack)
        }
        install(invariants)
        store.start()
    }

    private func read(_ line: String, takesBack: Bool) {
        guard let json = try? JSON.parse(line), let record = json["record"]?.wholeNumber else { return }
        if json["kind"]?.stringEquals("message") == true, json["body"]?.wholeNumber != nil { logged.append(record) }
        guard takesBack, json["code"]?.stringEquals("clusterTookOver") == true else { return }
        // `… with the records 3, 5-8 count for nothing: …`
        let text = json["text"]?.string ?? ""
        let list = text.split(separator: " with the record").last?.split(separator: " count").first ?? ""
        for range in list.split(whereSeparator: { "s, ".contains($0) }) {
            let ends = range.split(separator: "-").compactMap { Int($0) }
            if let first = ends.first, let last = ends.last { takenBack.formUnion(first...last) }
        }
    }

    private func install(_ invariants: ClusterInvariants) {
        let plain = MessageHandler.plain { _, _ in .handled }
        daemon.parts.webViews.defaultScope.handlers = [
            HandlerName.plain.rawValue: plain, HandlerName.fickle.rawValue: plain,
            HandlerName.echo.rawValue: .replying { body, _, reply in reply.resolve(body) },
            HandlerName.late.rawValue: .replying { [weak daemon] body, _, reply in daemon?.owe(reply, body) },
            HandlerName.evaluating.rawValue: .plain { body, context in
                if let page = context.evaluator as? Page, let number = body.json.wholeNumber {
                    page.evaluate("\(invariants.asked(by: number))", timeout: .seconds(3_600)) { _ in }
                }
                return .handled
            },
        ]
        daemon.parts.webViews.defaultScope.pageObserver = { event, page in
            guard event == .gone, let number = Int(page.document.dropFirst()) else { return }
            invariants.mayForget.insert(number)
        }
    }

    var openLinks: [SimulatedRedisConnection] { links.all.filter(\.isAlive) }

    /// How many of its records Redis has not confirmed.
    var waitingCount: Int { store.waitingCount }

    func endRound() {
        daemon.endRound()
        for link in openLinks where link.isOpen { link.onEvent(.roundEnds) }
        daemon.writeAll()
    }

    /// Kills it. What it has sent may still arrive.
    func kill() {
        for link in openLinks { link.abandon() }
        daemon.release()
        clock.forgetAll()
        daemon.parts.gate.keeper = nil
    }
}

extension ClusterNode {
    @MainActor private final class Links { var all: [SimulatedRedisConnection] = [] }
}
