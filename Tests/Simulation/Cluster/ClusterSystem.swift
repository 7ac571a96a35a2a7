import BridgeServer

/// A simulated cluster: up to three durable nodes, a real Redis, and three pages that may change nodes at any time.
@MainActor final class ClusterSystem {
    static let pageCount = 3
    private static let mostNodes = 3

    let invariants = ClusterInvariants()
    private let redis: SimulatedRedis
    private let mistake: ClusterMistake?
    private let settings = Settings()
    private var nodes: [ClusterNode] = []
    private var started = 0
    private var pages: [SimulatedPage] = []

    init(_ process: RedisProcess, mistake: ClusterMistake?) {
        self.mistake = mistake
        redis = SimulatedRedis(process, invariants, mistake)
        for number in 1...Self.pageCount {
            let page = SimulatedPage(
                number: number, tab: number - 1, parent: nil, previous: nil, invariants: invariants, mistake: nil)
            pages.append(page)
        }
        for _ in 0..<Self.mostNodes { start() }
    }

    private func start() {
        guard nodes.count < Self.mostNodes else { return }
        started += 1
        if let node = try? ClusterNode(started, redis, settings, invariants, mistake) { nodes.append(node) }
    }

    private func kill(_ node: ClusterNode) {
        nodes.removeAll { $0 === node }
        node.kill()
    }

    /// Ends everything. Nothing may use the system after that.
    func end() { for node in nodes { kill(node) } }

    // MARK: Steps

    func perform(_ step: ClusterStep) {
        act(step)
        for node in nodes { node.clock.runNextActions() }
    }

    private func act(_ step: ClusterStep) {
        switch step {
        case .connect(let page, let node):
            on(node) { node in pick(page, of: pages.filter(\.mayConnect)) { node.daemon.accept($0) } }
        case .post(let page, let handler, let count):
            pick(page, of: pages.filter(\.isRunning)) { page in
                for _ in 0..<count { page.post(to: handler) }
            }
        case .send(let page): pick(page, of: pages.filter(\.mayFlush)) { $0.flush() }
        case .runScript(let page): pick(page, of: pages.filter(\.mayRunScript)) { $0.runScript() }
        case .read(let page): pick(page, of: pages.filter(\.hasToRead), read)
        case .leaveNode(let page): pick(page, of: pages.filter(\.isOnline)) { $0.noticeCut() }
        case .start: start()
        case .executeLate(let index):
            guard !redis.isHung, !redis.late.isEmpty else { return }
            _ = redis.run(redis.late.remove(at: index % redis.late.count))
        case .dropLate: redis.late = []
        case .advance(let milliseconds): for node in nodes { node.clock.advance(milliseconds: milliseconds) }
        case .redis(.failOver, _): failOver()
        case .redis(let fault, let index): redis.apply(fault, index)
        case .goOn(let node): pick(node, of: nodes) { $0.isPaused = false }
        case .pause(let node): on(node) { $0.isPaused = true }
        case .kill(let node): on(node, kill)
        default: actOnNode(step)
        }
    }

    private func actOnNode(_ step: ClusterStep) {
        switch step {
        case .deliver(let node, let connection):
            on(node) { node in
                pick(connection, of: node.daemon.connections.filter(\.hasUpstream)) {
                    node.daemon.deliver($0, bytes: .max / 2)
                }
            }
        case .noticeCut(let node, let connection):
            on(node) { node in
                pick(connection, of: node.daemon.connections) {
                    node.daemon.close($0, Closure(code: nil, byPeer: false))
                }
            }
        case .endRound(let node): on(node) { $0.endRound() }
        case .settleReply(let node): on(node) { $0.daemon.settleReply(0, .resolve) }
        case .openLink(let node, let link):
            on(node) { pick(link, of: $0.openLinks.filter { !$0.isOpen }) { $0.open() } }
        // A node that is paused does not prevent Redis from running what it has sent.
        case .execute(let node, let link, let isPatient):
            pick(node, of: nodes) { pick(link, of: $0.openLinks) { $0.execute(isPatient: isPatient) } }
        case .answer(let node, let link): on(node) { pick(link, of: $0.openLinks) { $0.answer() } }
        case .cutLink(let node, let link): on(node) { pick(link, of: $0.openLinks) { $0.cut() } }
        case .fireTimers(let node): on(node) { $0.clock.fireTimers() }
        default: break
        }
    }

    private func failOver() {
        redis.failOver()
        for node in nodes {
            for link in node.openLinks { link.cut() }
        }
        redis.late = []
    }

    private func read(_ page: SimulatedPage) {
        for frame in page.connection?.takeDownstream(frames: 4) ?? [] { page.received(frame) }
    }

