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
              bridged run MyApp.xcodeproj --tests

            Exit codes: 0 it was ended, or all tests passed; 1 the app cannot be built or has ended by itself, or a test \
            failed; 64 a mistake in the arguments.
            """)

    @Argument(help: "A .xcodeproj, a .xcworkspace, a Package.swift, or a folder that has one.")
    var project: String

    @OptionGroup var app: AppOptions

    @OptionGroup var engine: EngineOptions

    @Flag(help: "Show the browser's windows.")
    var windows = false

    @Option(
        help: ArgumentHelp(
            "The port for tools and pages. (default: \(DaemonEndpoint.defaultPort))", valueName: "port"))
    var port: UInt16?

    @Flag(help: "Build the app, and do not run it.")
    var build = false

    @Flag(help: "Run the unit tests of the app or package, and not the app.")
    var tests = false

    @Flag(help: "Print each change of the app's source, and what the compiler says.")
    var verbose = false

    func validate() throws {
        let useless: [(String, Bool)] = [
            ("--in", build && engine.engine != nil), ("--windows", (build || tests) && windows),
            ("--port", (build || tests) && port != nil),
        ]
        guard let (option, _) = useless.first(where: { $0.1 }) else { return }
        throw ValidationError(
            "\(option) has no effect with \(build ? "--build, which runs nothing" : "--tests, which runs no app").")
    }

    func run() throws {
        LocalTraffic.bypassProxy()
        LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }
        let phone = try ConfigurationFile.find(nil)?.phone
        let (built, origins) = try app.build(
            project, hasTests: tests, runsFlows: build || tests, isVerbose: verbose)
        guard !build else { return Terminal.print(built.executable.path) }
        guard !tests else { throw try UnitTests(built, self, origins).run() }
        Task { @MainActor in
            let environment = app.environment(of: built, origins, on: phone)
            Foundation.exit(await RunningApp(command: self, app: built, environment: environment).run())
        }
        dispatchMain()
    }
}
