/// The engine of a driven page: a browser that our own code controls from outside, instead of a script in the page. The
/// first cases resemble iOS most.
public enum BrowserEngine: String, Codable, Sendable, CaseIterable, CustomStringConvertible {
    case webkit, chromium, firefox

    public var description: String {
        switch self {
        case .webkit: "WebKit"
        case .chromium: "Chromium"
        case .firefox: "Firefox"
        }
    }
}
