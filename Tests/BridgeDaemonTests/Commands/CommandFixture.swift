import BridgeProtocol
import Foundation
import TestSupport
import Testing

/// A daemon with its own run files, a page without a browser, and commands that talk to them.
final class CommandFixture: Sendable {
    /// The origin of the app's pages.
    static let origin = "http://localhost:3000"

    let port: UInt16
    let page: PageClient
    private let daemon: RunningDaemon
    private let folder: TemporaryFolder
    private let answers: Task<Void, any Error>

    /// - Parameter scripts: the page's answers to scripts, as members of the JSON-RPC response.
    init(scripts: [String: String] = [:]) async throws {
        folder = try TemporaryFolder()
        daemon = try RunningDaemon(
            ["--port", "0", "--json", "--push-token", "cafe"], environment: ["XDG_RUNTIME_DIR": folder.path("")])
        port = try await daemon.listening().port
        (page, _) = try await PageClient.attach(port: port, origin: CommandFixture.origin)
        answers = Task { [page] in
            while true {
                let request = try await page.next("jsonrpc", "2.0")
                let params = request["params"]
                guard let id = request["id"]?.number, request["method"] != nil,
                    let answer = scripts[params?["source"]?.string ?? params?["body"]?.string ?? ""]
                else { continue }
                page.send("{\"jsonrpc\":\"2.0\",\"id\":\(id),\(answer)}")
            }
        }
    }

    deinit { answers.cancel() }

    /// The environment in which a command finds the daemon and leaves the user's own files alone.
    var environment: [String: String] {
        ["XDG_RUNTIME_DIR": folder.path(""), "XDG_STATE_HOME": folder.path("")]
    }

    func path(_ name: String) -> String { folder.path(name) }

    /// Stops the daemon cleanly.
    func stop() { daemon.signal(SIGTERM) }

    /// Ends the daemon at once.
    func kill() { daemon.signal(SIGKILL) }

    /// Starts a command that keeps running.
    func start(_ command: String, _ arguments: String...) throws -> RunningDaemon {
        try RunningDaemon(arguments, environment: environment, command: command)
    }

    func run(
        _ arguments: String..., input: String = "", environment: [String: String] = [:]
    ) async throws -> Executable.Outcome {
        try await run(arguments, input: input, environment: environment)
    }

    func run(
        _ arguments: [String], input: String = "", environment: [String: String] = [:]
    ) async throws -> Executable.Outcome {
        try await Executable.run(
            arguments, environment: self.environment.merging(environment) { $1 }, input: input)
    }
}
