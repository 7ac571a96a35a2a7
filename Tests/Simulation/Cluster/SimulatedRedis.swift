import BridgeCluster
import BridgeProtocol

/// The Redis of a simulated cluster: a real one, whose connections are queues. A step lets it run one command.
@MainActor final class SimulatedRedis {
    static let prefix = "bridged:{test}:"

    let process: RedisProcess
    private let invariants: ClusterInvariants
    private let mistake: ClusterMistake?
    /// Whether it runs no commands now.
    var isHung = false
    /// Commands of connections that have ended, which may still arrive.
    var late: [RedisCommand] = []
    /// The ID of the last entry of the traffic that was looked at.
    private var position = "0-0"
    /// What a replica has, by key.
    private var replica: [(key: String, value: [UInt8])] = []

    init(_ process: RedisProcess, _ invariants: ClusterInvariants, _ mistake: ClusterMistake?) {
        (self.process, self.invariants, self.mistake) = (process, invariants, mistake)
        heal()
        process.run("FLUSHALL")
    }

    func heal() {
        isHung = false
        process.run("CONFIG", "SET", "maxmemory", "0")
    }

    func run(_ command: RedisCommand) -> RedisReply {
        let reply = process.run(mistake?.altered(command) ?? command)
        lookAtTraffic()
        return reply
    }

    /// Reads the entries that are new.
    private func lookAtTraffic() {
        let entries = process.run("XRANGE", Self.prefix + "traffic", "(\(position)", "+").list
        for entry in entries where entry.list.count == 2 {
            position = entry.list[0].string ?? position
            let fields = Dictionary(entry.list[1].pairs.map { ($0.name, $0.value) }) { first, _ in first }
            guard let node = fields["node"]?.string, let record = fields["record"]?.number,
                let json = fields["line"]?.bytes.flatMap({ try? JSON.parse($0) }),
                json["kind"]?.stringEquals("message") == true, let message = json["body"]?.wholeNumber
            else { continue }
            invariants.entered(message, node: node, record: record)
        }
    }

    // MARK: Faults

    func apply(_ fault: RedisFault, _ index: Int) {
        let prefix = Self.prefix
        switch fault {
        case .flush:
            invariants.statesAreLost()
            process.run("FLUSHALL")
            position = "0-0"
        case .deleteTraffic:
            process.run("DEL", prefix + "traffic")
            position = "0-0"
        case .deleteCount: process.run("DEL", prefix + "records")
        case .deletePage:
            invariants.statesAreLost()
            process.run("DEL", prefix + "page:d\(index % ClusterSystem.pageCount + 1)")
        case .deleteNode:
            invariants.statesAreLost()
            for key in keys where key.hasPrefix(prefix + "node:") { process.run("DEL", key) }
        case .setCount:
            let values = ["9007199254740993", "x", "-7", "281474976710656", "281474976710600", "1.5", "nan"]
            process.run("SET", prefix + "records", values[index % values.count])
        case .foreignEntry: process.run("XADD", prefix + "traffic", "*", "foreign", "entry")
        case .endOfNumbers: process.run("XADD", prefix + "traffic", "18446744073709551614-1", "foreign", "entry")
        case .wrongTypes:
            let name = index.isMultiple(of: 2) ? "traffic" : "records"
            // A Redis that is full refuses it.
            if process.run("SET", prefix + name, "x").string == "OK", name == "traffic" { position = "0-0" }
        case .fill: process.run("CONFIG", "SET", "maxmemory", "1")
        case .hang: isHung = true
        case .heal: repair()
        case .replicate:
            replica = keys.compactMap { key in process.run("DUMP", key).bytes.map { (key, $0) } }
        case .failOver: break
        }
    }

    private var keys: [String] { process.run("KEYS", "*").list.compactMap(\.string).sorted() }

    /// The replica becomes the primary. What it has not got is lost.
    func failOver() {
        invariants.statesAreLost()
        process.run("FLUSHALL")
        for (key, value) in replica {
            var command = RedisCommand("RESTORE", key, "0")
            command.add(value)
            process.run(command)
        }
        let pairs = process.run("XINFO", "STREAM", Self.prefix + "traffic").pairs
        position = pairs.first { $0.name == "last-generated-id" }?.value.string ?? "0-0"
        late = []
    }

