import BridgeProtocol
import BridgeServer
import BridgeTraffic
import Foundation

/// A connection to Redis that is opened again when it ends. On the main actor.
@MainActor package final class RedisLink {
    /// Opens a connection, which passes on what happens to it.
    package typealias Connect =
        @MainActor (
            RedisAddress.Endpoint, RedisAddress.TLS?, _ onEvent: @escaping @MainActor (RedisEvent) -> Void
        ) throws(RedisAddress.Mistake) -> any RedisTransport

    /// How long Redis may take to answer before the connection counts as broken.
    private static let patience = Duration.seconds(10)
    /// The time after which a new connection counts as one that works.
    private static let probation = Duration.seconds(1)

    private let address: RedisAddress
    private let makeConnection: Connect
    private let deadlines: Deadlines
    private var scripts: [RedisScript] = []
    private var state = LinkState()
    private var connection: (any RedisTransport)?
    private var watch: Deadlines.Token?
    private var settling: Deadlines.Token?
    /// How many commands have been answered.
    private var answers = 0

    /// Called when Redis can be used.
    var onReady: @MainActor (RedisInfo) -> Void = { _ in }
    /// Called when Redis cannot be used any more, and for each attempt that fails: why, and whether that is new.
    var onFailure: @MainActor (_ reason: String, _ isNew: Bool) -> Void = { _, _ in }
    /// Called when Redis can be used after a failure that was reported.
    var onRecovery: @MainActor () -> Void = {}
    /// Called before each wait of the loop while there is a connection.
    var onRoundEnd: @MainActor () -> Void = {}

    init(_ address: RedisAddress, _ deadlines: Deadlines, _ connect: @escaping Connect) {
        self.address = address
        makeConnection = connect
        self.deadlines = deadlines
    }

    /// From the next connection on, Redis knows the script.
    func add(_ script: RedisScript) { scripts.append(script) }

    var isReady: Bool { state.phase == .ready }

    // MARK: Life

    func connect() {
        guard state.connect() else { return }
        guard case .host(let host, let port) = address.endpoint else { return open(address.endpoint) }
        // A look-up may take seconds.
        Thread.detachNewThread { [weak self] in
            let found = LocalNames.systemResolver(host).first
            DispatchQueue.main.async {
                MainActor.assumeIsolated {
                    guard let self else { return }
                    guard let found else { return self.fail("the host \(host) has no address") }
                    self.open(.host(found, port: port))
                }
            }
        }
    }

    private func open(_ endpoint: RedisAddress.Endpoint) {
        guard state.phase == .connecting else { return }
        do throws(RedisAddress.Mistake) {
            connection = try makeConnection(endpoint, address.tls) { [weak self] event in
                switch event {
                case .opened: self?.greet()
                case .roundEnds: self?.roundEnds()
                case .ended(let reason): self?.fail(reason)
                }
            }
            watchAnswers()
        } catch {
            fail(error.description)
        }
    }

    private func roundEnds() {
        if isReady { onRoundEnd() }
    }

    /// Signs in, and loads the scripts.
    private func greet() {
        guard let connection else { return }
        if let password = address.password {
            var command = RedisCommand("AUTH")
            if let user = address.user { command.add(user) }
            command.add(password)
            connection.send(command) { [weak self] in self?.check($0, "AUTH", $0.string == "OK") }
        }
        if address.database != 0 {
            let select = RedisCommand("SELECT", "\(address.database)")
            connection.send(select) { [weak self] in self?.check($0, "SELECT", $0.string == "OK") }
        }
        var info: RedisInfo?
        connection.send(RedisCommand("INFO")) { [weak self] reply in
            self?.check(reply, "INFO", reply.bytes != nil)
            info = reply.string.map(RedisInfo.init)
            if let objection = info?.objection { self?.fail(objection) }
        }
        for script in scripts {
            connection.send(RedisCommand("SCRIPT", "LOAD", script.text)) { [weak self] reply in
                self?.check(reply, "SCRIPT LOAD", reply.bytes?.count == RedisScript.digestLength)
                script.digest = reply.string ?? ""
            }
        }
        connection.send(RedisCommand("PING")) { [weak self] reply in
            self?.check(reply, "PING", reply.string == "PONG")
            guard let self, let info, state.succeeded() else { return }
            settling = deadlines.schedule(after: RedisLink.probation) { [weak self] in
                if self?.state.settled() == true { self?.onRecovery() }
            }
            onReady(info)
        }
    }

    /// Checks an answer while the connection begins.
    private func check(_ reply: RedisReply, _ command: String, _ isRight: Bool) {
        answers += 1
        if case .failure(let text) = reply { fail(text) } else if !isRight { distrust(reply, to: command) }
    }

    /// Ends a connection to a server that does not answer as Redis does.
    func distrust(_ reply: RedisReply, to command: String) {
        guard reply != .lost else { return }
        fail("it does not answer as Redis does (\(reply.kind) to \(command))")
    }

    /// Ends the connection, and begins another one later.
    func fail(_ reason: String) {
        guard let (isNew, wait) = state.failed() else { return }
        deadlines.cancel(watch.take())
        deadlines.cancel(settling.take())
        connection.take()?.close()
        onFailure(reason, isNew)
        deadlines.schedule(after: wait) { [weak self] in self?.connect() }
    }

    func close() {
        state.close()
        deadlines.cancel(watch.take())
        deadlines.cancel(settling.take())
        connection.take()?.close()
    }

    /// How many commands have no answer yet.
    var waitingCount: Int { connection?.waitingCount ?? 0 }

    /// Waits for the answers to all commands, after the loop has ended.
    func run(before deadline: ContinuousClock.Instant) { connection?.run(before: deadline) }

    /// Ends a connection on which nothing is answered any more: the network or the machine of Redis may be gone.
    private func watchAnswers() {
        let before = answers
        watch = deadlines.schedule(after: RedisLink.patience) { [weak self] in
            guard let self, let connection else { return }
            guard connection.waitingCount == 0 && isReady || answers != before else {
                let isShakingHands = address.tls != nil && !connection.isOpen
                let what = isShakingHands ? "answered the TLS handshake" : "answered"
                return fail("it has not \(what) for \(Int(RedisLink.patience.seconds)) s")
            }
            watchAnswers()
        }
    }

    // MARK: Commands

    /// Whether another connection may help. Somebody has made Redis forget the scripts, which are loaded when a connection
    /// is opened; or another Redis has become the primary, and the address may lead there by now.
    private static func endsConnection(_ error: String) -> Bool {
        ["NOSCRIPT", "READONLY", "UNBLOCKED", "MASTERDOWN"].contains { error.hasPrefix($0) }
    }

    /// Sends a command. Without a connection it is answered with `lost` at once.
    func send(_ command: RedisCommand, _ completion: @escaping @MainActor (RedisReply) -> Void = { _ in }) {
        guard isReady, let connection else { return completion(.lost) }
        connection.send(command) { [weak self] reply in
            self?.answers += 1
            completion(reply)
            if case .failure(let text) = reply, RedisLink.endsConnection(text) { self?.fail(text) }
        }
    }
}

