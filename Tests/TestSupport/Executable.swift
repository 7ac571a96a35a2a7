import BridgeProcesses
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
        // Files, not pipes: a process that another test starts at the same moment may inherit the end of a pipe, and
        // reading to the end would then wait for that process as well.
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = ["input", "output", "errors"].map { folder.appendingPathComponent($0) }
        try Data(input.utf8).write(to: files[0])
        try Data().write(to: files[1])
        try Data().write(to: files[2])
        let process = make(arguments, environment: environment, by: script)
        process.standardInput = try FileHandle(forReadingFrom: files[0])
        process.standardOutput = try FileHandle(forWritingTo: files[1])
        process.standardError = try FileHandle(forWritingTo: files[2])
        try process.run()
        return Outcome(
            status: try await offThread { process.waitForEnd() },
            output: String(decoding: try Data(contentsOf: files[1]), as: UTF8.self),
            errors: String(decoding: try Data(contentsOf: files[2]), as: UTF8.self))
    }
}

extension Executable {
    /// Starts the executable with the given files, such as the ends of a pseudo-terminal.
    public static func start(
        _ arguments: [String], environment: [String: String], input: FileHandle, output: FileHandle
    ) throws -> Process {
        let process = make(arguments, environment: environment)
        process.standardInput = input
        process.standardOutput = output
        process.standardError = output
        try process.run()
        return process
    }

    fileprivate static func make(
        _ arguments: [String], environment: [String: String], by script: String? = nil
    ) -> Process {
        let process = Process()
        process.executableURL = url
        process.arguments = arguments
        if let script {
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = ["-c", script, "sh", url.path] + arguments
        }
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.endWithParent()
        return process
    }
}

/// A `bridged serve`, or another long-running command, that runs until this object is released.
public final class RunningDaemon: Sendable {
    /// The lines of its standard output. Only one task can read them.
    public let lines: AsyncStream<String>
    private let process: Process
    /// Whoever holds it may read the standard output. It begins at 0, because a semaphore must not end with less than it
    /// began with.
    private let reading = DispatchSemaphore(value: 0)

    public convenience init(_ arguments: String...) throws {
        try self.init(arguments, environment: [:])
    }

    /// - Parameters:
    ///   - environment: variables to add to those of the test.
    ///   - script: as in `Executable.run`. It must end with `exec "$@"`, so that signals reach the daemon.
    public init(
        _ arguments: [String], environment: [String: String] = [:], command: String = "serve", by script: String? = nil
    ) throws {
        let output = Pipe.withoutInheritance()
        process = Executable.make([command] + arguments, environment: environment, by: script)
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
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

    deinit { process.terminate() }

    /// Leaves the output unread from now on, but for what is being read, until `readOn`.
    public func stopReading() { reading.wait() }

    public func readOn() { reading.signal() }

    public func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Waits for its end and returns its status: 128 plus the signal's number if a signal ended it.
    public func exitStatus() async throws -> Int32 {
        try await offThread { [process] in process.waitForEnd() }
    }
}

extension Process {
    /// Waits for the end of the process and returns its status: 128 plus the signal's number if a signal ended it.
    ///
    /// `waitUntilExit` is no alternative: it waits for every process that inherited one of Foundation's sockets, such
    /// as a browser that another test started at the same moment.
    public func waitForEnd() -> Int32 {
        var status: Int32 = 0
        while waitpid(processIdentifier, &status, 0) == -1 {
            if errno == EINTR { continue }
            // Foundation has collected the process first.
            waitUntilExit()
            return terminationReason == .exit ? terminationStatus : 128 + terminationStatus
        }
        let signal = status & 0x7f
        return signal == 0 ? (status >> 8) & 0xff : 128 + signal
    }
}
