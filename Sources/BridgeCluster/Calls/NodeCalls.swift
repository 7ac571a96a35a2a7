import BridgeProtocol
import BridgeServer
import BridgeTraffic

/// Calls of control methods that one node passes on to another, through the inboxes of both. On the main actor.
@MainActor final class NodeCalls {
    private struct Call {
        let node: String
        let continuation: CheckedContinuation<Result<[UInt8], RPCError>, Never>
        let deadline: Deadlines.Token
    }

    private let node: String
    private let keys: Keys
    private let link: RedisLink
    private let server: BridgeServer
    private let deadlines: Deadlines
    private let script = RedisScript(NodeScripts.send)
    private var calls: [String: Call] = [:]
    private var count = 0
    /// The calls of other nodes that this one answers.
    private var answering: [String: Task<Void, Never>] = [:]

    init(_ link: RedisLink, _ keys: Keys, node: String, _ server: BridgeServer, _ deadlines: Deadlines) {
        self.link = link
        self.keys = keys
        self.node = node
        self.server = server
        self.deadlines = deadlines
        link.add(script)
    }

    // MARK: Calling

    /// Lets another node answer a call.
    /// - Returns: the response, as JSON text.
    /// - Throws: an error that says that there is no answer, and why.
    func call(
        _ method: String, _ params: [UInt8], on target: String, within limit: Duration
    ) async throws(RPCError) -> [UInt8] {
        count += 1
        let id = "\(node).\(count)"
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let deadline = deadlines.schedule(after: limit) { [weak self] in
                    self?.end(id, .failure(.noAnswer(from: target, within: limit)))
                    self?.send("cancel", id, to: target)
                }
                calls[id] = Call(node: target, continuation: continuation, deadline: deadline)
                send("call", id, to: target, method, params) { [weak self] error in self?.end(id, .failure(error)) }
            }
        } onCancel: {
            Task { @MainActor in
                guard self.calls[id] != nil else { return }
                self.end(id, .failure(.invalidRequest("the connection has closed")))
                self.send("cancel", id, to: target)
            }
        }
        return try result.get()
    }

    private func end(_ id: String, _ result: Result<[UInt8], RPCError>) {
        guard let call = calls.removeValue(forKey: id) else { return }
        deadlines.cancel(call.deadline)
        call.continuation.resume(returning: result)
    }

    /// Ends the calls to nodes that are gone.
    func lost(_ nodes: Set<String>) {
        for id in calls.filter({ nodes.contains($0.value.node) }).keys.sorted() {
            guard let call = calls[id] else { continue }
            end(id, .failure(.nodeGone(call.node)))
        }
    }

    private func send(
        _ kind: String, _ id: String, to target: String, _ method: String = "", _ text: [UInt8] = [],
        failed: @escaping @MainActor (RPCError) -> Void = { _ in }
    ) {
        var command = script.call(keys.nodes, keys.inbox(of: target))
        command.add(target)
        command.add(ClusterLimits.silenceMilliseconds)
        command.add(ClusterLimits.nodeSeconds)
        command.add(ClusterLimits.inboxEntries)
        for word in [kind, id, node, method] { command.add(word) }
        command.add(text)
        link.send(command) { reply in
            switch reply {
            case .number(1): break
            case .number(0): failed(.nodeGone(target))
            case .number: failed(.inboxFull(target))
            case .failure(let text): failed(.redisFailed(text))
            default: failed(.redisGone)
            }
        }
    }

    // MARK: Answering

    /// Handles an entry of this node's inbox.
    func received(_ entry: RedisReply) {
        var fields: [String: [UInt8]] = [:]
        for (name, value) in entry.pairs { fields[name] = value.bytes }
        func text(_ name: String) -> String { String(decoding: fields[name] ?? [], as: UTF8.self) }
        let id = text("id")
        switch text("kind") {
        case "call": answer(id, text("method"), fields["text"] ?? [], to: text("from"))
        case "answer": end(id, .success(fields["text"] ?? []))
        case "cancel": answering[id]?.cancel()
        default: break
        }
    }

    private func answer(_ id: String, _ method: String, _ params: [UInt8], to caller: String) {
        answering[id] = Task { [weak self] in
            guard let self else { return }
            let text = await server.answer(method, params)
            answering[id] = nil
            if !Task.isCancelled { send("answer", id, to: caller, method, text) }
        }
    }
}

extension RPCError {
    fileprivate static func noAnswer(from node: String, within limit: Duration) -> RPCError {
        RPCError(
            .waitTimedOut, "The node \(node) did not answer within \(limit.inMilliseconds).",
            data: ["timeoutMs": .number(limit.milliseconds), "node": .string(node)])
    }
    static func nodeGone(_ node: String) -> RPCError {
        RPCError(
            .documentGone,
            "The node \(node) is gone: it has had no heartbeat for \(ClusterLimits.silenceMilliseconds / 1_000) s, or "
                + "never had one. Its pages get other ids when they attach to another node. bridged info shows the nodes.",
            data: ["node": .string(node)])
    }
    fileprivate static func inboxFull(_ node: String) -> RPCError {
        RPCError(
            .queueFull, "\(ClusterLimits.inboxEntries) calls wait for the node \(node). Try again later.",
            data: ["limit": .number(Double(ClusterLimits.inboxEntries)), "node": .string(node)])
    }
    fileprivate static func redisFailed(_ text: String) -> RPCError {
        .invalidRequest("the call is for another node of the cluster, and Redis does not pass it on: \(text)")
    }
    static let redisGone = RPCError.invalidRequest(
        "the cluster's Redis cannot be reached now, so this node knows only its own pages. "
            + "The problem clusterUnreachable in its log says why.")
}
