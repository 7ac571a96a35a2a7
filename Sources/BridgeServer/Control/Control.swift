import BridgeProtocol
import BridgeTraffic

/// The control channel: `/control` and `POST /rpc`. On the main actor. The methods are in `Methods/`.
@MainActor final class Control {
    private static let unaskedResponse = RPCError.invalidRequest(
        "this is a response, but the daemon sends no requests to tools")

    let daemon: DaemonMethods
    let appMethods = AppMethods()
    let nodes: ClusterNodes
    let loads: PageLoads
    private let limits: BridgeServer.Configuration.Limits
    private let memory: MemoryShare
    private let traffic: TrafficLog
    private let deadlines: Deadlines
    private let dispatcher: ControlDispatcher
    private let metrics = Metrics()
    /// The calls that each `POST /rpc` waits for.
    private var requests: [ConnectionID: [Task<[UInt8]?, Never>]] = [:]
    private var connections: [ConnectionID: ControlConnection] = [:] {
        didSet { metrics.tools = connections.count }
    }

    init(_ parts: ServerParts) {
        let documents = parts.documents
        (limits, memory, traffic) = (documents.limits, parts.memory.calls, documents.traffic)
        deadlines = parts.deadlines
        nodes = ClusterNodes(documents)
        dispatcher = ControlDispatcher(nodes)
        daemon = DaemonMethods(documents, nodes, metrics)
        let pages = PageWaiters(documents) { [appMethods] in appMethods.app.map(\.visibleWebView) ?? "main" }
        loads = PageLoads(parts: parts, waiters: pages) { [appMethods] in appMethods.app?.visit(in: $0) ?? .none }
        traffic.count(with: metrics)
        daemon.install(in: dispatcher)
        PageMethods(parts: parts, nodes: nodes, pages: pages, loads: loads).install(in: dispatcher)
        ScreenMethods(pages: pages, webViews: parts.webViews).install(in: dispatcher)
        ScriptMethods(pages: pages).install(in: dispatcher)
        HandlerMethods(webViews: parts.webViews).install(in: dispatcher)
        FaultMethods(documents: documents, webViews: parts.webViews).install(in: dispatcher)
        MessageMethods(delivery: parts.delivery, pages: pages, timeout: limits.evaluationTimeout)
            .install(in: dispatcher)
        appMethods.install(in: dispatcher, loads)
        ResetMethods(documents: documents, webViews: parts.webViews, appMethods: appMethods).install(in: dispatcher)
        TrafficMethods(
            nodes: nodes, own: documents.traffic, deadlines: parts.deadlines, answerBytes: limits.messageBytes
        )
        .install(in: dispatcher)
    }

    /// The OpenRPC document of all control methods.
    var openRPC: OpenRPCDocument { daemon.openRPC(of: dispatcher.methods) }

    // MARK: /control

    func opened(_ channel: Channel) { connections[channel.id] = ControlConnection(channel: channel, deadlines) }

    func closed(_ channel: Channel) { connections.removeValue(forKey: channel.id)?.close() }

    func received(_ result: Result<JSON, JSONParseError>, on channel: Channel) {
        guard let connection = connections[channel.id] else { return }
        switch result {
        case .success(let json):
            let messages = RPCFrame(json).messages
            guard messages.count <= limits.batchMessages else {
                return refuse(.batchTooLong(messages.count, limit: limits.batchMessages), id: .null, connection)
            }
            for message in messages where !connection.isClosing { receive(message, from: connection) }
        case .failure(let error):
            refuse(.parseError(error), id: .null, connection)
        }
    }

    private func receive(_ message: RPCMessage, from connection: ControlConnection) {
        switch message {
        case .request(let id, _, _): run(message, id, connection)
        case .notification: run(message, .null, connection)
        case .malformed(let id, let error): refuse(error, id: id, connection)
        case .success(let id, _), .failure(let id, _): refuse(Control.unaskedResponse, id: id, connection)
        }
    }

    private func run(_ message: RPCMessage, _ id: RequestID, _ connection: ControlConnection) {
        guard connection.waitingCalls < limits.waitingCalls else {
            return connection.channel.send(tooManyCalls(id).write)
        }
        connection.run { [self] in
            let response = await response(to: message, .connection(connection))
            if let response { connection.channel.send(response.write) }
            response?.isWrong == true ? countError(of: connection) : (connection.errors = 0)
            response?.afterSending?()
            connection.beginHeldCall()
        }
    }

    /// Answers a message that is not JSON-RPC with an error.
    private func refuse(_ error: RPCError, id: RequestID, _ connection: ControlConnection) {
        connection.channel.send { $0.error(id: id, error) }
        countError(of: connection)
    }

    /// Closes the connection after `Limits.errors` wrong messages, as for pages.
    private func countError(of connection: ControlConnection) {
        connection.errors += 1
        guard connection.errors >= limits.errors, !connection.isClosing else { return }
        connection.isClosing = true
        connection.channel.close(.policyViolation, "too many errors")
    }

    // MARK: /rpc

