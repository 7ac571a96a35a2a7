import BridgeBrowsers
import BridgeProtocol
import Foundation

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
    private let process: BrowserProcess

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
        let screen = engine.needsScreen ? try VirtualScreen() : nil
        process = try BrowserProcess(screen: screen, keep: engine == .firefox ? BrowserEngine.firefox.keepProfile : nil)
        var options = LaunchOptions()
        (options.userAgent, options.localNames, options.arguments) = (userAgent, localNames, arguments + [url])
        try process.run(executable, try engine.command(options, profile: process.profile, on: screen))
    }

    var profile: URL { process.profile }

    /// Suspends all processes of the browser until `wake`, as if the machine went to sleep.
    public func sleep() { process.sleep() }

    public func wake() { process.wake() }

    /// Kills the browser, and deletes its profile. A second call does nothing.
    public func close() { process.close() }
}
