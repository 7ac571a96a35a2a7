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

        /// The pages that Redis has left out.
        /// - Parameter answer: their documents and epochs.
        func leftOut(_ answer: [(name: String, value: RedisReply)]) -> [LeftOut] {
            parts.enumerated().compactMap { index, part in
                let page = part.page
                guard answer.contains(where: { $0.name == page.document && $0.value.number == page.epoch }) else {
                    return nil
                }
                let records = zip(records, partOfRecord).lazy.filter { $1 == index + 1 }.map(\.0)
                return LeftOut(page: page, messages: records.filter { $0.facets.kind == .message }.map(\.number))
            }
        }
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
    /// The number up to which Redis has the records, while it lacks the states of pages that belong to them.
    private var written: Int?
    /// How many records were left out because too many waited.
    private(set) var missed = 0
    private var gap: (count: Int, last: StoredRecord)?

    /// The number in the cluster of the latest record that this node knows.
    var lastKnown: @MainActor () -> Int = { 0 }
    /// Called when Redis has confirmed something.
    var onConfirmed: @MainActor () -> Void = {}
    /// Called with the pages that other nodes own.
    var onLost: @MainActor ([LeftOut]) -> Void = { _ in }
    /// Called if Redis has lost what it had confirmed: the states of these documents are to be noted again, or those of
    /// all.
    var onForgotten: @MainActor (_ documents: [String]?) -> Void = { _ in }
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

    var name: String { "the cluster's Redis" }
    var remedy: String { "use a faster Redis" }
    var isFailing: Bool { isRefused || !isChecked }

    /// How many records Redis has not confirmed.
    var waitingCount: Int { waiting.count + (underWay?.records.count ?? 0) }

    func isFull(withMore more: RecordCount) -> Bool {
        isDurable && backlog.isFull(records: waitingCount + more.records, bytes: waitingBytes + more.bytes)
    }

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
            waitingBytes -= commit.records.reduce(0) { $0 + $1.line.count }
            if isRefused { onRefusal(nil) }
            isRefused = false
            let pairs = RedisReply.list(Array(list.dropFirst())).pairs
            // Other daemons own these pages now. First of all their sessions end here, so that what this daemon did for
            // them since is not sent.
            let lost = commit.leftOut(pairs)
            if !lost.isEmpty { onLost(lost) }
            let forgotten = pairs.filter { $0.value.bytes?.isEmpty == true }.map(\.name)
            if !forgotten.isEmpty { onForgotten(forgotten) }
            confirm(through: commit.records.last?.number ?? written ?? confirmed, isLater: !forgotten.isEmpty)
        case .failure(let text): refused(text)
        default:
            isChecked = false
            link.distrust(reply, to: "a commit")
        }
    }

    /// - Parameter isLater: whether the states of pages that belong to the records come with the next commit. Until then
    ///   the pages must not know.
    private func confirm(through record: Int, isLater: Bool) {
        written = isLater && !states.isEmpty ? record : nil
        guard written == nil else { return }
        confirmed = record
        onConfirmed()
        context.onKept()
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
                if reply.number ?? 0 < needed { onForgotten(nil) }
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

/// A page whose changes Redis has left out, because another node owns it.
struct LeftOut {
    let page: KeptPage
    /// The numbers of the records of its messages, which were left out, too.
    let messages: [Int]
}
