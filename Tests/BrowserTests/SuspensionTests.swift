import BridgeProtocol
import BridgeServer
import BridgeTesting
import Foundation
import TestSupport
import Testing

/// Tests that the daemon suspends pages that stop responding for a while, and does not lose them.
@MainActor @Suite(.serialized, .timeLimit(.minutes(4)), .browserTurns) struct SuspensionTests {
    /// The other document either attaches as well or does not use bridged.
    @Test(arguments: ["/attached", "/plain"])
    func pageReturns_fromTheBackForwardCache(other: String) async throws {
        try await withServer {
            $0.limits.beaconTimeout = .seconds(30)
        } _: { server, address in
            let numbers = Numbers(server)
            let site = try PostingSite(
                """
                <!doctype html><head><script>
                if (location.pathname === "/plain") onpageshow = () => setTimeout(() => history.back())
                else document.write(`<script src="\(address.url)bridge.js"></` + `script>`)
                </script></head><body><script>
                const post = (number) => webkit.messageHandlers.post.postMessage(number)
                if (location.pathname === "/attached") post(3).then(() => history.back())
                if (location.pathname === "/") {
                    for (const number of [1, 2]) post(number)
                    addEventListener("pageshow", ({ persisted }) => persisted && [4, 5].forEach(post))
                    document.addEventListener("bridged:state", () => setTimeout(() => location.href = "\(other)"), { once: true })
                }
                </script></body>
                """)
            let browser = try launch(.chromium, site.url)
            try await numbers.reach(5)
            browser.close()
            #expect(numbers.all == (other == "/plain" ? [1, 2, 4, 5] : [1, 2, 3, 4, 5]))
        }
    }

    /// The tab is frozen for longer than `pongTimeout`. Browsers may or may not answer pings for a frozen tab.
    @Test func frozenTab_answersAfterItResumes() async throws {
        try await withServer {
            $0.limits.pongTimeout = .seconds(2)
        } _: { server, address in
            let recorder = Recorder(server)
            let numbers = Numbers(server)
            let site = try PostingSite(
                """
                <!doctype html><script src="\(address.url)bridge.js"></script><script>
                const { post } = webkit.messageHandlers
                document.addEventListener("freeze", () => post.postMessage(2))
                document.addEventListener("resume", () => post.postMessage(3))
                post.postMessage(1)
                </script>
                """)
            let browser = try launch(.chromium, site.url, arguments: DevTools.arguments)
            try await numbers.reach(1)
            let tab = try await DevTools(browser, tab: site.url)
            try await tab.setLifecycle("frozen")
            let answer = Task { try await server.pages[0].evaluate("6 * 7") }
            // Waiting for four pings takes longer than `pongTimeout`.
            let clock = try await PageClient.attach(port: address.port, document: "d-9", webView: "modal").0
            try await clock.pings(4)
            #expect(!recorder.records.contains { $0.event.kind == .result }, "a frozen tab answers nothing")
            try await tab.setLifecycle("active")
            #expect(try await answer.value.number == 42)
            try await numbers.reach(3)
            #expect(numbers.all == [1, 2, 3])
            browser.close()
        }
    }

    /// The machine sleeps for longer than `pongTimeout` while the page posts.
    @Test(arguments: [Browser.Engine.chromium, .firefox].tried)
    func page_resumes_afterTheMachineSlept(_ engine: Browser.Engine) async throws {
        try await withServer {
            $0.limits.pongTimeout = .seconds(2)
        } _: { server, address in
            let recorder = Recorder(server)
            let numbers = Numbers(server)
            let site = try PostingSite(
                """
                <!doctype html><script src="\(address.url)bridge.js"></script><script>
                let number = 0
                setInterval(() => webkit.messageHandlers.post.postMessage(++number), 5)
                </script>
                """)
            let browser = try launch(engine, site.url)
            try await numbers.reach(20)
            browser.sleep()
            let answer = Task { try await server.pages[0].evaluate("6 * 7") }
            _ = try await recorder.first { if case .page(.detached) = $0.event { true } else { false } }
            browser.wake()
            _ = try await recorder.first { if case .page(.resumed) = $0.event { true } else { false } }
            #expect(try await answer.value.number == 42)
            try await numbers.reach(numbers.all.count + 20)
            #expect(numbers.all == Array(1...numbers.all.count))
            browser.close()
        }
    }
}

/// Collects the numbers that pages post to the handler `post`. On the main actor.
@MainActor final class Numbers {
    private(set) var all: [Int] = []
    private var waiter: (number: Int, continuation: AsyncStream<Void>.Continuation)?

    init(_ server: BridgeServer) {
        server.addHandler(
            "post",
            .plain { [weak self] body, _ in
                self?.receive(body.json.number.map { Int($0) } ?? 0)
                return .handled
            })
    }

    private func receive(_ number: Int) {
        all.append(number)
        guard let waiter, number >= waiter.number else { return }
        self.waiter = nil
        waiter.continuation.yield()
    }

    func reach(_ number: Int) async throws {
        guard all.last.map({ $0 < number }) ?? true else { return }
        try await waitForValue { waiter = (number, $0) }
    }
}
