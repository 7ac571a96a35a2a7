import ArgumentParser
import BridgeBrowsers
import BridgeClient
import BridgeProtocol
import BridgeServer
import BridgeTesting
import BridgeTraffic
import EmulatedApp
import Foundation
import PathConfiguration
import UnixSignals

/// `bridged open`
struct Open: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Show a page in a browser of its own, without a script tag in the page.",
        usage: "bridged open <url> [<options>]",
        discussion: """
            bridged drives the browser: every frame and document has the handlers, whatever its Content-Security-Policy \
            says, and scripts of native code run as in an app. It uses the daemon that is running, or else starts one and \
            serves until the window is closed. Chromium shows the inspector in a second window.

            Examples:
              bridged open http://localhost:3000
              bridged open http://localhost:3000 --in webkit --device "iPhone SE"
              bridged open http://localhost:3000 --headless & bridged eval document.title

            Exit codes: 0 the window was closed or Ctrl-C pressed, 1 the browser or the daemon failed, 64 a mistake in \
            the arguments.
            """)

    @Argument(help: "The page's address.")
    var address: String

    @OptionGroup var engine: EngineOptions

    @Flag(help: "Show no window.")
    var headless = false

    @Flag(inversion: .prefixedNo, help: "Show the inspector as well, if Chromium shows windows.")
    var inspector = true

    @OptionGroup var device: DeviceOptions

    @Option(help: ArgumentHelp("The name of the window's web view.", valueName: "name"))
    var webView = "main"

    @Option(help: ArgumentHelp("The address of a daemon that is running.", valueName: "url"))
    var url: String?

    @OptionGroup(title: "Options of the daemon, if one is started") var options: ServeOptions

    func validate() throws {
        // In localhost:3000, the text before the colon would be a scheme.
        let schemes = ["http", "https", "about", "data", "file"]
        guard let scheme = URL(string: address)?.scheme?.lowercased(), schemes.contains(scheme) else {
            throw ValidationError(
                "'\(TerminalText.escape(address))' is no address of a page. Write it like http://localhost:3000.")
        }
        let configuration = try MainActor.assumeIsolated { try ServeConfiguration.checked(options) }
        guard configuration?.binaryCount ?? 0 <= 1 else {
            throw ValidationError("open runs one app: give one binary. bridged test runs flows with several.")
        }
    }

    func run() throws {
        LocalTraffic.bypassProxy()
        let endpoint = try findDaemon()
        try MainActor.assumeIsolated {
            if let endpoint { try run(at: endpoint) } else { try serve() }
        }
    }

    /// Finds the daemon that runs, if there is one. A port is that of a daemon to start.
    private func findDaemon() throws -> DaemonEndpoint? {
        if options.port.isGiven, url == nil { return nil }
        do throws(ClientError) {
            return try DaemonFinder(environment: ProcessInfo.processInfo.environment).find(url: url)
        } catch .noDaemon where url == nil {
            return nil
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Opens the window at a daemon that is running.
    @MainActor private func run(at endpoint: DaemonEndpoint) throws {
        let configuration = try ServeConfiguration(options)
        if let flag = configuration.flags.first {
            throw CommandFailure(
                "--\(flag) is an option of a daemon that starts, and \(endpoint.url) runs already. Stop it, or give a port "
                    + "for another one: --port 0.", .usage)
        }
        guard let link = DaemonLink(endpoint) else {
            throw CommandFailure("\(endpoint.url) speaks https. bridged open needs a daemon that speaks http.", .usage)
        }
        if !configuration.sources.isEmpty {
            Terminal.printError(
                "note: \(endpoint.url) runs already, so these have no effect: "
                    + TerminalText.escape(configuration.sources.joined(separator: ", ")))
        }
        let inspector = Inspector.url(endpoint.url, token: endpoint.token)
        Terminal.printError("Inspect  \(TerminalText.escape(inspector))")
        let window = OpenWindow(
            command: self, link: link, daemon: endpoint.url, inspector: inspector, platform: Open.platform(at: endpoint)
        )
        Task { Foundation.exit(await window.run()) }
        DriverLoop.run()
    }

    /// The platform that the app of a running daemon emulates.
    private static func platform(at endpoint: DaemonEndpoint) -> Platform {
        let state = try? DaemonClient(endpoint).call("app.state")
        return state?["framework"]?.string.flatMap(Framework.init(named:))?.platform ?? .ios
    }

    /// Starts a daemon in this process, which serves until the window is closed.
    @MainActor private func serve() throws {
        let configuration = try ServeConfiguration(options)
        let errors = configuration.startLogging()
        let server = try configuration.makeServer()
        server.addAppOrigin(of: address)
        let app = try configuration.makeApp(server)
        let recording = try CassetteRecording(configuration, server)
        configuration.warnOfOldCassette()
        errors.redact = server.traffic.withoutTokens
        let output = ServeOutput(server, asJSON: configuration.writesJSON, errors: errors)
        var code: Int32 = 0
        try server.runOnMainThread { daemon in
            output.listening(at: daemon, app)
            Task {
                let link = DaemonLink(host: "127.0.0.1", port: Int(daemon.port), token: server.token)
                let inspector = Inspector.url(daemon, token: server.token)
                code = await OpenWindow(
                    command: self, link: link, daemon: daemon.url, inspector: inspector,
                    platform: configuration.frameworks[0].platform
                ).run()
                await server.stop()
            }
        }
        recording?.write()
        output.stopped()
        errors.finish(before: .now + .seconds(1))
        Foundation.exit(code)
    }
}

/// The window of `bridged open`, until its user closes it or a signal comes.
@MainActor private struct OpenWindow {
    let command: Open
    let link: DaemonLink
    /// The daemon's address, for people.
    let daemon: String
    /// The inspector's address.
    let inspector: String
    /// That of the emulated app.
    let platform: Platform

    /// - Returns: the exit code.
    func run() async -> Int32 {
        do {
            let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
            var options = LaunchOptions()
            options.isHeadless = command.headless
            options.device = try command.device.choice.device(on: platform)
            let (ends, end) = AsyncStream.makeStream(of: String?.self)
            Task {
                for await _ in signals { end.yield(nil) }
            }
            let browser = try await command.engine.found().open(
                command.address, as: command.webView, at: link, options
            ) { end.yield($0) }
            defer { browser.close() }
            // Chromium gets the address by its pipe: a command line would show the token to other users.
            if command.inspector, !command.headless, let chromium = browser as? ChromiumBrowser {
                try await chromium.openBeside(inspector)
            }
            // Standard output is for the traffic.
            Terminal.printError(
                "\(browser.engine) shows \(TerminalText.escape(command.address)) as the web view \(command.webView) of \(daemon). "
                    + "Close its window or press Ctrl-C to end.")
            // The process of WebKit tells the daemon, and not this one, that a load has failed.
            if browser.engine == .webkit, let text = await PageServer.ask(for: command.address).silence {
                Terminal.printError("bridged: \(TerminalText.escape(text)).")
            }
            for await reason in ends {
                guard let reason else { return 0 }
                Terminal.printError("bridged: \(reason)")
                return browser.hasClosedWindows ? 0 : 1
            }
        } catch {
            Terminal.printError("error: \(TerminalText.escape("\(error)"))")
            return 1
        }
        return 0
    }
}