    private func on(_ index: Int, _ body: (ClusterNode) -> Void) {
        pick(index, of: nodes.filter { !$0.isPaused }, body)
    }

    private func pick<Element>(_ index: Int, of elements: [Element], _ body: (Element) -> Void) {
        if !elements.isEmpty { body(elements[index % elements.count]) }
    }

    // MARK: Rest

    /// Lets everything end that is under way, and checks that everything has ended.
    func comeToRest() {
        redis.repair()
        while let command = redis.late.popLast() { _ = redis.run(command) }
        for node in nodes { node.isPaused = false }
        start()
        for round in 0..<400 where invariants.violation == nil {
            var isAtRest = pages.allSatisfy { $0.isAtRest && !$0.mayRunScript && !$0.hasToRead && !$0.mayFlush }
            for node in nodes { isAtRest = exchange(node) && isAtRest }
            for (index, page) in pages.enumerated() { exchange(page, nodes[(index + round) % nodes.count]) }
            for node in nodes { node.clock.runNextActions() }
            if isAtRest { break }
            for node in nodes {
                node.clock.advance(milliseconds: 50)
                node.clock.fireTimers()
            }
        }
        invariants.checkRest(pages)
        for node in nodes { invariants.checkLog(of: node.name, node.logged, takenBack: node.takenBack) }
    }

    /// - Returns: whether the node has nothing to do any more.
    private func exchange(_ node: ClusterNode) -> Bool {
        var isAtRest = true
        for link in node.openLinks {
            if !link.isOpen { isAtRest = false }
            link.open()
        }
        for connection in node.daemon.connections {
            if !connection.isOpenAtPage { node.daemon.close(connection, Closure(code: nil, byPeer: false)) }
            if connection.hasUpstream { isAtRest = false }
            node.daemon.deliver(connection, bytes: .max / 2)
        }
        while !node.daemon.owedReplies.isEmpty { node.daemon.settleReply(0, .resolve) }
        node.endRound()
        for link in node.openLinks {
            var count = 0
            while link.execute(isPatient: true) {
                isAtRest = false
                count += 1
                if count > 1_000 { return endless(node) }
            }
            while link.answer() {}
        }
        if node.openLinks.count < 2 || node.waitingCount > 0 { isAtRest = false }
        node.endRound()
        return isAtRest
    }

    private func endless(_ node: ClusterNode) -> Bool {
        invariants.violate(.ends, "\(node.name) does not stop asking Redis")
        return true
    }

    private func exchange(_ page: SimulatedPage, _ node: ClusterNode) {
        while page.hasToRead { read(page) }
        if let connection = page.connection, connection.isCut || !connection.isOpenAtDaemon { page.noticeCut() }
        while page.mayRunScript { page.runScript() }
        page.flush()
        if page.mayConnect { node.daemon.accept(page) }
    }
}

/// The steps of a simulated cluster, which follow from a seed, and the promise that they break.
struct ClusterHistory: Sendable {
    let seed: UInt64
    var steps: [ClusterStep]
    let violation: Violation

    /// Runs a simulation until a promise is broken.
    /// - Returns: the number of steps taken, and the history if a promise was broken.
    @MainActor static func run(
        seed: UInt64, in process: RedisProcess, mistake: ClusterMistake? = nil, show: ((String) -> Void)? = nil
    ) -> (Int, ClusterHistory?) {
        var random = RandomNumbers(seed: seed)
        let mix = ClusterMix(using: &random)
        let count = random.pick([100, 300, 600])
        let steps = (0..<count).compactMap { _ in mix.step(using: &random) }
        let violation = replay(steps, in: process, mistake: mistake, show: show)
        return (steps.count, violation.map { ClusterHistory(seed: seed, steps: steps, violation: $0) })
    }

    @MainActor static func replay(
        _ steps: [ClusterStep], in process: RedisProcess, mistake: ClusterMistake? = nil,
        show: ((String) -> Void)? = nil
    ) -> Violation? {
        let system = ClusterSystem(process, mistake: mistake)
        defer { system.end() }
        system.invariants.show = show
        for step in steps where system.invariants.violation == nil {
            show?(".\(step),")
            system.perform(step)
        }
        if system.invariants.violation == nil { system.comeToRest() }
        return system.invariants.violation
    }

    /// Finds a short history that breaks the same promise.
    @MainActor func shortened(
        in process: RedisProcess, mistake: ClusterMistake? = nil, within time: Duration = .seconds(60)
    ) -> ClusterHistory {
        let (steps, violation) = violation.shortest(steps, within: time) {
            ClusterHistory.replay($0, in: process, mistake: mistake)
        }
        return ClusterHistory(seed: seed, steps: steps, violation: violation)
    }
}
