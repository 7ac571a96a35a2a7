import BridgeProtocol
import Foundation
import TestSupport
import Testing

@testable import BridgeDaemon

/// The real `bridged serve`, whose event loop runs on the main thread.
@Suite(.timeLimit(.minutes(4))) struct ServeTests {
    /// The next record of this kind in the output of a daemon with `--json`.
    private func next(_ kind: String, _ daemon: RunningDaemon) async throws -> JSON {
        var lines = daemon.lines.makeAsyncIterator()
        while true {
            let record = try JSON.parse(try #require(await lines.next()))
            if record["kind"]?.string == kind { return record }
        }
    }

    @Test func printsWhereItListens_thenEveryRecord() async throws {
        let daemon = try RunningDaemon("--port", "0", "--json", "--root-url", "http://localhost:3000")
        let listening = try await daemon.listening()
        let (page, _) = try await PageClient.attach(port: listening.port, origin: "http://localhost:3000")
        await page.post("{\"name\":\"ActionButton\",\"path\":\"/customers/new\",\"icon\":\"plus\"}", seq: 1)
        var app = try await next("app", daemon)
        #expect(app["event"]?.string == "navigation" && app["main"]?[0]?.string == "http://localhost:3000/")
        while app["event"]?.string != "actionButton" { app = try await next("app", daemon) }
        #expect(app["opens"]?.string == "http://localhost:3000/customers/new")
        let message = try await next("message", daemon)
        #expect(message["name"]?.string == "ActionButton" && message["verdict"]?["outcome"]?.string == "handled")
        _ = try await page.next("method", "page.ack")
        #expect(try DiscoveryFileContents(path: listening.discoveryFile).url == listening.url)
    }

    /// The program that starts browsers fails here, which the daemon says.
    @Test func opensTheInspector() async throws {
        let folder = try TemporaryFolder()
        let opener = folder.path(UserBrowser.program)
        try "#!/bin/sh\nexit 3\n".write(toFile: opener, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: opener)
        let daemon = try RunningDaemon(
            ["--port", "0", "--open"], environment: ["PATH": "\(folder.path("")):/usr/bin:/bin"],
            by: #"exec "$@" 2>&1"#)
        let failure = await daemon.lines.first { $0.contains("Can't open the inspector") }
        #expect(failure?.contains("\(UserBrowser.program) failed") == true, "\(failure ?? "")")
    }

    #if os(Linux)
        /// Each thread takes the address space of a stack, and libdispatch tries for ever to start one.
        @Test func saysThatItGetsTooFewThreads() async throws {
            let outcome = try await Executable.run(
                ["serve", "--port", "0"], by: "ulimit -s 1048576; ulimit -v 8000000; exec \"$@\"")
            #expect(outcome.status == 1)
            #expect(outcome.errors.hasPrefix("error: This process may have "), "\(outcome.errors)")
            #expect(outcome.errors.contains("limited to 8000000 KiB"), "\(outcome.errors)")
        }

        /// Hides the plugin in a mount namespace, which needs root.
        @Test func namesThePackage_ifTheEventLoopsPluginIsMissing() async throws {
            let plugins = "/usr/lib/*/libwebsockets-evlib_uv.so"
            let hidden = "for file in \(plugins); do mount --bind /dev/null $file; done; exec \"$@\""
            guard try await Executable.run(["--version"], by: "exec unshare -m sh -c '\(hidden)' sh \"$@\"").status == 0
            else { try Test.cancel("unshare needs root") }
            let outcome = try await Executable.run(
                ["serve", "--port", "0"], by: "exec unshare -m sh -c '\(hidden)' sh \"$@\"")
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains("`apt-get install libwebsockets-evlib-uv` installs it."))
        }
    #endif

    /// libwebsockets sends a long message in parts, and the close frame must wait for the last one.
    @Test func sendsTheReasonForClosing_afterALongMessage() async throws {
        let daemon = try RunningDaemon("--port", "0", "--json")
        let listening = try await daemon.listening()
        let tool = try await ControlClient(port: listening.port, discoveryFile: listening.discoveryFile).connect()
        let junk = #"{"jsonrpc":"2.0","method":"pages.wait","params":{"x":1}}"#
        tool.send("[\(Array(repeating: junk, count: 100).joined(separator: ","))]")
        #expect(try await tool.nextError()["code"]?.number == -32602)
        #expect(await tool.closeCode() == 1008)
    }

    @Test func saysWhoseTheAppIs() async throws {
        for arguments in [["--root-url", "http://localhost:3000/start?x"], ["--app-origin", "http://localhost:3000"]] {
            let named = try RunningDaemon(
                ["--port", "0", "--json", "--strict-origins"] + arguments, environment: [:])
            let port = try await named.listening().port
            let (_, response) = try await PageClient.attach(port: port, origin: "http://localhost:3000")
            #expect(response["result"] != nil)
            await #expect(throws: WebSocketClient.Refused.self) {
                try await PageClient.attach(port: port, origin: "http://localhost:4000")
            }
        }
        let outcome = try await Executable.run(["serve", "--port", "0", "--app-origin", "http://*.com"])
        #expect(outcome.status == 1 && outcome.errors.contains("'http://*.com' is not an origin"))
    }

    @Test func registersPushToken_byEvaluation() async throws {
        let daemon = try RunningDaemon("--port", "0", "--json", "--push-token", "it's a </token>")
        let (page, _) = try await PageClient.attach(port: daemon.listening().port)
        await page.post("{\"name\":\"RegisterPushToken\"}", seq: 1)
        let request = try await page.next("method", "script.evaluate")
        #expect(request["params"]?["source"]?.string == #"window.bridge.register("it\u0027s a \u003c/token\u003e")"#)
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func stopsCleanly_onSignal(_ signal: Int32) async throws {
        let folder = try TemporaryFolder()
        let daemon = try RunningDaemon("--port", "0", "--json", "--log", folder.path("log.ndjson"))
        let listening = try await daemon.listening()
        let (page, _) = try await PageClient.attach(port: listening.port)
        await page.post("{\"name\":\"RegisterPushToken\"}", seq: 1)
        _ = try await page.next("method", "page.ack")
        daemon.signal(signal)
        #expect(await page.closeCode() == 1001)
        #expect(try await daemon.exitStatus() == 0)
        #expect(try folder.lines("log.ndjson").contains { $0["name"]?.string == "RegisterPushToken" })
        #expect(throws: (any Error).self) { try DiscoveryFileContents(path: listening.discoveryFile) }
    }

    /// A browser cannot open `0.0.0.0`.
    @Test func printsAnAddress_thatABrowserCanOpen() async throws {
        let daemon = try RunningDaemon("--port", "0", "--host", "0.0.0.0")
        var lines = daemon.lines.makeAsyncIterator()
        var text: [String] = []
        while text.last?.contains("Ctrl-C") != true { text.append(try #require(await lines.next())) }
        let demo = try #require(
            text.joined(separator: " ").split(separator: " ").first { $0.contains("/demo/?token=") })
        let address = try #require(demo.firstMatch(of: /^http:\/\/(.+):(\d+)(\/demo\/\?token=.+)$/))
        #expect(address.1 != "0.0.0.0")
        #expect(!text.contains { $0.contains("Scan this") })
        let port = try #require(UInt16(address.2))
        let page = try await HTTPClient.request(
            path: String(address.3), port: port, host: "\(address.1):\(port)",
            headers: ["Origin: http://\(address.1):\(port)"])
        #expect(page.status == 200)
    }

    /// A phone in the same network scans it. In a pipe, nobody could.
    @Test(arguments: [nil, "http://192.168.1.5:3000/start", "http://localhost:3000"])
    func showsAPagesAddressAsAQRCode_onATerminal(_ rootURL: String?) async throws {
        let page = rootURL.map { ["--root-url", $0] } ?? []
        let terminal = try ReplTests.Terminal(["serve", "--port", "0", "--host", "0.0.0.0"] + page, environment: [:])
        defer { terminal.end() }
        let banner = try await terminal.read(until: "Ctrl-C")
        let url = try #require(banner.firstMatch(of: /Scan this to open (http\S+):\r\n/)?.1)
        #expect(url.contains("/demo/?token=") || url == rootURL ?? "")
        #expect(!url.contains("localhost"))
        let lines = try #require(QRCode(String(url))).terminalLines
        #expect(banner.contains(lines.map { "           \($0)\r\n" }.joined()))
    }

    @Test func showsNoQRCode_ifOnlyThisMachineIsServed() async throws {
        let terminal = try ReplTests.Terminal(["serve", "--port", "0"], environment: [:])
        defer { terminal.end() }
        #expect(try await !terminal.read(until: "Ctrl-C").contains("Scan this"))
    }

    @Test func printsInstructions_withoutColoursInAPipe() async throws {
        let daemon = try RunningDaemon("--port", "0")
        var lines = daemon.lines.makeAsyncIterator()
        var text: [String] = []
        while text.last?.contains("Ctrl-C") != true { text.append(try #require(await lines.next())) }
        let banner = text.joined(separator: "\n")
        #expect(
            banner.contains("/demo/") && banner.contains("<script src=\"http://localhost:")
                && !banner.contains("\u{1b}"))
        #expect(banner.contains("The push token of the device is ") && !banner.contains("  Token "))
        let url = try #require(banner.split(separator: " ").first { $0.hasPrefix("http://localhost:") })
        let (page, _) = try await PageClient.attach(port: UInt16(try #require(URL(string: String(url))?.port)))
        await page.post("{\"name\":\"Nobody\"}", seq: 1)
        while let line = await lines.next() {
            if line.contains("Nobody") { break }
        }
    }

    @Test func servesManyPagesAtOnce_onTheMainThread() async throws {
        let daemon = try RunningDaemon("--port", "0", "--json")
        let port = try await daemon.listening().port
        try await withThrowingTaskGroup { group in
            for number in 1...20 {
                group.addTask {
                    let (page, _) = try await PageClient.attach(
                        port: port, document: "d-\(number)", webView: "w\(number)")
                    for seq in 1...100 { await page.post("{\"name\":\"RegisterPushToken\"}", seq: seq) }
                    while try await page.next("method", "page.ack")["params"]?["seq"]?.number != 100 {}
                }
            }
            try await group.waitForAll()
        }
    }
}
