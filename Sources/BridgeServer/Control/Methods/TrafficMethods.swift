import BridgeProtocol
import BridgeTraffic

/// Searches in the traffic, and follows it. On the main actor.
@MainActor struct TrafficMethods {
    let nodes: ClusterNodes
    /// The traffic of this daemon alone.
    let own: TrafficLog
    let deadlines: Deadlines
    /// The greatest size of an answer in bytes.
    let answerBytes: Int

    private var traffic: TrafficLog { nodes.traffic }

    func install(in dispatcher: ControlDispatcher) {
        dispatcher.on(QueryTraffic.self) { params, caller throws(RPCError) in
            let found = try await find(params, caller)
            let isPart = found.next < traffic.lastRecord
            return ControlResult(members: { writer in
                writer.member("records", found.records)
                writer.member("next", found.next)
                writer.member("more", isPart)
            })
        }
        dispatcher.on(WaitForMessage.self) { params, _ throws(RPCError) in
            do {
                return ControlResult(
                    try await traffic.next(
                        params.filter, match: params.match, after: params.after, timeout: params.timeout))
            } catch {
                // The call was cancelled because the connection has closed, so this error is not sent.
                throw error as? RPCError ?? .invalidRequest("the connection has closed")
            }
        }
        dispatcher.on(NoteInTraffic.self) { params, _ in
            let record = own.append(
                .app(event: "note", fields: [.init("text", .string(params.text))]), .toNative, nil, isByTool: true)
            return ControlResult(members: { $0.member("record", record) })
        }
        dispatcher.on(SubscribeToTraffic.self) { params, caller throws(RPCError) in
            try subscribe(params, try caller.connection)
        }
        dispatcher.on(UnsubscribeFromTraffic.self) { params, caller throws(RPCError) in
            let connection = try caller.connection
            guard let subscription = connection.subscriptions.removeValue(forKey: params.subscription) else {
                throw .noSuch("subscription", params.subscription, connection.subscriptions.keys.sorted())
            }
            subscription.cancel()
            return .empty
        }
    }

    /// An answer may be large, so the searches of one tool that read the archive take turns: the next one begins after
    /// this one's answer is sent, if there is room for another.
    private func find(
        _ params: QueryTraffic, _ caller: ControlCaller
    ) async throws(RPCError) -> (records: [StoredRecord], next: Int) {
        func find() async -> (records: [StoredRecord], next: Int) {
            let found = await traffic.find(
                params.filter, after: params.after, limit: params.limit, bytes: answerBytes)
            return (found.records, found.next)
        }
        switch caller {
        case .connection(let connection):
            await connection.searches.begin()
            defer { connection.searches.end() }
            if connection.channel.isFull { try await connection.waitForRoom() }
            return await find()
        case .http(let answers):
            await answers.searches.begin()
            defer { answers.searches.end() }
            try answers.checkRoom()
            return await find()
        case .node: return await find()
        }
    }

    private func subscribe(
        _ params: SubscribeToTraffic, _ connection: ControlConnection
    ) throws(RPCError) -> ControlResult {
        let limit = ControlConnection.subscriptionLimit
        guard connection.subscriptions.count < limit else {
            throw RPCError(
                .queueFull,
                "A connection has at most \(limit) subscriptions. Cancel some, or give one a wider filter.",
                data: ["limit": .number(Double(limit))])
        }
        let id = connection.nextSubscription()
        let follower = TrafficFollower(
            traffic, deadlines, params.filter, after: params.after ?? traffic.lastRecord,
            isCrowded: { connection.channel.isCrowded },
            send: { record in
                connection.channel.send { writer in
                    writer.notification("traffic.record") { writer in
                        writer.member("subscription", id)
                        writer.member("record", record)
                    }
                }
            })
        connection.subscriptions[id] = follower
        var result = ControlResult(members: { $0.member("subscription", id) })
        // The records must come after the answer, which contains the id of the subscription. The connection may have
        // closed by then.
        result.afterSending = { if connection.subscriptions[id] != nil { follower.start() } }
        return result
    }
}

extension ControlCaller {
    fileprivate var connection: ControlConnection {
        get throws(RPCError) {
            guard case .connection(let connection) = self else {
                throw .invalidRequest(
                    "a subscription needs a connection. Call this method on /control, or GET /traffic?follow=1")
            }
            return connection
        }
    }
}
