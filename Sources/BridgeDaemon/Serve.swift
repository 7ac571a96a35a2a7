import ArgumentParser
import BridgeProtocol
import BridgeServer
import BridgeTraffic
import BridgeYAML
import EmulatedApp
import Foundation
import Logging

/// `bridged serve`
///
/// The command is synchronous, because the event loop runs on the main thread and drains the main queue itself. With an
/// async `main`, the Swift runtime would drain the main queue.
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

            SIGTERM and SIGINT stop it cleanly, SIGHUP makes it reopen the log file.
            Exit codes: 0 after SIGTERM or SIGINT, 1 if it can't serve, 64 for a mistake in the options.
            """)

    @Flag(help: "Open the inspector in your browser.")
    var open = false

    @OptionGroup var cluster: ClusterOptions

    @OptionGroup var options: ServeOptions

    func validate() throws {
        try MainActor.assumeIsolated {
            guard let configuration = try ServeConfiguration.checked(options, cluster: cluster) else {
                return
            }
            let surplus =
                configuration.frameworks.count > 1 ? "framework" : configuration.binaryCount > 1 ? "binary" : nil
            if let surplus {
                throw ValidationError("serve runs one app: give one \(surplus). bridged test runs flows with several.")
            }
        }
    }

    func run() throws {
        try MainActor.assumeIsolated {
            let configuration = try ServeConfiguration(options, cluster: cluster)
            let errors = configuration.startLogging()
            let server = try configuration.makeServer()
            errors.redact = server.traffic.withoutTokens
            let cluster = try configuration.makeCluster(server)
            let app = try configuration.makeApp(server)
            let recording = try CassetteRecording(configuration, server)
            configuration.warnOfOldCassette()
            let output = ServeOutput(server, asJSON: configuration.writesJSON, node: cluster?.node, errors: errors)
            let signals = Signals(server, cluster)
            let trapped = Task { await Signals.trap() }
            Task { await signals.follow(trapped.value) }
            try server.runOnMainThread { address in
                cluster?.start()
                // A program may send a signal as soon as it has read that the daemon listens.
                Task {
                    _ = await trapped.value
                    output.listening(at: address, app)
                    if open { Inspector.open(address, token: server.token, errors: errors) }
                }
            }
            cluster?.stop()
            recording?.write()
            output.stopped()
            errors.finish(before: .now + .seconds(1))
        }
    }
}

extension ServeConfiguration {
    /// Checks the options.
    /// - Returns: nil if the mistake is in a file, which the command reports when it runs: its usage would not help.
    /// - Throws: `ValidationError`, which ArgumentParser reports with the command's usage.
    static func checked(
        _ options: ServeOptions, cluster: ClusterOptions? = nil
    ) throws -> ServeConfiguration? {
        do { return try ServeConfiguration(options, cluster: cluster) } catch is YAMLError {
            return nil
        } catch {
            throw ValidationError(TerminalText.escape("\(error)"))
        }
    }

    /// Lets the daemon log to standard error, as much as the options say. A process does it once.
    func startLogging() -> ErrorLog {
        let level: Logger.Level = isVerbose ? .debug : writesJSON ? .warning : .error
        let errors = ErrorLog()
        LoggingSystem.bootstrap { ErrorLogHandler(label: $0, logLevel: level, log: errors) }
        return errors
    }
}
