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
            case .chromium: return Executables.find(["chromium", "chromium-browser", "google-chrome"])
            case .firefox: return Executables.find(["firefox-esr", "firefox"])
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
                let names = "user_pref(\"network.dns.localDomains\", \"\(localNames.joined(separator: ","))\");"
                // A JSON string is also one of JavaScript, which the file contains.
                let agent = userAgent.map { "user_pref(\"general.useragent.override\", \($0.text));" } ?? ""
                try Data("\(Self.firefoxPreferences)\n\(names)\n\(agent)".utf8).write(
                    to: profile.appendingPathComponent("user.js"))
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

        /// Turns off questions, updates, telemetry, and the hidden page loads that make pictures for the new tab. Lets
        /// tests open windows, and does not slow down timers in the background.
        private static let firefoxPreferences = """
            user_pref("app.update.enabled", false);
            user_pref("browser.aboutwelcome.enabled", false);
            user_pref("browser.shell.checkDefaultBrowser", false);
            user_pref("browser.pagethumbnails.capturing_disabled", true);
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
}

enum Executables {
    /// Returns the first of these names that is an executable in one of the folders.
    /// - Parameter folders: those of PATH if nil.
    static func find(_ names: [String], in folders: [String]? = nil) -> URL? {
        let path = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":").map(String.init)
        for name in names {
            for folder in folders ?? path where FileManager.default.isExecutableFile(atPath: "\(folder)/\(name)") {
                return URL(fileURLWithPath: "\(folder)/\(name)")
            }
        }
        return nil
    }
}