    /// Runs the calls of a `POST /rpc`. They begin in order and continue concurrently; the responses are in order.
    ///
    /// A batch ends after `Limits.errors` messages that are not JSON-RPC.
    /// - Returns: the JSON text of the response or of the batch; nil if there is none.
    func answers(_ frame: RPCFrame, of request: ConnectionID) async -> [UInt8]? {
        let answers = HeldAnswers(memory: memory, limit: limits.waitingBytes)
        guard frame.messages.count <= limits.batchMessages else {
            return answers.text(
                of: .error(.batchTooLong(frame.messages.count, limit: limits.batchMessages), .null), .null)
        }
        var calls: [Task<[UInt8]?, Never>] = []
        var errors = 0
        for (index, message) in frame.messages.enumerated() {
            if case .malformed = message { errors += 1 }
            calls.append(Task { await answer(message, at: index, answers) })
            if errors >= limits.errors, index + 1 < frame.messages.count {
                let error = RPCError.invalidRequest("too many errors; the rest of the batch was not read")
                calls.append(Task { answers.text(of: .error(error, .null), .null) })
                break
            }
        }
        requests[request] = calls
        let count = calls.count
        calls = []
        var texts: [[UInt8]] = []
        for index in 0..<count {
            if let text = await requests[request]?[index].value { texts.append(text) }
        }
        requests[request] = nil
        if let refusal = answers.refusal { traffic.report(refusal) }
        return frame.isBatch ? answers.batch(&texts) : texts.first
    }

    private func answer(_ message: RPCMessage, at index: Int, _ answers: HeldAnswers) async -> [UInt8]? {
        guard index < limits.waitingCalls, !answers.isFull else {
            guard case .request(let id, _, _) = message else { return nil }
            return answers.isFull ? answers.refusedText(id) : answers.text(of: tooManyCalls(id), id)
        }
        return await response(to: message, .http(answers)).map { answers.text(of: $0, message.responseID) }
    }

    /// Cancels the calls of a request whose client has left.
    func abandoned(_ request: ConnectionID) {
        for call in requests[request] ?? [] { call.cancel() }
    }

    // MARK: Calls

    /// Answers a call that another node of the cluster has passed on.
    /// - Returns: the JSON text of the response.
    func answer(_ method: String, _ params: JSON?) async -> [UInt8] {
        var writer = JSONWriter()
        await response(to: .request(id: .null, method: method, params: params), .node)?.write(&writer)
        return writer.bytes
    }

    /// Handles a message.
    /// - Returns: nil if the message needs no response. JSON-RPC has none for a notification, but on a connection the
    ///   daemon answers a failed one with an error whose id is null.
    private func response(to message: RPCMessage, _ caller: ControlCaller) async -> ControlResponse? {
        switch message {
        case .request(let id, let method, let params):
            do throws(RPCError) {
                let result = try await call(method, params, caller)
                return ControlResponse(write: { $0.result(id: id, result) }, afterSending: result.afterSending)
            } catch {
                return .error(error, id)
            }
        case .notification(let method, let params):
            do throws(RPCError) {
                try await call(method, params, caller).afterSending?()
                return nil
            } catch {
                guard case .connection = caller else { return nil }
                return .error(error, .null)
            }
        case .malformed(let id, let error): return .error(error, id)
        case .success(let id, _), .failure(let id, _): return .error(Control.unaskedResponse, id)
        }
    }

    /// Records that a tool has too many unanswered calls.
    /// - Returns: the error response to the call that is refused.
    private func tooManyCalls(_ id: RequestID) -> ControlResponse {
        let limit = limits.waitingCalls
        let refusal = Refusal(
            code: .tooManyCalls, text: "A tool made one more call while \(limit) of its calls wait for their answers.",
            hint:
                "Wait for some answers first, or start the daemon with a higher \(setting("max-waiting-calls", "limits.waitingCalls"))."
        )
        traffic.report(refusal)
        return .error(
            RPCError(.queueFull, "\(refusal.text) \(refusal.hint)", data: ["limit": .number(Double(limit))]), id)
    }

    private func call(
        _ method: String, _ params: JSON?, _ caller: ControlCaller
    ) async throws(RPCError) -> ControlResult {
        do throws(RPCError) {
            let size = params?.memory ?? 0
            guard memory.take(size) else {
                throw RPCError(
                    .queueFull,
                    "There is no room for this call among the \(memory.limit) bytes for all. Try again later, or raise \(setting("max-memory-bytes", "limits.memoryBytes")).",
                    data: ["limit": .number(Double(memory.limit))])
            }
            defer { memory.release(size) }
            if case .connection(let connection) = caller { try await connection.waitForRoom() }
            let result = try await dispatcher.call(method, params, caller)
            metrics.countCall(method, failed: false)
            traffic.flush()
            return result
        } catch {
            // The names of unknown methods are not counted one by one, because a client could send any number of them.
            metrics.countCall(error.code == .methodNotFound ? "unknown" : method, failed: true)
            traffic.flush()
            throw error
        }
    }
}

/// A JSON-RPC response.
struct ControlResponse: Sendable {
    let write: @Sendable (inout JSONWriter) -> Void
    /// Runs after the response has been sent on a connection.
    var afterSending: (@MainActor @Sendable () -> Void)?
    /// Whether the message called an unknown method or had wrong params.
    var isWrong = false

    static func error(_ error: RPCError, _ id: RequestID) -> ControlResponse {
        let isWrong = error.code == .methodNotFound || error.code == .invalidParams
        return ControlResponse(write: { $0.error(id: id, error.withPage) }, isWrong: isWrong)
    }
}

extension RPCMessage {
    fileprivate var responseID: RequestID {
        switch self {
        case .request(let id, _, _), .malformed(let id, _), .success(let id, _), .failure(let id, _): id
        case .notification: .null
        }
    }
}
