import BridgeProtocol
import BridgeServer
import BridgeTesting
import Foundation
import TestSupport
import Testing

/// Real pages behind connections that are cut all the time.
@MainActor @Suite(.timeLimit(.minutes(5))) struct ChaosTests {
    private static let documents = 20
    private static let messages = 5_000
    private static let evaluations = 50

    @Test func losesNothing_doublesNothing_andKeepsOrder() async throws {
        try await withServer { server, address in
            let proxy = try FaultyProxy(to: address.port, bytes: 500...150_000)
            let tally = Tally(documents: Self.documents, messages: Self.messages)
            let scope = documents()
            scope.handlers["count"] = .plain { body, _ in
                tally.receive(body)
                return .handled
            }
            server.setScope(scope, for: "main")
            let evaluator = Evaluations(server, documents: Self.documents, each: Self.evaluations)
            let browser = try launch(
                .chromium, "http://127.0.0.1:\(proxy.port)/document?web-view=main&document=1")
            await tally.finished()
            await evaluator.finished()
            browser.close()
            #expect(tally.mistakes.isEmpty)
            #expect(evaluator.mistakes.isEmpty)
            // Each document's messages alone are more than a connection may carry.
            #expect(proxy.cuts >= Self.documents)
        }
    }

    /// One document that holds the others in frames, each of which posts its numbers as fast as timers go.
    private func documents() -> WebViewScope {
        let scope = WebViewScope()
        let frame = "<iframe src=\"/document?web-view=main&document=2\"></iframe>"
        scope.documents[1] = .init(html: "<!doctype html>" + String(repeating: frame, count: Self.documents))
        scope.documents[2] = .init(
            html: """
                <!doctype html><script>
                const me = Math.random().toString(36).slice(2)
                let number = 0
                const timer = setInterval(() => {
                    for (let count = 0; count < 50; count++) {
                        webkit.messageHandlers.count.postMessage({ me, number: ++number, text: "x".repeat(number % 200) })
                    }
                    if (number >= \(Self.messages)) clearInterval(timer)
                }, 5)
                </script>
                """)
        return scope
    }
}

/// Counts what documents post. On the main actor.
@MainActor private final class Tally {
    private(set) var mistakes: [String] = []
    private var last: [String: Int] = [:]
    private let documents: Int
    private let messages: Int
    private var resume: CheckedContinuation<Void, Never>?

    init(documents: Int, messages: Int) {
        self.documents = documents
        self.messages = messages
    }

    private var isFinished: Bool { last.count == documents && last.values.allSatisfy { $0 >= messages } }

    private struct Numbered: Decodable {
        let me: String
        let number: Int
    }

    func receive(_ body: ScriptValue) {
        guard let body = try? body.decode(Numbered.self) else { return mistakes.append("\(body) is none of ours") }
        let (document, number) = (body.me, body.number)
        let expected = last[document, default: 0] + 1
        if number != expected { mistakes.append("\(document): \(number) instead of \(expected)") }
        last[document] = number
        if number >= messages, isFinished {
            resume?.resume()
            resume = nil
        }
    }

    func finished() async {
        if !isFinished { await withCheckedContinuation { resume = $0 } }
    }
}

/// Has every frame count its evaluations, one after the other. On the main actor.
@MainActor private final class Evaluations {
    private(set) var mistakes: [String] = []
    private let documents: Int
    private let each: Int
    private var counts: [String: Int] = [:]
    private var resume: CheckedContinuation<Void, Never>?

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
            if isFinished {
                resume?.resume()
                resume = nil
            }
        }
    }

    func finished() async {
        if !isFinished { await withCheckedContinuation { resume = $0 } }
    }
}
