public import BridgeProtocol

/// The browser of a test, and how bridged reaches its pages.
public enum TestBrowser: Sendable, Hashable, CustomStringConvertible {
    /// The pages load `bridge.js` by a script tag.
    case attached(Browser.Engine)
    /// bridged drives the browser; the pages need no tag.
    case driven(BrowserEngine)

    var isDriven: Bool {
        if case .driven = self { true } else { false }
    }

    public var description: String {
        switch self {
        case .attached(let engine): engine.rawValue
        case .driven(let engine): "driven-\(engine.rawValue)"
        }
    }
}
