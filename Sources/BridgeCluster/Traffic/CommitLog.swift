import BridgeServer
import BridgeTraffic

/// Writes the records of this node into the traffic of the cluster, and with `isDurable` the states of its pages.
///
/// One commit is under way at a time; what comes meanwhile is in the next one. A commit whose connection broke is sent
/// again. On the main actor.
@MainActor final class CommitLog: RecordKeeper {
    private struct Commit {
        let number: Int
        let records: [StoredRecord]
        let parts: [PagePart]
        /// The number of the part of each record, from 1; 0 for none.
        let partOfRecord: [Int]
    }

    let isDurable: Bool
    private let node: String
    private let keys: Keys
    private let link: RedisLink
    private let script = RedisScript(CommitScript.commit)
    private let context: KeeperContext
    private let backlog: Backlog
    private var states = PageStates()
    private var waiting: [StoredRecord] = []
    private var waitingBytes = 0
    private var underWay: Commit?
    private var number = 0
    /// Whether the commit under way is on its way to Redis.
    private var isSent = false
    private var retry: Deadlines.Token?
    private var isRefused = false
    /// Whether Redis has what was confirmed, as far as it is known.
    private var isChecked = false
    /// The number of the last record that Redis has confirmed.
    private(set) var confirmed: Int
    /// How many records were left out because too many waited.
    private(set) var missed = 0
    private var gap: (count: Int, last: StoredRecord)?

    /// The number in the cluster of the latest record that this node knows.
    var lastKnown: @MainActor () -> Int = { 0 }
    /// Called when Redis has confirmed something.
    var onConfirmed: @MainActor () -> Void = {}
    /// Called with documents that other nodes own, and the epochs with which this node owned them.
    var onLost: @MainActor ([(document: String, epoch: Int)]) -> Void = { _ in }
    /// Called if Redis has lost what it had confirmed: all states are to be noted again.
    var onForgotten: @MainActor () -> Void = {}
    /// Called with an error of Redis; nil when it takes commits again.
    var onRefusal: @MainActor (String?) -> Void = { _ in }

    init(_ link: RedisLink, _ keys: Keys, node: String, isDurable: Bool, after record: Int, _ context: KeeperContext) {
        self.link = link
        self.keys = keys
        self.node = node
        self.isDurable = isDurable
        self.context = context
        confirmed = record
        backlog = Backlog(limits: context.limits)
        link.add(script)
    }

    // MARK: Records

    var keptThrough: Int { isDurable ? confirmed : .max }

    private var isOverfull: Bool { backlog.isFull(records: waitingCount, bytes: waitingBytes) }

    var isFull: Bool { isDurable && isOverfull }

    /// How many records Redis has not confirmed.
    var waitingCount: Int { waiting.count + (underWay?.records.count ?? 0) }

    func append(_ record: StoredRecord) {
        let isAdmitted =
            isDurable ? backlog.admits(record, records: waitingCount, bytes: waitingBytes) : !isOverfull
        guard isAdmitted else {
            missed += 1
            gap = ((gap?.count ?? 0) + 1, record)
            return
        }
        addGap()
        add(record)
    }

    /// Says in the traffic how many records were left out, before the next one that is not.
    private func addGap() {
        guard let (count, last) = gap.take() else { return }
        add(
            StoredRecord(
                TrafficRecord(record: last.number, time: last.time, direction: .toNative, event: .gap(count: count))))
    }

    private func add(_ record: StoredRecord) {
        waiting.append(record)
        waitingBytes += record.line.count
    }

    /// The records go to Redis when the round of the loop ends, because the changes of pages that belong to them come
    /// after them.
    func flush() {}

    func reopen() { tryAgain() }

    func note(_ change: PageChange, of page: KeptPage) { states.note(change, of: page) }

    // MARK: Commits

    /// Sends what waits. The loop calls it before each wait.
    func roundEnds() {
        guard underWay == nil, isChecked, retry == nil, !waiting.isEmpty || !states.isEmpty || gap != nil else {
            return
        }
        addGap()
        number += 1
        let partOfRecord = isDurable ? waiting.map { states.part(ofPage: $0.facets.page) } : waiting.map { _ in 0 }
        underWay = Commit(number: number, records: waiting, parts: states.take(), partOfRecord: partOfRecord)
        waiting = []
        send()
    }

    private func send() {
        guard let commit = underWay, !isSent, isChecked else { return }
        isSent = true
        link.send(command(commit)) { [weak self] in self?.answered($0, commit) }
    }

    private func command(_ commit: Commit) -> RedisCommand {
        var command = script.call(keys.node(node), keys.traffic, keys.count)
        command.add(node)
        command.add(commit.number)
        command.add(lastKnown())
        command.add(ClusterLimits.trafficRecords)
        command.add(keys.pageState)
        command.add(ClusterLimits.pageSeconds)
        command.add(commit.parts.count)
        for part in commit.parts { part.add(to: &command) }
        for (record, part) in zip(commit.records, commit.partOfRecord) {
            command.add(part)
            command.add(record.number)
            command.add(Array(record.line.dropLast()))
        }
        return command
    }

    private func answered(_ reply: RedisReply, _ commit: Commit) {
        isSent = false
        switch reply {
        case .list(let list):
            underWay = nil
            let stale = RedisReply.list(Array(list.dropFirst())).pairs.compactMap { document, epoch in
                epoch.number.map { (document, $0) }
            }
            // Other daemons own these pages now. First of all their sessions end here, so that what this daemon did for
            // them since is not sent.
            if !stale.isEmpty { onLost(stale) }
            confirmed = commit.records.last?.number ?? confirmed
            waitingBytes -= commit.records.reduce(0) { $0 + $1.line.count }
            if isRefused { onRefusal(nil) }
            isRefused = false
            onConfirmed()
            context.onKept()
        case .failure(let text): refused(text)
        default:
            isChecked = false
            link.distrust(reply, to: "a commit")
        }
    }

    /// Tries again later.
    private func refused(_ text: String) {
        if !isRefused { onRefusal(text) }
        isRefused = true
        retry = context.deadlines.schedule(after: .seconds(1)) { [weak self] in self?.tryAgain() }
    }

    private func tryAgain() {
        context.deadlines.cancel(retry.take())
        if isChecked { send() } else { check() }
    }

    /// Redis can be used.
    func linkIsReady() {
        isSent = false
        isChecked = false
        tryAgain()
    }

    /// Makes sure that Redis has what it had confirmed, before anything is sent on a new connection.
    private func check() {
        link.send(RedisCommand("HGET", keys.node(node), "commit")) { [weak self] reply in
            guard let self else { return }
            // The number is at least that of the commit before the one under way.
            let needed = underWay == nil ? number : number - 1
            switch reply {
            case .failure(let text): return refused(text)
            case .text, .none:
                if reply.number ?? 0 < needed { onForgotten() }
                isChecked = true
                send()
            default: link.distrust(reply, to: "HGET")
            }
        }
    }

    /// Writes what waits, with the connection but without the loop, which has ended.
    func finish(before deadline: ContinuousClock.Instant) {
        context.deadlines.cancel(retry.take())
        while link.isReady, ContinuousClock.now < deadline {
            roundEnds()
            guard link.waitingCount > 0 else { break }
            link.run(before: deadline)
        }
    }
}
