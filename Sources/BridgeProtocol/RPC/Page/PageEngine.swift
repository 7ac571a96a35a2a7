/// The engine of a driven page: a browser that our own code controls from outside, instead of a script in the page.
public enum PageEngine: String, Codable, Sendable, CaseIterable {
    case chromium, firefox, webkit
}
