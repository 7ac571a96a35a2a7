public import Foundation

/// A real browser without a window, with a profile of its own that goes with it.
public final class Browser: Sendable {
    public enum Engine: String, Sendable, CaseIterable, CustomStringConvertible {
        case chromium, firefox

        public var description: String { rawValue }

        /// The names that the executable goes by, Debian's first.
        var executables: [String] {
            switch self {
            case .chromium: ["chromium", "chromium-browser", "google-chrome"]
            case .firefox: ["firefox-esr", "firefox"]
            }
        }

        /// The package that brings it on Debian.
        var package: String {
            switch self {
            case .chromium: "chromium"
            case .firefox: "firefox-esr"
            }
        }
    }

    /// The browser is not on this machine.
    public struct Missing: Error, CustomStringConvertible {
        public let engine: Engine

        public var description: String {
            "No \(engine) on PATH. `make test` installs it, or: apt-get install \(engine.package)"
        }
    }

    public let engine: Engine
    private let process: Process
    private let profile: URL

    /// Starts a browser that shows `url`.
    /// - Throws: `Missing`, or an error of the system.
    public init(_ engine: Engine, opening url: String) throws {
        guard let executable = Browser.executable(engine) else { throw Missing(engine: engine) }
        self.engine = engine
        profile = FileManager.default.temporaryDirectory.appendingPathComponent("bridged-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: profile, withIntermediateDirectories: true)
        process = Process()
        process.executableURL = executable
        process.arguments = try Browser.arguments(engine, profile: profile) + [url]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    deinit { close() }

    /// Ends the browser at once, and removes its profile. A second call does nothing.
    public func close() {
        if process.isRunning {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        try? FileManager.default.removeItem(at: profile)
    }

    /// Where the browser's executable is; nil where it is not on PATH.
    public static func executable(_ engine: Engine) -> URL? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
        for name in engine.executables {
            for folder in folders where FileManager.default.isExecutableFile(atPath: "\(folder)/\(name)") {
                return URL(fileURLWithPath: "\(folder)/\(name)")
            }
        }
        return nil
    }

    private static func arguments(_ engine: Engine, profile: URL) throws -> [String] {
        switch engine {
        case .chromium:
            // Chromium's sandbox refuses to run as root, which containers do. The pages are the test's own.
            let sandbox = getuid() == 0 ? ["--no-sandbox"] : []
            return sandbox + [
                "--headless=new", "--disable-gpu", "--no-first-run", "--disable-background-networking",
                "--disable-component-update", "--disable-sync", "--password-store=basic",
                "--disable-dev-shm-usage",
                // Windows that a test opens, and those behind another one, work as fast as any.
                "--disable-popup-blocking", "--disable-background-timer-throttling", "--disable-renderer-backgrounding",
                "--disable-backgrounding-occluded-windows",
                "--user-data-dir=\(profile.path)",
            ]
        case .firefox:
            try Data(firefoxPreferences.utf8).write(to: profile.appendingPathComponent("user.js"))
            return ["--headless", "--no-remote", "--profile", profile.path]
        }
    }

    /// Nothing that asks, updates or calls home.
    private static let firefoxPreferences = """
        user_pref("app.update.enabled", false);
        user_pref("browser.aboutwelcome.enabled", false);
        user_pref("browser.shell.checkDefaultBrowser", false);
        user_pref("datareporting.policy.dataSubmissionEnabled", false);
        user_pref("datareporting.policy.dataSubmissionPolicyBypassNotification", true);
        user_pref("toolkit.telemetry.reportingpolicy.firstRun", false);
        user_pref("browser.sessionstore.resume_from_crash", false);
        user_pref("network.captive-portal-service.enabled", false);
        user_pref("network.connectivity-service.enabled", false);
        user_pref("dom.disable_open_during_load", false);
        user_pref("dom.popup_maximum", -1);
        user_pref("dom.allow_scripts_to_close_windows", true);
        user_pref("dom.min_background_timeout_value", 4);
        """
}
