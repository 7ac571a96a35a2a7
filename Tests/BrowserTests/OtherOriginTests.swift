import BridgeProtocol
import BridgeServer
import BridgeTesting
import BridgeTraffic
import Foundation
import TestSupport
import Testing

/// A page of another local web server tries to take the place of the app's page in a real browser (docs/security.md).
@MainActor @Suite(.serialized, .timeLimit(.minutes(2)), .browserTurns) struct OtherOriginTests {
    /// A page with `bridge.js` that also speaks the protocol by hand, pretends to be a page of `app`, and reports what
    /// it was asked to evaluate.
    private static func page(_ daemon: String, pretending app: String) -> String {
        """
        <!DOCTYPE html><title>Other</title><script src="\(daemon)bridge.js" data-web-view="main"></script><script>
        const daemon = "\(daemon)"
        const attach = (document, webView) => ({
          document, webView, frame: { url: "\(app)", origin: new URL("\(app)").origin, isMainFrame: true }, title: "App",
          readyState: "complete", userAgent: "", resume: false
        })
        const post = { jsonrpc: "2.0", method: "message.post", params: { seq: 1, handler: "h", body: "stolen" } }
        for (const webView of ["main", "modal", "main.popup"]) {
          const socket = new WebSocket(daemon.replace("http", "ws") + "page", ["bridge.page.v1"])
          const params = attach("fake-" + webView, webView)
          socket.onopen = () => socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "page.attach", params }))
          socket.onmessage = ({ data }) => data.includes("script.evaluate") && fetch("/report?stolen")
        }
        const body = JSON.stringify({ document: "fake-beacon", attach: attach("fake-beacon", "main"), messages: [post] })
        navigator.sendBeacon(daemon + "beacon", body)
        fetch(daemon + "call", {
          method: "POST", headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ document: "fake-call", attach: attach("fake-call", "main"), messages: [post] })
        }).then(() => webkit.messageHandlers.h.postMessage("done"))
        open(daemon + "document?web-view=main", "_blank", "popup")
        </script>
        """
    }

    @Test(arguments: [Browser.Engine.chromium, .firefox].tried)
    func otherLocalServersGetTheirOriginsName(_ engine: Browser.Engine) async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            server.addHandler("h", .plain { _, _ in .handled })
            let daemon = address.url.replacing("127.0.0.1", with: "localhost")
            let (reports, continuation) = AsyncStream<String>.makeStream()
            let site = try PostingSite(
                "<!DOCTYPE html><title>App</title><script src=\"\(daemon)bridge.js\"></script>")
            let app = site.url.replacing("127.0.0.1", with: "localhost")
            let other = try PostingSite(Self.page(daemon, pretending: app)) { path in
                if path.hasPrefix("/report?") { continuation.yield(path) }
            }
            let browser = try launch(engine, app)
            _ = try await recorder.first { $0.webView == "main" }
            let page = try #require(server.pages.first)
            page.evaluate("window.open('\(other.url)', '_blank', 'noopener,popup'); 0", completion: nil)

            let origin = String(other.url.dropLast())
            _ = try await recorder.first { record in
                guard case .message(_, _, let body, _, _) = record.event else { return false }
                return body.json.string == "done"
            }
            let pages = try await waitForPages(server, recorder, ["fake-main", "fake-modal", "fake-main.popup"])
            for page in pages {
                #expect(page.webView.hasPrefix(origin) && page.frame.origin == origin)
            }
            for record in recorder.records where record.webView == "main" { #expect(record.page == page.id) }

            // The first page of `main` is the newest one, too, so a tool's secret goes there.
            let tool = try ControlClient(address)
            let title = try await tool.call("script.evaluate", #"{"source":"'s3cret' && document.title"}"#)
            #expect(title["value"]?.string == "App")
            let named = try await tool.call(
                "script.evaluate", #"{"source":"document.bridged.webView","page":"\#(try newest(of: origin, server))"}"#
            )
            #expect(named["value"]?.string == origin)
            continuation.finish()
            for await report in reports { Issue.record("The other page reports \(report).") }
            browser.close()
        }
    }

    private func waitForPages(_ server: BridgeServer, _ recorder: Recorder, _ documents: [String]) async throws
        -> [Page]
    {
        func found() -> [Page] { server.pages.filter { documents.contains($0.document) } }
        while found().count < documents.count {
            let count = recorder.records.count
            _ = try await recorder.first { $0.record > count }
        }
        return found()
    }

    /// The id of the page that has loaded `bridge.js`.
    private func newest(of origin: String, _ server: BridgeServer) throws -> String {
        try #require(server.pages.last { $0.webView == origin && !$0.document.hasPrefix("fake") }).id
    }
}
