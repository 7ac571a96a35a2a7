import BridgeProtocol
import TestSupport
import Testing

@testable import BridgeServer

/// Pages that send many messages at once take turns with the others.
@MainActor @Suite(.timeLimit(.minutes(2))) struct TurnTests {
    /// Frames of a page that arrive without a socket, and the numbers of the messages that were handled, in order.
    @MainActor private final class Arrivals {
        let server: BridgeServer
        private(set) var handled: [Int] = []
        private let transport = DeafTransport()
        private lazy var channel = makeChannel()
        private var channels: UInt64 = 0
        var pages: PageChannel { server.parts.channel }

        /// - Parameter isAlone: whether the daemon has no other page.
        init(_ server: BridgeServer, isAlone: Bool = false) throws {
            self.server = server
            server.addHandler(
                "count",
                .plain { [weak self] body, _ in
                    self?.handled.append(Int(body["number"]?.number ?? 0))
                    return .handled
                })
            if !isAlone { pages.opened(makeChannel()) }
            // A turn in these tests does not depend on the machine's speed.
            pages.longestRound = .seconds(60)
            pages.opened(channel)
            try receive(PageClient.attach(document: "busy", webView: "main"))
            pages.roundEnded()
        }

        private func makeChannel() -> Channel {
            channels += 1
            return Channel(
                id: .max - channels, role: .page, transport: transport,
                limits: Outbox.Limits(messages: 10_000, bytes: 1 << 20))
        }

        func receive(_ text: String) throws {
            pages.received(.success(try Array(text.utf8).withUnsafeBytes { try PageFrame($0) }), on: channel)
        }

        /// The document attaches on another connection.
        func attachAgain() throws {
            let earlier = channel
            channel = makeChannel()
            pages.opened(channel)
            try receive(PageClient.attach(document: "busy", webView: "main"))
            pages.closed(earlier, Closure(code: nil, byPeer: true))
        }

        func close() { pages.closed(channel, Closure(code: nil, byPeer: true)) }

        func untilHandled(_ count: Int) async throws {
            while handled.count < count { try await Task.sleep(for: .milliseconds(1)) }
        }
    }

    private final class DeafTransport: ChannelTransport {
        func writeAfterRound(_ id: ConnectionID) {}
        func close(_ id: ConnectionID, _ code: CloseCode, _ reason: String) {}
    }

    private func post(_ number: Int, padding: Int = 0) -> String {
        let text = String(repeating: "x", count: padding)
        return PageClient.post(#"{"number":\#(number),"text":"\#(text)"}"#, seq: number, to: "count")
    }

    private func batch(_ numbers: ClosedRange<Int>, padding: Int = 0) -> String {
        "[\(numbers.map { post($0, padding: padding) }.joined(separator: ","))]"
    }

    @Test func aTurnOfABatchHas64Messages() async throws {
        try await withServer { server, _ in
            let busy = try Arrivals(server)
            try busy.receive(batch(1...1_000))
            #expect(busy.handled == Array(1...64))
            // What comes meanwhile waits behind it.
            try busy.receive(post(1_001))
            busy.pages.roundEnded()
            #expect(busy.handled == Array(1...64))
            try await busy.untilHandled(1_001)
            #expect(busy.handled == Array(1...1_001))
        }
    }

    @Test func aTurnOfSingleMessagesHas64() async throws {
        try await withServer { server, _ in
            let busy = try Arrivals(server)
            for number in 1...200 { try busy.receive(post(number)) }
            #expect(busy.handled == Array(1...64))
            busy.pages.roundEnded()
            try await busy.untilHandled(200)
            #expect(busy.handled == Array(1...200))
        }
    }

    @Test func turnsAreShort_inARoundThatHasTakenLong() async throws {
        try await withServer { server, _ in
            let busy = try Arrivals(server)
            busy.pages.longestRound = .zero
            for number in 1...200 { try busy.receive(post(number)) }
            #expect(busy.handled == Array(1...8))
            busy.pages.roundEnded()
            try await busy.untilHandled(200)
            #expect(busy.handled == Array(1...200))
        }
    }

    @Test func aPageThatIsAloneDoesNotWait() async throws {
        try await withServer { server, _ in
            let busy = try Arrivals(server, isAlone: true)
            try busy.receive(batch(1...1_000))
            #expect(busy.handled == Array(1...1_000))
        }
    }

    /// What waits takes memory.
    @Test func aFrameForWhichThereIsNoRoomIsHandledAsAWhole() async throws {
        try await withServer { server, _ in
            let busy = try Arrivals(server)
            try busy.receive(batch(1...100, padding: 50_000))
            #expect(busy.handled == Array(1...100))
        }
    }

    /// A page that goes does not send its messages again.
    @Test func whatWaitsIsHandled_ifTheConnectionCloses() async throws {
        try await withServer { server, _ in
            let busy = try Arrivals(server)
            try busy.receive(batch(1...1_000))
            try busy.receive(post(1_001))
            busy.close()
            #expect(busy.handled == Array(1...1_001))
        }
    }

    /// The page sends again only messages that were not acknowledged, and no console entries.
    @Test func whatWaitsIsHandled_ifTheDocumentAttachesAgain() async throws {
        try await withServer { server, _ in
            let busy = try Arrivals(server)
            try busy.receive(batch(1...1_000))
            busy.pages.roundEnded()
            try busy.attachAgain()
            #expect(busy.handled == Array(1...1_000))
            try busy.receive(post(1_001))
            #expect(busy.handled.last == 1_001)
        }
    }

    /// The daemon acknowledges what it has got before it stops; the next one would get it again.
    @Test func whatWaitsIsHandled_ifTheDaemonStops() async throws {
        try await withServer { server, _ in
            let busy = try Arrivals(server)
            try busy.receive(batch(1...1_000))
            busy.pages.roundEnded()
            busy.pages.beginStopping()
            #expect(busy.handled == Array(1...1_000))
            try busy.receive(batch(1_001...1_200))
            #expect(busy.handled == Array(1...1_200))
            busy.pages.beginAgain()
        }
    }

    /// With real sockets: the other page posts when the batches have begun.
    @Test func otherPagesHaveTheirTurn_betweenBatches() async throws {
        try await withServer { server, address in
            var order: [String] = []
            let (busy, _) = try await PageClient.attach(port: address.port, document: "busy")
            let (other, _) = try await PageClient.attach(port: address.port, document: "other", webView: "modal")
            server.addHandler(
                "count",
                .plain { body, _ in
                    if order.isEmpty { other.send(PageClient.post("\"other\"", seq: 1, to: "other")) }
                    order.append("\(Int(body["number"]?.number ?? 0))")
                    return .handled
                })
            server.addHandler(
                "other",
                .plain { _, _ in
                    order.append("other")
                    return .handled
                })
            for first in stride(from: 1, to: 10_000, by: 1_000) { busy.send(batch(first...first + 999)) }
            while try await busy.next("method", "page.ack")["params"]?["seq"]?.number != 10_000 {}
            let numbers = order.filter { $0 != "other" }
            #expect(numbers == (1...10_000).map(String.init), "each message is handled once, and in order")
            #expect(order.count == 10_001 && order.last != "other")
        }
    }
}
