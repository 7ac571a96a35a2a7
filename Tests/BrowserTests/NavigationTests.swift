import BridgeProtocol
import BridgeServer
import BridgeTesting
import Foundation
import TestSupport
import Testing

/// Tests pages that post messages and leave at once. All messages must arrive, in order, before those of the next
/// document.
@MainActor @Suite(.serialized, .timeLimit(.minutes(3)), .browserTurns) struct NavigationTests {
    /// The number of documents that the browser leaves.
    private static let departures = 80
    private static let messages = 5

    @Test(arguments: [Browser.Engine.chromium, .firefox].tried)
    func messagesArriveInOrder_howeverThePageIsLeft(_ engine: Browser.Engine) async throws {
        try await withServer {
            // A beacon can take long on a busy machine.
            $0.limits.beaconTimeout = .seconds(30)
        } _: { server, address in
            let journey = Journey(documents: Self.departures, messages: Self.messages)
            for name in ["post", "closing"] {
                server.addHandler(
                    name,
                    .plain { body, _ in
                        journey.receive(body, isClosing: name == "closing")
                        return .handled
                    })
            }
            let site = try PostingSite(page(daemon: address.url))
            let browser = try launch(engine, "\(site.url)?step=0")
            try await journey.finished()
            browser.close()
            #expect(journey.mistakes.isEmpty)
        }
    }

    /// A document that posts its numbers and leaves, each time in another way. Every other document leaves before it is
    /// connected. Windows that close at once post to `closing`.
    private func page(daemon: String) -> String {
        """
        <!doctype html><head><script src="\(daemon)bridge.js"></script></head><body><script>
        const { post, closing } = webkit.messageHandlers
        const step = Number(new URLSearchParams(location.search).get("step"))
        const isWindow = location.hash === "#window"
        const next = location.pathname + "?step=" + (step + 1)
        const make = (name, members) => Object.assign(document.createElement(name), members)
        const element = (name, members) => document.body.appendChild(make(name, members))
        const submit = (method) => {
            const form = element("form", { method, action: method === "get" ? location.pathname : next })
            form.append(make("input", { name: "step", value: step + 1 }))
            form.submit()
        }
        const ways = [
            () => location.href = next,
            () => element("a", { href: next }).click(),
            () => submit("get"),
            () => submit("post"),
            () => {
                window.open(location.pathname + "?step=" + step + "#window")
                window.onmessage = () => location.replace(next)
            }
        ]
        const leave = () => {
            const handler = isWindow ? closing : post
            for (let number = 1; number <= \(Self.messages); number++) handler.postMessage({ step, number })
            if (!isWindow) return ways[step % ways.length]()
            opener.postMessage("done", "*")
            window.close()
        }
        const start = () => {
            if (step % 2 === 0 || document.bridged.state === "connected") return leave()
            document.addEventListener("bridged:state", start, { once: true })
        }
        if (step < \(Self.departures)) start()
        </script></body>
        """
    }
}

/// Checks the numbers that the documents of one tab post one after the other. On the main actor.
@MainActor private final class Journey {
    private(set) var mistakes: [String] = []
    private var expected = (step: 0, number: 1)
    /// The count of numbers that each window has posted before it closed, by step.
    private var closing: [Int: Int] = [:]
    private let documents: Int
    private let messages: Int
    private var end: AsyncStream<Void>.Continuation?

    private struct Numbered: Decodable {
        let step: Int
        let number: Int
    }

    init(documents: Int, messages: Int) {
        self.documents = documents
        self.messages = messages
    }

    private var isFinished: Bool {
        let windows = (0..<documents).filter { $0 % 5 == 4 }
        return expected.step == documents && windows.allSatisfy { closing[$0] == messages }
    }

    func receive(_ body: ScriptValue, isClosing: Bool) {
        guard let body = try? body.decode(Numbered.self) else {
            return mistakes.append("\(body) is not a message of this test")
        }
        if isClosing {
            let number = closing[body.step, default: 0] + 1
            if body.number != number { mistakes.append("window \(body.step): \(body.number) instead of \(number)") }
            closing[body.step] = body.number
        } else {
            if (body.step, body.number) != expected { mistakes.append("\(body) instead of \(expected)") }
            expected = body.number == messages ? (body.step + 1, 1) : (body.step, body.number + 1)
        }
        if isFinished { end?.yield() }
    }

    func finished() async throws {
        if !isFinished { try await waitForValue { end = $0 } }
    }
}
