import AppBuild
import ArgumentParser
import BridgeBrowsers
import BridgeClient
import BridgeProtocol
import BridgeTraffic
import Foundation
import Logging
import UnixSignals

/// `bridged run`
struct Run: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Build an iOS app's own Swift on this machine, and run it without a screen.",
        usage: "bridged run <project> [<options>]",
        discussion: """
            The app runs on bridged's UIKit and WebKit. Its web views are windows of a browser that bridged drives; bridged \
            app, bridged tail and the inspector show and control it. docs/run.md says what works.

            Examples:
              bridged run MyApp.xcodeproj --url http://localhost:3000
              bridged run MyApp.xcodeproj --package hotwire-native-ios=../hotwire-native-ios
              bridged run MyApp.xcodeproj --build

            Exit codes: 0 it was ended, 1 the app cannot be built or has ended by itself, 64 a mistake in the arguments.
            """)

    @Argument(help: "A .xcodeproj, a .xcworkspace, a Package.swift, or a folder that has one.")
    var project: String

    @Option(help: ArgumentHelp("The app's target, if the project has several apps.", valueName: "name"))
    var target: String?

    @Option(
        help: ArgumentHelp(
            "The web app's server. It replaces the one in the app's source; see --origin.", valueName: "url"))
    var url: String?

    @Option(
        help: ArgumentHelp(
            "An origin in the app's source that --url replaces; may be repeated. (default: the only one)",
            valueName: "origin"))
    var origin: [String] = []

    @Option(
        help: ArgumentHelp(
            "A folder with a package, instead of what the project names; may be repeated.", valueName: "name=folder"))
    var package: [String] = []

    @Option(
        name: .customLong("in"),
        help: ArgumentHelp(
            "webkit, chromium or firefox. (default: the first of these that is installed)", valueName: "engine"))
    var engine: BrowserEngine?

    @Flag(help: "Show the browser's windows.")
    var windows = false

    @Option(help: ArgumentHelp("The port for tools and pages.", valueName: "port"))
    var port: UInt16 = DaemonEndpoint.defaultPort

    @Flag(help: "Build the app, and do not run it.")
    var build = false

    @Flag(help: "Print each change of the app's source, and what the compiler says.")
    var verbose = false

    func validate() throws {
        _ = try folders
        guard !origin.map(Origin.of).contains("null") else {
            throw ValidationError("--origin needs an address like https://example.com.")
        }
        guard url == nil || Origin.of(url ?? "") != "null" else {
            throw ValidationError("--url needs an address like http://localhost:3000.")
        }
    }

    private var folders: [String: URL] {
        get throws {
            var folders: [String: URL] = [:]
            for text in package {
                let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
                guard parts.count == 2 else {
                    throw ValidationError("--package needs a name and a folder, as in hotwire-native-ios=../sources.")
                }
                folders[parts[0].lowercased()] = URL(fileURLWithPath: parts[1], isDirectory: true).standardizedFileURL
            }
            return folders
        }
    }

    func run() throws {
        LocalTraffic.bypassProxy()
        LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }
        let app = try built()
        guard !build else { return Terminal.print(app.executable.path) }
        let origins = try replacedOrigins(app)
        Task { @MainActor in
            Foundation.exit(await RunningApp(command: self, executable: app.executable, origins: origins).run())
        }
        dispatchMain()
    }

    private func built() throws -> BuiltApp {
        var build = AppBuild(project: project)
        build.target = target
        build.packages = try folders
        build.log = { Terminal.printError(TerminalText.escape($0)) }
        if verbose { build.onDetail = { Terminal.printError("  " + TerminalText.escape($0)) } }
        do throws(BuildFailure) {
            return try build.run()
        } catch {
            let lines = error.description.split(separator: "\n", omittingEmptySubsequences: false)
            Terminal.printError("error: " + lines.map { TerminalText.escape(String($0)) }.joined(separator: "\n"))
            throw ExitCode.failure
        }
    }

    /// The lines of `BRIDGED_ORIGINS`.
    private func replacedOrigins(_ app: BuiltApp) throws -> [String] {
        guard let url else { return [] }
        let (new, named) = (Origin.of(url), origin.map(Origin.of))
        let found = app.origins.filter { $0 != new }
        let others = found.filter { !Run.isLoopback($0) }
        guard !named.isEmpty || others.count <= 1 else {
            throw CommandFailure(
                "The app's source has several origins: \(others.joined(separator: ", ")). "
                    + "Say which of them --url replaces: --origin \(others.first ?? "")", .usage)
        }
        let replaced = named.isEmpty ? found : named
        for origin in replaced { Terminal.printError("\(origin) in the app's source is \(new) now") }
        return replaced.map { "\($0) \(new)" }
    }

    private static func isLoopback(_ origin: String) -> Bool {
        let host = URLComponents(string: origin)?.host ?? ""
        return host == "localhost" || host.hasSuffix(".localhost") || host.hasPrefix("127.") || host == "[::1]"
    }
}
