import BridgeProtocol
import BridgeServer
import TestSupport
import Testing

/// Pages that send many messages at once take turns with the others.
@MainActor @Suite(.timeLimit(.minutes(2))) struct TurnTests {
    private static let batchSize = 1_000

    /// A batch of messages to the handler `count`.
    private func batch(from first: Int) -> String {
        let posts = (first..<first + Self.batchSize).map { PageClient.post("\($0)", seq: $0, to: "count") }
        return "[\(posts.joined(separator: ","))]"
    }

    @Test func otherPagesHaveTheirTurn_betweenTheMessagesOfABatch() async throws {
        try await withServer { server, address in
            var order: [String] = []
            let (busy, _) = try await PageClient.attach(port: address.port, document: "busy")
            let (other, _) = try await PageClient.attach(port: address.port, document: "other", webView: "modal")
            server.addHandler(
                "count",
                .plain { body, _ in
                    // The other page posts when the batches have begun.
                    if order.isEmpty { other.send(PageClient.post("\"other\"", seq: 1, to: "other")) }
                    order.append("\(body)")
                    return .handled
                })
            server.addHandler(
                "other",
                .plain { _, _ in
                    order.append("other")
                    return .handled
                })
            for first in [1, 1_001, 2_001, 3_001] { busy.send(batch(from: first)) }
            while try await busy.next("method", "page.ack")["params"]?["seq"]?.number != 4_000 {}
            let numbers = order.filter { $0 != "other" }
            #expect(numbers == (1...4_000).map(String.init), "each message is handled once, and in order")
            #expect(order.count == 4_001 && order.last != "other")
        }
    }

    /// A page that goes does not send its messages again.
    @Test func whatHasArrivedIsHandled_ifTheConnectionCloses() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            let (other, _) = try await PageClient.attach(port: address.port, document: "other", webView: "modal")
            defer { other.drop() }
            let (busy, _) = try await PageClient.attach(port: address.port, document: "busy")
            var count = 0
            server.addHandler(
                "count",
                .plain { _, _ in
                    if count == 0 { busy.drop() }
                    count += 1
                    return .handled
                })
            busy.send(batch(from: 1))
            _ = try await recorder.first { if case .page(.detached) = $0.event { true } else { false } }
            #expect(count == 1_000)
        }
    }
}
