import Foundation
import Synchronization

/// A real browser without a window, with a profile of its own that goes with it.
public final class Browser: Sendable {
    /// The browser is not on this machine.
    public struct Missing: Error, CustomStringConvertible {
        public let engine: Engine

        public init(engine: Engine) { self.engine = engine }

        public var description: String {
            "No \(engine) on PATH. `make test` installs it, or: apt-get install \(engine.packages)"
        }
    }

    public let engine: Engine
    private let process: Process
    let profile: URL
    /// Where the engine can't do without a screen.
    private let screen: VirtualScreen?
    private let isClosed = Atomic(false)

    /// Starts a browser that shows `url`.
    /// - Parameters:
    ///   - arguments: more of the browser's own.
    ///   - localNames: host names that lead to this machine, whatever DNS says. WebKitGTK knows no such setting.
    /// - Throws: `Missing`, or an error of the system.
    public init(
        _ engine: Engine, opening url: String, arguments: [String] = [], localNames: [String] = []
    ) throws {
        guard let executable = engine.executable else { throw Missing(engine: engine) }
        self.engine = engine
        profile = FileManager.default.temporaryDirectory.appendingPathComponent("bridged-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: profile, withIntermediateDirectories: true)
        screen = engine.needsScreen ? try VirtualScreen() : nil
        process = Process()
        process.executableURL = executable
        process.arguments = try engine.arguments(profile: profile, localNames) + arguments + [url]
        process.environment = ProcessInfo.processInfo.environment
            .merging(engine.environment(profile: profile, display: screen?.name)) { $1 }
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    deinit { close() }

    /// Stops all of the browser until `wake`, as a machine that goes to sleep does.
    public func sleep() { signal(SIGSTOP) }

    public func wake() { signal(SIGCONT) }

    /// A browser is many processes, in the group that Foundation starts each child in.
    private func signal(_ number: Int32) { kill(-process.processIdentifier, number) }

    /// Ends the browser at once, and removes its profile. A second call does nothing.
    public func close() {
        guard !isClosed.exchange(true, ordering: .relaxed) else { return }
        process.end()
        screen?.close()
        try? FileManager.default.removeItem(at: profile)
    }
}
