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

        func command(_ options: LaunchOptions, profile: URL, on screen: VirtualScreen?) throws -> LaunchCommand {
            switch self {
            case .chromium: .chromium(options, profile: profile)
            case .firefox: try .firefox(options, profile: profile)
            case .webKitGTK: .miniBrowser(options, profile: profile, on: screen)
            }
        }
    }
}
