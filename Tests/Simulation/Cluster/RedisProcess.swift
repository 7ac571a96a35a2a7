import BridgeCluster
import BridgeProcesses
import Foundation

/// A real `redis-server`, which runs one command after the other for a simulation.
final class RedisProcess {
    struct Failure: Error { let text: String }

    private let folder: URL
    private let process: ChildProcess
    private var descriptor: Int32 = -1
    private let reader: RedisReader

    init() throws {
        guard let reader = RedisReader() else { throw Failure(text: "there is no memory") }
        self.reader = reader
        folder = FileManager.default.temporaryDirectory.appending(path: "cluster-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let socket = folder.appending(path: "redis.sock").path
        let output = Pipe.withoutInheritance()
        process = try ChildProcess(
            URL(fileURLWithPath: "/usr/bin/redis-server"),
            [
                "--port", "0", "--unixsocket", socket, "--dir", folder.path, "--save", "", "--appendonly", "no",
            ], output: .pipe(output), errors: .standardError, deleting: folder)
        var log = ""
        while !log.contains("eady to accept connections") {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw Failure(text: "redis-server does not start: \(log)") }
            log += String(decoding: data, as: UTF8.self)
        }
        // A log that nobody reads would stop it.
        Thread.detachNewThread { while !output.fileHandleForReading.availableData.isEmpty {} }
        try connect(to: socket)
    }

    deinit { stop() }

    func stop() {
        guard process.isRunning else { return }
        close(descriptor)
        process.end()
        try? FileManager.default.removeItem(at: folder)
    }

    private func connect(to path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw Failure(text: "cannot connect to \(path)") }
    }

    /// Runs a command, and waits for its answer.
    @discardableResult
    func run(_ command: RedisCommand) -> RedisReply {
        let message = command.message
        var sent = 0
        while sent < message.count {
            let count = message[sent...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return .lost }
            sent += count
        }
        return withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 1) { buffer in
            while true {
                if let reply = try? reader.next() { return reply }
                let count = read(descriptor, buffer.baseAddress, buffer.count)
                guard count > 0 else { return .lost }
                reader.feed(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
        }
    }

    @discardableResult
    func run(_ words: String...) -> RedisReply {
        var command = RedisCommand()
        for word in words { command.add(word) }
        return run(command)
    }
}
