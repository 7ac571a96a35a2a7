import BridgeProtocol
import BridgeTraffic
import TestSupport
import Testing

@testable import BridgeServer

/// Pages that native code opens and that do not load `bridge.js`.
@MainActor @Suite(.timeLimit(.minutes(2))) struct MissingScriptTests {
    private func isProblem(_ record: TrafficRecord) -> Bool {
        if case .problem("scriptMissing", _, _, _, _) = record.event { true } else { false }
    }

    @Test func tellsThatThePageDidNotAskForTheScript() async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            let (page, _) = try await PageClient.attach(port: address.port)
            try #require(server.pages.first).navigate(to: "http://localhost:3000/plain?secret=1")
            _ = try await page.next("method", "page.navigate")
            page.drop()
            let record = try await recorder.first { isProblem($0) }
            let tag = "<script src=\"\(address.url)bridge.js\"></script>"
            guard case .problem(_, let text, _, _, _) = record.event else { return }
            #expect(
                text == "No request for bridge.js came from http://localhost:3000/plain. "
                    + "Put this line first into its <head>: \(tag)")
        }
    }

    @Test(arguments: [true, false])
    func isSilent_ifTheNextPageHasTheScript(asks: Bool) async throws {
        try await withServer { server, address in
            let recorder = Recorder(server)
            let (page, _) = try await PageClient.attach(port: address.port)
            let plain = try await PageClient.attach(port: address.port, document: "d-2", webView: "other").0
            try #require(server.mainPage(of: "main")).navigate(to: "http://localhost:3000/next")
            _ = try await page.next("method", "page.navigate")
            page.drop()
            // The script may come from the browser's own copy, so that the page only attaches.
            if asks { _ = try await HTTPClient.request(path: "/bridge.js", port: address.port) }
            if !asks { _ = try await PageClient.attach(port: address.port, document: "d-3") }
            // Another page that has no script, whose problem comes later.
            try #require(server.mainPage(of: "other")).navigate(to: "http://localhost:3000/plain")
            _ = try await plain.next("method", "page.navigate")
            plain.drop()
            _ = try await recorder.first { isProblem($0) }
            #expect(recorder.records.filter { isProblem($0) }.count == 1)
        }
    }

    @Test func launchPage_leadsOnlyToTheTestsPage() async throws {
        try await withServer { server, address in
            let none = try await HTTPClient.request(path: "/launch", port: address.port)
            #expect(none.status == 404)
            #expect(server.launchURL(to: "\(address.url)demo/") == "\(address.url)demo/")
            #expect(server.launchURL(to: "http://localhost:3000/?a=</script>") == "\(address.url)launch")
            let page = try await HTTPClient.request(path: "/launch", port: address.port)
            let tool = try ControlClient(address)
            let launch = try await tool.call("page.launch", #"{"url":"http://localhost:3001/"}"#)
            #expect(launch["url"]?.string == "\(address.url)launch" && server.hasAppOrigin)
            #expect(page.body.contains(#"location.replace("http://localhost:3000/?a=\u003c/script\u003e")"#))
        }
    }
}
