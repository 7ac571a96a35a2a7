import Foundation
import Synchronization
import TestSupport

/// A real `redis-server` on a Unix socket, which keeps every command on disk before it answers.
final class RedisServer: Sendable {
    let folder: TemporaryFolder
    private let options: [String]
    private let process = Mutex<Process?>(nil)

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
        let pipe = Pipe()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/redis-server")
        process.arguments =
            ["--port", "0", "--unixsocket", socket, "--dir", folder.path(""), "--save", ""]
            + ["--appendonly", "yes", "--appendfsync", "always"] + options
        process.standardOutput = pipe
        try process.run()
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
        guard let process = process.withLock({ $0.take() }) else { return }
        kill(process.processIdentifier, SIGKILL)
        _ = process.waitForEnd()
    }

    /// Runs a command with `redis-cli`.
    @discardableResult
    func command(_ words: String...) async throws -> String { try await run(words) }

    func run(_ words: [String]) async throws -> String {
        let output = Pipe()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/redis-cli")
        process.arguments = ["-s", socket] + words
        process.standardOutput = output
        try process.run()
        return try await offThread {
            let data = output.fileHandleForReading.readDataToEndOfFile()
            _ = process.waitForEnd()
            return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .newlines)
        }
    }
}
