import BridgeProcesses
import Foundation
import Synchronization
import TestSupport

/// A real `redis-server` on a Unix socket, which keeps every command on disk before it answers.
final class RedisServer: Sendable {
    let folder: TemporaryFolder
    private let options: [String]
    private let process = Mutex<ChildProcess?>(nil)

    var socket: String { folder.path("redis.sock") }

    /// The address for `--cluster`.
    func url(_ name: String = "test") -> String { "unix://\(socket)?name=\(name)" }

    init(_ options: String...) async throws {
        folder = try TemporaryFolder()
        self.options = options
        try await start()
    }

    deinit { stop() }

    /// Starts it, and waits until it accepts connections.
    func start() async throws {
        let (lines, output) = AsyncStream.makeStream(of: String.self)
        let pipe = Pipe.withoutInheritance()
        let process = try ChildProcess(
            URL(fileURLWithPath: "/usr/bin/redis-server"),
            ["--port", "0", "--unixsocket", socket, "--dir", folder.path(""), "--save", ""]
                + ["--appendonly", "yes", "--appendfsync", "always"] + options,
            output: .pipe(pipe), errors: .standardError)
        self.process.withLock { $0 = process }
        Thread {
            while case let data = pipe.fileHandleForReading.availableData, !data.isEmpty {
                output.yield(String(decoding: data, as: UTF8.self))
            }
            output.finish()
        }.start()
        for await text in lines where text.contains("eady to accept connections") { return }
        throw CocoaError(.executableLoad)
    }

    /// Kills it.
    func stop() {
        process.withLock { $0.take() }?.end()
    }

    /// Runs a command with `redis-cli`.
    @discardableResult
    func command(_ words: String...) async throws -> String { try await run(words) }

    func run(_ words: [String]) async throws -> String {
        let output = Pipe.withoutInheritance()
        let process = try ChildProcess(
            URL(fileURLWithPath: "/usr/bin/redis-cli"), ["-s", socket] + words, output: .pipe(output),
            errors: .standardError)
        return try await offThread {
            let data = output.fileHandleForReading.readDataToEndOfFile()
            process.waitForEnd()
            return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .newlines)
        }
    }
}
