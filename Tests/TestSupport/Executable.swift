public import Foundation

/// The real `bridged`, as `swift build` made it beside the tests.
public enum Executable {
    public struct Outcome: Sendable {
        public let status: Int32
        public let output: String
        public let errors: String
    }

    static let url = URL(fileURLWithPath: ProcessInfo.processInfo.arguments[0])
        .deletingLastPathComponent().appendingPathComponent("bridged")

    /// Runs it to its end.
    ///
    /// - Parameters:
    ///   - environment: is added to the test's own.
    ///   - input: what it reads from standard input.
    ///   - script: a shell script that runs it as `"$@"`, to start it under circumstances of one's own.
    /// - Returns: for one that a signal killed, a status of 128 and more.
    public static func run(
        _ arguments: [String], environment: [String: String] = [:], input: String = "", by script: String? = nil
    ) async throws -> Outcome {
        let (output, errors, inputs) = (Pipe(), Pipe(), Pipe())
        let process = make(arguments, environment: environment, by: script)
        process.standardInput = inputs
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        try inputs.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try inputs.fileHandleForWriting.close()
        async let outputText = offThread { output.fileHandleForReading.readAll() }
        async let errorText = offThread { errors.fileHandleForReading.readAll() }
        let texts = try await (outputText, errorText)
        return Outcome(
            status: try await offThread { process.waitForEnd() },
            output: String(decoding: texts.0, as: UTF8.self),
            errors: String(decoding: texts.1, as: UTF8.self))
    }
}

extension Executable {
    /// Starts it with the ends of a terminal, or whatever they are.
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
        return process
    }
}

/// A `bridged serve`, or another command, that runs beside the test.
public final class RunningDaemon: Sendable {
    /// Its standard output, line by line. One consumer.
    public let lines: AsyncStream<String>
    private let process: Process

    public convenience init(_ arguments: String...) throws {
        try self.init(arguments, environment: [:])
    }

    /// - Parameters:
    ///   - environment: is added to the test's own.
    ///   - script: as for `Executable.run`; it ends with `exec "$@"`, so that signals reach the daemon.
    public init(
        _ arguments: [String], environment: [String: String] = [:], command: String = "serve", by script: String? = nil
    ) throws {
        let output = Pipe()
        process = Executable.make([command] + arguments, environment: environment, by: script)
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        self.lines = lines
        Thread {
            var rest = ""
            while case let data = output.fileHandleForReading.readChunk(), !data.isEmpty {
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

    public func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Waits for its end. The exit status, and a status of 128 and more for a signal that killed it.
    public func exitStatus() async throws -> Int32 {
        try await offThread { [process] in process.waitForEnd() }
    }
}

extension Process {
    /// The exit status, and 128 and more for a signal that killed it.
    ///
    /// `waitUntilExit` waits for everybody who inherited a socket of Foundation's, such as a browser that another test
    /// started at the same moment.
    public func waitForEnd() -> Int32 {
        var status: Int32 = 0
        while waitpid(processIdentifier, &status, 0) == -1 {
            if errno == EINTR { continue }
            // Foundation was first.
            waitUntilExit()
            return terminationReason == .exit ? terminationStatus : 128 + terminationStatus
        }
        let signal = status & 0x7f
        return signal == 0 ? (status >> 8) & 0xff : 128 + signal
    }
}
