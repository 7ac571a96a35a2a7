package import BridgeProcesses
import BridgeTesting
public import Foundation

/// The `bridged` executable that `swift build` has put beside the tests.
public enum Executable {
    public struct Outcome: Sendable {
        public let status: Int32
        public let output: String
        public let errors: String
    }

    /// `BRIDGED_EXECUTABLE` names another one, such as that of a release build.
    static let url =
        ProcessInfo.processInfo.environment["BRIDGED_EXECUTABLE"].map { URL(fileURLWithPath: $0) }
        ?? URL(fileURLWithPath: ProcessInfo.processInfo.arguments[0])
        .deletingLastPathComponent().appendingPathComponent("bridged")

    /// Another program of this package.
    public static func beside(_ name: String) -> URL { url.deletingLastPathComponent().appendingPathComponent(name) }

    /// Runs the executable and waits until it ends.
    ///
    /// - Parameters:
    ///   - environment: variables to add to those of the test.
    ///   - input: the text on its standard input.
    ///   - script: a shell script that runs the command `"$@"`, to change the conditions under which it starts.
    /// - Returns: its output and its status. The status is 128 plus the signal's number if a signal ended the
    ///   executable.
    public static func run(
        _ arguments: [String], environment: [String: String] = [:], input: String = "", by script: String? = nil
    ) async throws -> Outcome {
        // Files, not pipes, which two threads would have to read at the same time.
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = ["input", "output", "errors"].map { folder.appendingPathComponent($0) }
        try Data(input.utf8).write(to: files[0])
        try Data().write(to: files[1])
        try Data().write(to: files[2])
        let process = try start(
            arguments, environment: environment, by: script, input: .file(FileHandle(forReadingFrom: files[0])),
            output: .file(FileHandle(forWritingTo: files[1])), errors: .file(FileHandle(forWritingTo: files[2])))
        return Outcome(
            status: try await offThread { process.waitForEnd().shellStatus },
            output: String(decoding: try Data(contentsOf: files[1]), as: UTF8.self),
            errors: String(decoding: try Data(contentsOf: files[2]), as: UTF8.self))
    }
}

extension Executable {
    /// Starts the executable with the given files, such as the ends of a pseudo-terminal.
    package static func start(
        _ arguments: [String], environment: [String: String], by script: String? = nil,
        input: ChildProcess.Stream = .null, output: ChildProcess.Stream, errors: ChildProcess.Stream = .null
    ) throws -> ChildProcess {
        try ChildProcess(
            script == nil ? url : URL(fileURLWithPath: "/bin/sh"),
            (script.map { ["-c", $0, "sh", url.path] } ?? []) + arguments,
            environment: ProcessInfo.processInfo.environment.merging(environment) { $1 }, input: input, output: output,
            errors: errors)
    }
}

/// A `bridged serve`, or another long-running command, that runs until this object is released.
public final class RunningDaemon: Sendable {
    /// The lines of its standard output. Only one task can read them.
    public let lines: AsyncStream<String>
    private let process: ChildProcess
    /// Whoever holds it may read the standard output. It begins at 0, because a semaphore must not end with less than it
    /// began with.
    private let reading = DispatchSemaphore(value: 0)

    public convenience init(_ arguments: String...) throws {
        try self.init(arguments, environment: [:])
    }

    /// - Parameters:
    ///   - environment: variables to add to those of the test.
    ///   - script: as in `Executable.run`. It must end with `exec "$@"`, so that signals reach the daemon.
    ///   - input: its standard input, whose other end is the caller's; nil for none.
    public init(
        _ arguments: [String], environment: [String: String] = [:], command: String = "serve", by script: String? = nil,
        input: Pipe? = nil
    ) throws {
        let output = Pipe.withoutInheritance()
        process = try Executable.start(
            [command] + arguments, environment: environment, by: script, input: input.map { .pipe($0) } ?? .null,
            output: .pipe(output))
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        self.lines = lines
        reading.signal()
        Thread { [reading] in
            var rest = ""
            while true {
                reading.wait()
                reading.signal()
                let data = output.fileHandleForReading.readChunk()
                if data.isEmpty { break }
                rest += String(decoding: data, as: UTF8.self)
                while let end = rest.firstIndex(of: "\n") {
                    continuation.yield(String(rest[..<end]))
                    rest = String(rest[rest.index(after: end)...])
                }
            }
            continuation.finish()
        }.start()
    }

    deinit { process.signal(SIGTERM) }

    /// Leaves the output unread from now on, but for what is being read, until `readOn`.
    public func stopReading() { reading.wait() }

    public func readOn() { reading.signal() }

    public func signal(_ number: Int32) { process.signal(number) }

    /// Waits for its end and returns its status: 128 plus the signal's number if a signal ended it.
    public func exitStatus() async throws -> Int32 {
        try await offThread { [process] in process.waitForEnd().shellStatus }
    }
}
