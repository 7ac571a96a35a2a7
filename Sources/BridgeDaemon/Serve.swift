import ArgumentParser
import BridgeProtocol
import BridgeServer
import EmulatedApp
import Foundation
import Logging

/// `bridged serve`. Synchronous, because the loop takes the main thread: under an async `main` the main queue is
/// already being drained by somebody else.
struct Serve: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve pages until stopped.",
        usage: "bridged serve [<options>]",
        discussion: """
            Examples:
              bridged serve
              bridged serve --root-url http://localhost:3000 --log traffic.ndjson
              bridged serve --port 0 --json | jq 'select(.kind == "message")'

            SIGTERM and SIGINT stop it in good order, SIGHUP has it open the log file again.
            Exit codes: 0 after SIGTERM or SIGINT, 1 where it can't serve, 64 for a mistake in the options.
            """)

    @OptionGroup var options: ServeOptions

    func validate() throws {
        do {
            guard try Serving(options).platforms.count == 1 else {
                throw SettingError(
                    description: "serve is one app: give one platform, ios or android. bridged test runs flows on both."
                )
            }
        } catch {
            throw ValidationError("\(error)")
        }
    }

    func run() throws {
        let serving = try Serving(options)
        let level: Logger.Level = serving.isVerbose ? .debug : serving.writesJSON ? .warning : .error
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = level
            return handler
        }
        try MainActor.assumeIsolated { try serve(serving) }
    }

    @MainActor private func serve(_ serving: Serving) throws {
        let server = try serving.makeServer()
        let app = try serving.makeApp(server)
        let output: any Output = serving.writesJSON ? JSONOutput(server) : TerminalOutput(server)
        Task { await Signals(server).follow() }
        try server.runOnMainThread { address in output.listening(address, app, log: serving.configuration.logPath) }
        output.stopped()
    }
}