/// A connection to Redis, as a link uses it. A simulation has its own. On the main actor.
@MainActor package protocol RedisTransport: AnyObject {
    /// Whether commands can be sent.
    var isOpen: Bool { get }
    /// How many commands have no answer yet.
    var waitingCount: Int { get }
    /// Sends a command. `completion` is called once, with `lost` if the connection ends first.
    func send(_ command: RedisCommand, _ completion: @escaping @MainActor (RedisReply) -> Void)
    /// Reads and writes without the loop, until every command is answered or the time is over.
    func run(before deadline: ContinuousClock.Instant)
    /// Ends the connection now. Commands without an answer get `lost`, and no event follows.
    func close()
}

/// What happens to a connection to Redis.
package enum RedisEvent: Sendable {
    case opened
    /// The loop is about to wait. What is sent now goes out before that.
    case roundEnds
    /// The connection has ended, or could not be opened. Nothing follows.
    case ended(String)
}

/// A Lua script, which Redis runs as one step: no other command comes between its commands.
@MainActor final class RedisScript {
    /// The digest is a SHA-1 in hexadecimal digits.
    fileprivate static let digestLength = 40

    let text: String
    /// Redis's name for the script, once it is loaded.
    fileprivate(set) var digest = ""

    init(_ text: String) { self.text = text }

    /// A call of the script.
    /// - Parameter keys: all keys of a cluster are in one slot, so the others may be computed.
    func call(_ keys: String...) -> RedisCommand {
        var command = RedisCommand("EVALSHA", digest, "\(keys.count)")
        for key in keys { command.add(key) }
        return command
    }
}