    /// Does what the hints of problems say.
    func repair() {
        heal()
        let traffic = Self.prefix + "traffic"
        let pairs = process.run("XINFO", "STREAM", traffic)
        let last = pairs.pairs.first { $0.name == "last-generated-id" }?.value.string ?? "0"
        var isBroken = false
        if case .failure(let text) = pairs { isBroken = text.hasPrefix("WRONGTYPE") }
        guard isBroken || UInt64(last.prefix { $0 != "-" }) ?? 0 > 281_474_976_600_000 else { return }
        process.run("DEL", traffic)
        position = "0-0"
    }
}

enum RedisFault: String, CaseIterable, CustomDebugStringConvertible, Sendable {
    case flush, deleteTraffic, deleteCount, deletePage, deleteNode, setCount, foreignEntry, endOfNumbers, wrongTypes
    case fill, hang, heal, replicate, failOver

    var debugDescription: String { rawValue }
}

/// A connection of a node to Redis: commands on their way there, and answers on their way back.
@MainActor final class SimulatedRedisConnection: RedisTransport {
    private unowned let redis: SimulatedRedis
    let onEvent: @MainActor (RedisEvent) -> Void
    private(set) var isOpen = false
    private var hasEnded = false
    private var commands: [(RedisCommand, @MainActor (RedisReply) -> Void)] = []
    private var answers: [(RedisReply, @MainActor (RedisReply) -> Void)] = []

    init(_ redis: SimulatedRedis, onEvent: @escaping @MainActor (RedisEvent) -> Void) {
        (self.redis, self.onEvent) = (redis, onEvent)
    }

    var waitingCount: Int { commands.count + answers.count }
    var isAlive: Bool { !hasEnded }

    func send(_ command: RedisCommand, _ completion: @escaping @MainActor (RedisReply) -> Void) {
        guard !hasEnded else { return completion(.lost) }
        commands.append((command, completion))
    }

    func open() {
        guard !isOpen, !hasEnded else { return }
        isOpen = true
        onEvent(.opened)
    }

    /// Lets Redis run the next command. One that waits for traffic stays first until there is some.
    /// - Parameter isPatient: whether the wait has not timed out.
    /// - Returns: whether a command was run.
    @discardableResult
    func execute(isPatient: Bool) -> Bool {
        guard isOpen, !redis.isHung, let (command, completion) = commands.first else { return false }
        let reply = redis.run(command.withoutBlocking)
        guard reply != .none || !command.blocks || !isPatient else { return false }
        commands.removeFirst()
        answers.append((reply, completion))
        return true
    }

    /// The node reads the next answer.
    @discardableResult
    func answer() -> Bool {
        guard !hasEnded, !answers.isEmpty else { return false }
        let (reply, completion) = answers.removeFirst()
        completion(reply)
        return true
    }

    /// The connection breaks. What Redis has not run may arrive later.
    func cut() {
        guard !hasEnded else { return }
        close()
        onEvent(.ended("it was cut"))
    }

    func run(before deadline: ContinuousClock.Instant) {}

    func close() {
        guard !hasEnded else { return }
        (hasEnded, isOpen) = (true, false)
        redis.late += commands.map(\.0).filter { !$0.blocks }
        let completions = answers.map(\.1) + commands.map(\.1)
        (commands, answers) = ([], [])
        for completion in completions { completion(.lost) }
    }

    /// The node has died. Nothing of it is called any more.
    func abandon() {
        (hasEnded, isOpen) = (true, false)
        redis.late += commands.map(\.0).filter { !$0.blocks }
        (commands, answers) = ([], [])
    }
}

extension RedisCommand {
    private static let block = Array("$5\r\nBLOCK\r\n$4\r\n2000\r\n".utf8)

    var blocks: Bool { bytes.prefix(64).split(separator: 13).dropFirst().first?.elementsEqual("\nXREAD".utf8) == true }

    /// The same without its wait, because the simulation must not wait.
    var withoutBlocking: RedisCommand {
        guard blocks else { return self }
        return RedisCommand("XREAD", "COUNT", "512", "STREAMS").adding(words: words.suffix(4))
    }

    /// The words of a command whose words are texts.
    var words: [String] {
        let parts = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n")
        return stride(from: 1, to: parts.count, by: 2).map { parts[$0] }
    }

    private func adding(words: some Sequence<String>) -> RedisCommand {
        var command = self
        for word in words { command.add(word) }
        return command
    }
}
