import BridgeProtocol
import BridgeTesting
import Foundation
import Testing

/// A program that tests start.
struct Program {
    struct Outcome {
        let status: Int32
        let output: String
        let errors: String
    }

    let url: URL

    /// The `bridged` that `swift build` has made of this repository, or the one that `BRIDGED_EXECUTABLE` names.
    static let bridged = Program(
        url: ProcessInfo.processInfo.environment["BRIDGED_EXECUTABLE"].map { URL(fileURLWithPath: $0) }
            ?? URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../.build/debug/bridged").standardized)

    /// The app of `Tests/FlowApp`.
    static let flowApp = Program(
        url: URL(fileURLWithPath: ProcessInfo.processInfo.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("FlowApp"))

    /// Runs the program and waits until it ends.
    /// - Parameter environment: variables to add to those of the test.
    func run(_ arguments: [String], environment: [String: String] = [:]) async throws -> Outcome {
        // Files, not pipes: a browser may inherit the end of a pipe, and reading to the end would then wait for it.
        let folder = try Folder()
        let process = Process()
        process.executableURL = url
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try folder.handle("output")
        process.standardError = try folder.handle("errors")
        try process.run()
        let (ends, end) = AsyncStream.makeStream(of: Int32.self)
        Thread { end.yield(process.waitForEnd()) }.start()
        for await status in ends {
            return Outcome(status: status, output: try folder.read("output"), errors: try folder.read("errors"))
        }
        process.terminate()
        throw CancellationError()
    }
}

/// Skips the test if `bridged` has not been built, or a browser is not installed. In CI, that is an error.
func require(_ engine: BrowserEngine) throws {
    let isInstalled =
        switch engine {
        case .chromium: Browser.Engine.chromium.executable != nil
        case .firefox: Browser.Engine.firefox.executable != nil
        case .webkit: Program.bridged.isBeside("bridged-webkit")
        }
    guard Program.bridged.isBeside("bridged") else { return try skip("There is no \(Program.bridged.url.path).") }
    guard isInstalled else { return try skip("\(engine) is not installed.") }
}

private func skip(_ reason: String) throws {
    struct Missing: Error { let reason: String }
    guard ProcessInfo.processInfo.environment["CI"] == nil else { throw Missing(reason: reason) }
    print("Skipped: \(reason)")
    try Test.cancel("\(reason)")
}

extension Program {
    fileprivate func isBeside(_ name: String) -> Bool {
        FileManager.default.isExecutableFile(atPath: url.deletingLastPathComponent().appendingPathComponent(name).path)
    }
}

extension Process {
    /// Waits for the end of the process and returns its status: 128 plus the signal's number if a signal ended it.
    ///
    /// `waitUntilExit` is no alternative: it also waits for the browsers, which have inherited a socket of Foundation.
    fileprivate func waitForEnd() -> Int32 {
        var status: Int32 = 0
        while waitpid(processIdentifier, &status, 0) == -1 {
            if errno == EINTR { continue }
            // Foundation has collected the process first.
            waitUntilExit()
            return terminationStatus
        }
        let signal = status & 0x7f
        return signal == 0 ? (status >> 8) & 0xff : 128 + signal
    }
}
