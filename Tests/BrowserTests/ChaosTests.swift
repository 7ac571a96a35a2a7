import BridgeProtocol
import BridgeTesting
import Foundation
import TestSupport
import Testing

@testable import BridgeServer

/// Runs real pages behind connections that are cut all the time.
///
/// `BRIDGED_SOAK_MINUTES` repeats the test for that time, each round with another seed. `BRIDGED_SEED` starts with the
/// seed of a round that failed.
@MainActor @Suite(.browserTurns) struct ChaosTests {
    private static let documents = 20
    private static let messages = 5_000
    private static let evaluations = 50
    private static let minutes = ProcessInfo.processInfo.environment["BRIDGED_SOAK_MINUTES"].flatMap(Int.init) ?? 0
    private static let seed =
        ProcessInfo.processInfo.environment["BRIDGED_SEED"].flatMap(UInt64.init) ?? .random(in: 0..<1 << 32)

    @Test(.timeLimit(.minutes(ChaosTests.minutes + 5)))
    func messagesArriveOnceAndInOrder_ifConnectionsAreCut() async throws {
        let end = ContinuousClock.now + .seconds(60 * Self.minutes)
        var seed = Self.seed
        repeat {
            print("Chaos with BRIDGED_SEED=\(seed)")
            try await playRound(seed)
            seed += 1
        } while ContinuousClock.now < end
    }

    private func playRound(_ seed: UInt64) async throws {
        try await withServer { server, address in
            let proxy = try FaultyProxy(to: address.port, bytes: 500...150_000, seed: seed)
            let tally = Tally(documents: Self.documents, messages: Self.messages)
            server.addHandler(
                "count",
                .plain { body, _ in
                    tally.receive(body)
                    return .handled
                })
            server.addHandler("echo", .replying { body, _, reply in reply.resolve(body) })
            server.addHandler(
                "replied",
                .plain { body, _ in
                    tally.receiveReplies(body)
                    return .handled
                })
            let evaluator = EvaluationTally(server, documents: Self.documents, each: Self.evaluations)
            let site = try PostingSite(page(daemon: proxy.port))
            let browser = try launch(.chromium, site.url)
            try await tally.finished()
            try await evaluator.finished()
            browser.close()
            #expect(tally.mistakes.isEmpty, "BRIDGED_SEED=\(seed)")
            #expect(evaluator.mistakes.isEmpty, "BRIDGED_SEED=\(seed)")
            // The messages of one document alone exceed the bytes that a connection may carry.
            #expect(proxy.cuts >= Self.documents)
            // Some messages came twice and were ignored.
            #expect(server.pages.map(\.state.repeated).reduce(0, +) > 0)
        }
    }

    /// A document that holds the others in frames.
    ///
    /// Each frame posts its numbers as fast as timers allow, and asks for a reply to each fiftieth. One WebSocket
    /// message in ten is sent twice.
    private func page(daemon: UInt16) -> String {
        """
        <!doctype html><script>
        const { send } = WebSocket.prototype
        WebSocket.prototype.send = function (text) {
            send.call(this, text)
            if (text.includes("message.post") && Math.random() < 0.1) send.call(this, text)
        }
        </script><script src="http://127.0.0.1:\(daemon)/bridge.js"></script><body><script>
        const { count, echo, replied } = webkit.messageHandlers
        const me = Math.random().toString(36).slice(2)
        const replies = []
        let number = 0
        const post = async () => {
            for (let times = 0; times < 50; times++) {
                count.postMessage({ me, number: ++number, text: "x".repeat(number % 200) })
            }
            replies.push(echo.postMessage(number))
            if (number < \(Self.messages)) return setTimeout(post, 5)
            replied.postMessage({ me, numbers: await Promise.all(replies) })
        }
        // Frames come when the page around them is there: as it attaches, it ends documents that are away.
        const frames = () => document.body.innerHTML = `<iframe src="/"></iframe>`.repeat(\(Self.documents))
        if (top === window) echo.postMessage(0).then(frames)
        else post()
        </script></body>
        """
    }
}

/// Checks the numbers that documents post. On the main actor.
@MainActor private final class Tally {
    private(set) var mistakes: [String] = []
    private var last: [String: Int] = [:]
    private var replied: Set<String> = []
    private let documents: Int
    private let messages: Int
    private var end: AsyncStream<Void>.Continuation?

    init(documents: Int, messages: Int) {
        self.documents = documents
        self.messages = messages
    }

    private var isFinished: Bool {
        last.count == documents && last.values.allSatisfy { $0 >= messages } && replied.count == documents
    }

    private struct Numbered: Decodable {
        let me: String
        let number: Int
    }

    private struct Replies: Decodable {
        let me: String
        let numbers: [Int]
    }

    func receive(_ body: ScriptValue) {
        guard let body = try? body.decode(Numbered.self) else {
            return mistakes.append("\(body) is not a message of this test")
        }
        let (document, number) = (body.me, body.number)
        let expected = last[document, default: 0] + 1
        if number != expected { mistakes.append("\(document): \(number) instead of \(expected)") }
        last[document] = number
        endIfFinished()
    }

    /// Checks the replies that a document got.
    func receiveReplies(_ body: ScriptValue) {
        guard let body = try? body.decode(Replies.self) else {
            return mistakes.append("\(body) is not a message of this test")
        }
        let expected = Array(stride(from: 50, through: messages, by: 50))
        if body.numbers != expected { mistakes.append("\(body.me) got the replies \(body.numbers)") }
        replied.insert(body.me)
        endIfFinished()
    }

    private func endIfFinished() {
        if isFinished { end?.yield() }
    }

    func finished() async throws {
        if !isFinished { try await waitForValue { end = $0 } }
    }
}

/// Makes every frame count its evaluations, one after the other. On the main actor.
@MainActor private final class EvaluationTally {
    private(set) var mistakes: [String] = []
    private let documents: Int
    private let each: Int
    private var counts: [String: Int] = [:]
    private var end: AsyncStream<Void>.Continuation?

    init(_ server: BridgeServer, documents: Int, each: Int) {
        self.documents = documents
        self.each = each
        server.observePages { [weak self] event, page in
            if event == .attached, !page.frame.isMainFrame { self?.evaluate(in: page) }
        }
    }

    private var isFinished: Bool { counts.count == documents && counts.values.allSatisfy { $0 == each } }

    private func evaluate(in page: Page) {
        let expected = counts[page.document, default: 0] + 1
        page.evaluate("globalThis.ran = (globalThis.ran ?? 0) + 1", timeout: .seconds(240)) { [weak self] result in
            guard let self else { return }
            if (try? result.get().number) != Double(expected) {
                mistakes.append("\(page.document): \(result) instead of \(expected)")
            }
            counts[page.document] = expected
            if expected < each { return evaluate(in: page) }
            if isFinished { end?.yield() }
        }
    }

    func finished() async throws {
        if !isFinished { try await waitForValue { end = $0 } }
    }
}
