import BridgeProtocol
import BridgeTraffic

extension Control {
    func addTrafficMethods() {
        dispatcher.on(QueryTraffic.self) { [unowned self, limits] params, _ in
            let found = traffic.query(
                params.filter, after: params.after, limit: params.limit, bytes: limits.messageBytes)
            let isPart = found.next < traffic.lastRecord
            return ControlResult(members: { writer in
                writer.member("records", found.records)
                writer.member("next", found.next)
                writer.member("more", isPart)
            })
        }
        dispatcher.on(WaitForMessage.self) { [unowned self] params, _ throws(RPCError) in
            do {
                return ControlResult(
                    try await traffic.next(
                        params.filter, match: params.match, after: params.after, timeout: params.timeout))
            } catch {
                // The call was cancelled because the connection has closed, so this error is not sent.
                throw error as? RPCError ?? .invalidRequest("the connection has closed")
            }
        }
        dispatcher.on(SubscribeToTraffic.self) { [unowned self] params, caller throws(RPCError) in
            let connection = try caller.connection
            guard connection.subscriptions.count < ControlConnection.subscriptionLimit else {
                throw .tooManySubscriptions
            }
            let id = connection.nextSubscription()
            let follower = TrafficFollower(
                traffic, parts.deadlines, params.filter, after: params.after ?? traffic.lastRecord,
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
            // The records must come after the answer, which contains the id of the subscription. The connection may
            // have closed by then.
            result.afterSending = { if connection.subscriptions[id] != nil { follower.start() } }
            return result
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
}

extension RPCError {
    fileprivate static let tooManySubscriptions = RPCError(
        .queueFull,
        "A connection has at most \(ControlConnection.subscriptionLimit) subscriptions. Cancel some, or give one a wider filter.",
        data: ["limit": .number(Double(ControlConnection.subscriptionLimit))])
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
