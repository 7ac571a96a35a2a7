import BridgeProcesses
import BridgeTesting
import Foundation

/// A server that answers as it is told, not as bridged does (Tests/clients/false_daemon.py).
public final class FalseDaemon: Sendable {
    public let port: UInt16
    private let process: ChildProcess
    /// The server ends when this closes.
    private let input: Pipe

    /// - Parameter behaviour: a name of the script's `BEHAVIOURS`, or the body of each answer.
    public init(_ behaviour: String) async throws {
        let output = Pipe.withoutInheritance()
        input = Pipe.withoutInheritance()
        process = try ChildProcess(
            URL(fileURLWithPath: "/usr/bin/env"),
            ["python3", "-u", Repository.file("Tests/clients/false_daemon.py").path, behaviour],
            input: .pipe(input), output: .pipe(output))
        let line = try await offThread { String(decoding: output.fileHandleForReading.readChunk(), as: UTF8.self) }
        port = UInt16(line.trimmingCharacters(in: .newlines)) ?? 0
    }

    deinit { process.signal(SIGKILL) }

    public var url: String { "http://127.0.0.1:\(port)/" }
}
