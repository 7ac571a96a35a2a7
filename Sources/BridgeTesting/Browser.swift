import Foundation
import Synchronization

/// A real browser without a window. Its profile is deleted when it closes.
public final class Browser: Sendable {
    /// The error if the browser is not installed.
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
    /// The virtual screen of an engine that needs one.
    private let screen: VirtualScreen?
    private let isClosed = Atomic(false)

    /// Starts a browser that shows `url`.
    /// - Parameters:
    ///   - userAgent: what it sends in requests; nil for its own.
    ///   - arguments: additional arguments of the browser.
    ///   - localNames: host names that resolve to this machine, whatever DNS says. WebKitGTK has no such setting.
    /// - Throws: `Missing`, or a system error.
    public init(
        _ engine: Engine, opening url: String, userAgent: String? = nil, arguments: [String] = [],
        localNames: [String] = []
    ) throws {
        guard let executable = engine.executable else { throw Missing(engine: engine) }
        self.engine = engine
        profile = FileManager.default.temporaryDirectory.appendingPathComponent("bridged-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: profile, withIntermediateDirectories: true)
        screen = engine.needsScreen ? try VirtualScreen() : nil
        process = Process()
        process.executableURL = executable
        process.arguments = try engine.arguments(profile: profile, userAgent: userAgent, localNames) + arguments + [url]
        process.environment = ProcessInfo.processInfo.environment
            .merging(engine.environment(profile: profile, display: screen?.name)) { $1 }
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        process.endWithParent()
        try process.run()
    }

    deinit { close() }

    /// Suspends all processes of the browser until `wake`, as if the machine went to sleep.
    public func sleep() { signal(SIGSTOP) }

    public func wake() { signal(SIGCONT) }

    /// Signals all processes of the browser. They are in the process group that Foundation makes for each child.
    private func signal(_ number: Int32) { kill(-process.processIdentifier, number) }

    /// Kills the browser, and deletes its profile. A second call does nothing.
    public func close() {
        guard !isClosed.exchange(true, ordering: .relaxed) else { return }
        process.end()
        screen?.close()
        try? FileManager.default.removeItem(at: profile)
    }
}
