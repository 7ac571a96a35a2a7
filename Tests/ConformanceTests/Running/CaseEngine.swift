import BridgeBrowsers
import BridgeProtocol
import BridgeTesting

/// A browser in which cases run, and how bridged reaches its pages.
enum CaseEngine: String, CaseIterable, Sendable, CustomStringConvertible {
    /// Browsers whose pages load bridge.js by its script tag.
    case chromium, firefox, webKitGTK
    /// Browsers that bridged drives. Their pages have no tag.
    case drivenChromium, drivenFirefox, drivenWebKit

    var description: String { rawValue }

    /// The browser, if its pages load bridge.js themselves.
    var attached: Browser.Engine? { Browser.Engine(rawValue: rawValue) }

    var driven: BrowserEngine? {
        switch self {
        case .drivenChromium: .chromium
        case .drivenFirefox: .firefox
        case .drivenWebKit: .webkit
        default: nil
        }
    }

    /// Whether the engine can run cases on this machine.
    var isInstalled: Bool { attached.map { $0.executable != nil } ?? driven.map { $0.executable != nil } ?? false }
}
