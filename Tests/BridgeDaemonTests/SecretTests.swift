import BridgeProtocol
import Foundation
import TestSupport
import Testing

/// The token is in the run file and nowhere else (docs/security.md).
@Suite(.timeLimit(.minutes(4))) struct SecretTests {
    @Test func tokensAreNotInLogs_outputs_orTheProcessList() async throws {
        let folder = try TemporaryFolder()
        let log = folder.path("log.ndjson")
        let daemon = try RunningDaemon(
            ["--port", "0", "--host", "0.0.0.0", "--json", "--log", log],
            environment: ["XDG_RUNTIME_DIR": folder.path("")])
        var lines = daemon.lines.makeAsyncIterator()
        let first = try #require(await lines.next())
        let listening = try JSON.parse(first)
        let port = try #require(URL(string: listening["url"]?.string ?? "")?.port.map { UInt16($0) })
        let discoveryFile = try #require(listening["runFile"]?.string)
        let contact = try #require(
            DaemonEndpoint(
                json: JSON.parse(String(decoding: Data(contentsOf: URL(fileURLWithPath: discoveryFile)), as: UTF8.self))
            ))
        let pageToken = try #require(contact.pageToken)
        try await useEverywhere(contact.token, pageToken, port)
        // The demo is opened with the token in its address.
        let page = PageClient(
            try await WebSocketClient.connect(
                port: port, subprotocols: "bridge.page.v1, bridge.token.\(pageToken)"))
        page.send(
            """
            {"jsonrpc":"2.0","id":"attach","method":"page.attach","params":{"document":"d","webView":"main","frame":\
            {"url":"http://localhost/demo/?token=\(pageToken)","origin":"http://localhost","isMainFrame":true},"title":"",\
            "readyState":"complete","userAgent":"test","resume":false}}
            """)
        _ = try await page.next("id", "attach")
        let commandLine = try String(contentsOfFile: "/proc/\(contact.pid)/cmdline", encoding: .utf8)
        daemon.signal(SIGTERM)
        var output = first
        while let line = await lines.next() { output += line + "\n" }
        let logged = try String(contentsOfFile: log, encoding: .utf8)
        #expect(
            logged.contains("tokenNeeded") && logged.contains("unknownSubprotocol") && logged.contains("[redacted]"))
        for text in [output, logged, commandLine] {
            #expect(!text.contains(contact.token) && !text.contains(pageToken))
        }
    }

    /// Sends right and wrong tokens in every place where a client might send one.
    private func useEverywhere(_ token: String, _ pageToken: String, _ port: UInt16) async throws {
        for path in ["/bridge.js", "/demo/", "/document", "/nowhere", "/traffic", "/page"] {
            for token in [token, pageToken, pageToken + "0"] {
                _ = try await HTTPClient.request(
                    path: "\(path)?token=\(token)", port: port,
                    headers: ["Authorization: Bearer \(token)", "Referer: http://localhost/?token=\(token)"])
            }
        }
        for subprotocols in ["bridge.token.\(token)", "bridge.page.v2, bridge.token.\(pageToken)", "bridge.page.v1"] {
            await #expect(throws: (any Error).self) {
                try await WebSocketClient.connect(port: port, origin: nil, subprotocols: subprotocols)
            }
        }
    }
}
