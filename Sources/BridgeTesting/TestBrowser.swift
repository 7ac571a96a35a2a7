public import BridgeProtocol

/// The browser of a test, and how bridged reaches its pages.
public enum TestBrowser: Sendable, Hashable, LosslessStringConvertible {
    /// The pages load `bridge.js` by a script tag.
    case attached(Browser.Engine)
    /// bridged drives the browser; the pages need no tag.
    case driven(BrowserEngine)

    var isDriven: Bool {
        if case .driven = self { true } else { false }
    }

    /// The name in `--in`.
    public var description: String {
        switch self {
        case .attached(.webKitGTK): "\(BrowserEngine.webkit.rawValue)\(TestBrowser.tag)"
        case .attached(let engine): "\(engine.rawValue)\(TestBrowser.tag)"
        case .driven(let engine): engine.rawValue
        }
    }

    /// What follows the engine's name if the pages have the script tag.
    private static let tag = "+tag"

    /// All of them: those that bridged drives, and then those for pages with the script tag.
    public static let all =
        BrowserEngine.allCases.map(TestBrowser.driven) + Browser.Engine.allCases.map(TestBrowser.attached)

    /// Finds a browser by its name, such as `chromium` or `chromium+tag`, whatever its case.
    public init?(_ description: String) {
        guard let browser = TestBrowser.all.first(where: { $0.description == description.lowercased() }) else {
            return nil
        }
        self = browser
    }
}
