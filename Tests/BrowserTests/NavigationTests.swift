import BridgeProtocol
import BridgeServer
import BridgeTesting
import Foundation
import TestSupport
import Testing

/// Pages that post, and leave at once. All arrives, in order, and before what the next document posts.
@MainActor @Suite(.serialized, .timeLimit(.minutes(3)), .browserTurns) struct NavigationTests {
    /// How often a browser leaves.
    private static let departures = 200
    private static let messages = 5

    @Test(arguments: [Browser.Engine.chromium, .firefox])
    func losesNothing_andKeepsOrder_howeverThePageIsLeft(_ engine: Browser.Engine) async throws {
        try await withServer {
            // On a machine that has much else to do, a beacon takes its time.
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

    /// A document of one journey: it posts its numbers and leaves, each in another way than the one before. Every other
    /// one does so before it is connected. (What `closing` gets is posted by windows that close at once.)
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

/// Checks what the documents of one tab post, one after the other. On the main actor.
@MainActor private final class Journey {
    private(set) var mistakes: [String] = []
    private var expected = (step: 0, number: 1)
    /// By step: how many a window has posted before it closed.
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
        guard let body = try? body.decode(Numbered.self) else { return mistakes.append("\(body) is none of ours") }
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
