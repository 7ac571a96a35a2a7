import BridgeBrowsers
import BridgeProcesses
import BridgeProtocol
public import Foundation

extension Browser {
    /// A browser that Debian has as a package. It runs without a window, and makes no requests of its own.
    public enum Engine: String, Sendable, CaseIterable, CustomStringConvertible {
        case chromium, firefox
        /// WebKitGTK's MiniBrowser, on a virtual screen. Its engine is a port of WebKit, which Safari uses.
        case webKitGTK

        public var description: String { rawValue }

        /// The executable; nil if it, or the virtual screen that it needs, is not installed.
        public var executable: URL? {
            guard !needsScreen || VirtualScreen.executable != nil else { return nil }
            switch self {
            case .chromium: return BrowserEngine.chromium.executable
            case .firefox: return BrowserEngine.firefox.executable
            case .webKitGTK:
                let folders = ["x86_64-linux-gnu", "aarch64-linux-gnu"].map { "/usr/lib/\($0)/webkit2gtk-4.1" }
                return Executables.find(["MiniBrowser"], in: folders)
            }
        }

        /// The Debian packages that contain the browser.
        var packages: String {
            switch self {
            case .chromium: "chromium"
            case .firefox: "firefox-esr"
            case .webKitGTK: "libwebkit2gtk-4.1-0 xvfb"
            }
        }

        var needsScreen: Bool { self == .webKitGTK }

        func arguments(profile: URL, userAgent: String?, _ localNames: [String]) throws -> [String] {
            switch self {
            case .chromium:
                // Chromium's sandbox refuses to run as root, the user of most containers. The pages are the test's own.
                let sandbox = getuid() == 0 ? ["--no-sandbox"] : []
                return sandbox + [
                    "--headless=new", "--disable-gpu", "--no-first-run", "--disable-background-networking",
                    "--disable-component-update", "--disable-sync", "--password-store=basic",
                    "--disable-dev-shm-usage",
                    // Do not slow down windows that a test opens, or that are behind another one.
                    "--disable-popup-blocking", "--disable-background-timer-throttling",
                    "--disable-renderer-backgrounding", "--disable-backgrounding-occluded-windows",
                    "--user-data-dir=\(profile.path)",
                    "--host-resolver-rules=" + localNames.map { "MAP \($0) 127.0.0.1" }.joined(separator: ","),
                ] + (userAgent.map { ["--user-agent=\($0)"] } ?? [])
            case .firefox:
                var preferences = FirefoxPreferences(localNames: localNames)
                if let userAgent { preferences["general.useragent.override"] = .string(userAgent) }
                try preferences.write(to: profile)
                FirefoxStartupCache().restore(to: profile)
                return ["--headless", "--no-remote", "--profile", profile.path]
            case .webKitGTK:
                // WebKitGTK takes no user agent with semicolons or brackets outside a comment (RFC 9110, section 10.1.5).
                let userAgent = userAgent?.replacing(/Hotwire Native.*/) { "(\($0.output))" }
                return ["--private", "--javascript-can-open-windows-automatically=true"]
                    + (userAgent.map { ["--user-agent=\($0)"] } ?? [])
            }
        }

        func environment(profile: URL, display: String?) -> [String: String] {
            switch self {
            case .chromium: [:]
            case .firefox: ["MOZ_CRASHREPORTER_DISABLE": "1"]
            case .webKitGTK:
                // With these variables it runs without a graphics card, and ignores the user's own settings.
                [
                    "DISPLAY": display ?? "", "GDK_BACKEND": "x11", "LIBGL_ALWAYS_SOFTWARE": "1",
                    "WEBKIT_DISABLE_COMPOSITING_MODE": "1", "XDG_DATA_HOME": profile.path,
                    "XDG_CACHE_HOME": profile.path, "XDG_CONFIG_HOME": profile.path,
                ]
            }
        }
    }
}
