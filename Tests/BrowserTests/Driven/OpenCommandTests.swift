import BridgeBrowsers
import BridgeProtocol
import Foundation
import TestSupport
import Testing

/// `bridged open`, as its users run it.
@Suite(.serialized, .timeLimit(.minutes(2)), .browserTurns) struct OpenCommandTests {
    private static let page = """
        <!doctype html><title>Opened</title>
        <script>webkit.messageHandlers.nativeApp.postMessage({ name: "ActionButton", path: "/", icon: "plus" })</script>
        """

    @Test(arguments: BrowserEngine.allCases.tried)
    func showsThePage_andLeavesNothingBehind(_ engine: BrowserEngine) async throws {
        try requireDriven(engine)
        let site = try DrivenSite(["/": .init(html: Self.page)])
        let folder = try makeFolder()
        let command = try open(site.url, "--port", "0", "--in", engine.rawValue, in: folder)
        let message = await command.lines.first { $0.contains("ActionButton") }
        #expect(message?.hasSuffix("handled") == true, "\(message ?? "no message came")")
        command.signal(SIGTERM)
        #expect(try await command.exitStatus() == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("")) == ["run"])
    }

    /// The window is on a virtual screen. Its title is that of the page.
    @Test(arguments: BrowserEngine.allCases.tried)
    func endsWhenItsUserClosesTheWindow(_ engine: BrowserEngine) async throws {
        try requireDriven(engine)
        let screen = try VirtualScreen()
        defer { screen.close() }
        let site = try DrivenSite(["/": .init(html: Self.page)])
        let folder = try makeFolder()
        let places = ["TMPDIR": folder.path(""), "XDG_RUNTIME_DIR": folder.path("run"), "DISPLAY": screen.name]
        let command = try RunningDaemon(
            ["\(site.url)/", "--port", "0", "--in", engine.rawValue, "--no-inspector"], environment: places,
            command: "open", by: #"exec "$@" 2>"$TMPDIR/errors""#)
        _ = await command.lines.first { $0.contains("ActionButton") }
        let closed = try await UserWindows.close("Opened", on: screen.name)
        #expect(closed.status == 0, "\(closed.errors)")
        #expect(try await command.exitStatus() == 0)
        let errors = try String(contentsOfFile: folder.path("errors"), encoding: .utf8)
        #expect(errors.hasSuffix("bridged: The last window of \(engine) was closed.\n"), "\(errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("")).sorted() == ["errors", "run"])
    }

    @Test(arguments: [BrowserEngine.chromium, .firefox].tried)
    func fails_ifTheBrowserIsKilled(_ engine: BrowserEngine) async throws {
        try requireDriven(engine)
        let site = try DrivenSite(["/": .init(html: Self.page)])
        let folder = try makeFolder()
        let command = try open(site.url, "--port", "0", "--in", engine.rawValue, in: folder)
        _ = await command.lines.first { $0.contains("ActionButton") }
        // The browser's profile is in the folder.
        let kill = try Process.run(URL(fileURLWithPath: "/usr/bin/pkill"), arguments: ["-9", "-f", folder.path("")])
        kill.waitUntilExit()
        #expect(kill.terminationStatus == 0)
        #expect(try await command.exitStatus() == 1)
    }

    @Test func usesTheDaemonThatRuns_andASecondOneIsASecondWindow() async throws {
        try requireDriven(.chromium)
        let site = try DrivenSite(["/": .init(html: Self.page)])
        let folder = try makeFolder()
        let daemon = try RunningDaemon(["--port", "0"], environment: ["XDG_RUNTIME_DIR": folder.path("run")])
        var lines = daemon.lines.makeAsyncIterator()
        while let line = await lines.next(), !line.contains("Ctrl-C") {}
        let windows = try (1...2).map { _ in try open(site.url, "--in", "chromium", in: folder) }
        // Each line names the page that has sent the message.
        var pages: Set<Substring> = []
        while pages.count < 2, let line = await lines.next() {
            guard line.contains("ActionButton") else { continue }
            pages.insert(try #require(line.firstMatch(of: /p\d+/)).output)
        }
        #expect(pages == ["p1", "p2"])
        for window in windows {
            window.signal(SIGTERM)
            #expect(try await window.exitStatus() == 0)
        }
    }

    @Test(arguments: [([], 393), (["--framework", "android"], 412), (["--device", "iPad"], 820)])
    func showsAPhone_byDefault(_ options: [String], _ width: Int) async throws {
        try requireDriven(.chromium)
        let command = try await openWidth(options)
        #expect(command == width)
        #expect(try await openWidth(options + ["--device", "none"]) != width)
    }

    /// - Returns: the width of the page that the command shows.
    private func openWidth(_ options: [String]) async throws -> Int? {
        let site = try DrivenSite([
            "/": .init(
                html: """
                    <!doctype html><meta name="viewport" content="width=device-width"><title>Opened</title>
                    <script>fetch(`/width/${innerWidth}`)</script>
                    """)
        ])
        let folder = try makeFolder()
        let places = ["TMPDIR": folder.path(""), "XDG_RUNTIME_DIR": folder.path("run")]
        let command = try RunningDaemon(
            ["\(site.url)/", "--headless", "--port", "0", "--in", "chromium"] + options, environment: places,
            command: "open")
        let line = await command.lines.first { $0.contains("/width/") }
        command.signal(SIGTERM)
        #expect(try await command.exitStatus() == 0)
        return line?.firstMatch(of: /\/width\/(\d+)/).flatMap { Int($0.1) }
    }

    @Test func showsADevice_inANamedWebView_ofADaemonByItsAddress() async throws {
        try requireDriven(.chromium)
        let site = try DrivenSite([
            "/": .init(
                html: """
                    <!doctype html><meta name="viewport" content="width=device-width"><title>Opened</title>
                    <script>
                    webkit.messageHandlers.nativeApp.postMessage({ name: "ActionButton", path: `/${innerWidth}`, icon: "plus" })
                    </script>
                    """)
        ])
        let folder = try makeFolder()
        let daemon = try RunningDaemon(["--port", "0", "--json"], environment: ["XDG_RUNTIME_DIR": folder.path("run")])
        let port = try await daemon.listening().port
        let window = try open(
            site.url, "--in", "chromium", "--url", "http://127.0.0.1:\(port)", "--device", "iPhone 16", "--web-view",
            "modal", in: folder)
        let message = await daemon.lines.first { $0.contains("ActionButton") } ?? ""
        #expect(message.contains(#""webView":"modal""#) && message.contains(#""path":"/393""#), "\(message)")
        window.signal(SIGTERM)
        #expect(try await window.exitStatus() == 0)
    }

    /// The options are for a daemon that starts.
    @Test func refusesOptionsOfADaemon_ifOneRuns() async throws {
        let folder = try makeFolder()
        let environment = ["XDG_RUNTIME_DIR": folder.path("run")]
        let daemon = try RunningDaemon(["--port", "0", "--json"], environment: environment)
        let port = try await daemon.listening().port
        let outcome = try await Executable.run(
            ["open", "http://localhost:1/", "--headless", "--framework", "android"], environment: environment)
        let expected = """
            error: --framework is an option of a daemon that starts, and http://127.0.0.1:\(port)/ runs already. Stop it, or \
            give a port for another one: --port 0.

            """
        #expect(outcome.status == 64 && outcome.errors == expected, "\(outcome.errors)")
    }

    /// Settings of the environment or of a file may be meant for other daemons, so they are no mistake.
    @Test func saysWhichSettingsHaveNoEffect_ifADaemonRuns() async throws {
        let folder = try makeFolder()
        let environment = ["XDG_RUNTIME_DIR": folder.path("run")]
        let daemon = try RunningDaemon(["--port", "0", "--json"], environment: environment)
        let port = try await daemon.listening().port
        try Data("root-url: http://a.example\nstubs: []".utf8)
            .write(to: URL(fileURLWithPath: folder.path("shop.yml")))
        let own = ["PATH": "/nonexistent", "BRIDGED_PUSH_TOKEN": "cafe", "BRIDGED_CONFIG": folder.path("shop.yml")]
        let outcome = try await Executable.run(
            ["open", "http://localhost:1/", "--headless", "--in", "firefox"],
            environment: environment.merging(own) { $1 })
        let file = folder.path("shop.yml")
        #expect(
            outcome.errors.hasPrefix(
                "note: http://127.0.0.1:\(port)/ runs already, so these have no effect: root-url in \(file), "
                    + "BRIDGED_PUSH_TOKEN, stubs in \(file)\n"), "\(outcome.errors)")
    }

    @Test(arguments: BrowserEngine.allCases.tried)
    func namesAServerThatDoesNotListen(_ engine: BrowserEngine) async throws {
        try requireDriven(engine)
        let port = try ListeningSocket().port
        let folder = try makeFolder()
        let places = ["TMPDIR": folder.path(""), "XDG_RUNTIME_DIR": folder.path("run")]
        let command = try RunningDaemon(
            ["http://127.0.0.1:\(port)/", "--headless", "--port", "0", "--in", engine.rawValue], environment: places,
            command: "open", by: #"exec "$@" 2>&1"#)
        let line = await command.lines.first { $0.contains("no server answers") }
        #expect(line?.hasPrefix("bridged: no server answers at http://127.0.0.1:\(port): ") == true, "\(line ?? "")")
        command.signal(SIGTERM)
        #expect(try await command.exitStatus() == 0)
    }

    @Test func namesTheCommandThatInstallsABrowser() async throws {
        let path = ["PATH": "/nonexistent"]
        let arguments = ["open", "http://localhost:1/", "--headless", "--port", "0"]
        let chosen = try await Executable.run(arguments + ["--in", "firefox"], environment: path)
        #expect(chosen.status == 1 && chosen.errors.contains("apt-get install firefox-esr"), "\(chosen.errors)")
        let best = try await Executable.run(arguments, environment: path)
        #expect(best.status == 1 && best.errors.contains("apt-get install"), "\(best.errors)")
    }

    @Test func refusesAnAddressWithoutAScheme() async throws {
        let outcome = try await Executable.run(["open", "localhost:3000/posts"])
        #expect(outcome.status == 64 && outcome.errors.contains("http://localhost:3000"), "\(outcome.errors)")
    }

    /// Makes a folder for the temporary files of a command, with the folder `run` for discovery files.
    private func makeFolder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path("run"), withIntermediateDirectories: true)
        return folder
    }

    private func open(_ url: String, _ options: String..., in folder: TemporaryFolder) throws -> RunningDaemon {
        let places = ["TMPDIR": folder.path(""), "XDG_RUNTIME_DIR": folder.path("run")]
        return try RunningDaemon(["\(url)/", "--headless"] + options, environment: places, command: "open")
    }
}
