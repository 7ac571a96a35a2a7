/// A pattern for a whole URL. `*` matches any number of characters. All other characters match themselves, including
/// `?`, which begins a query.
public struct URLGlob: Sendable, Equatable, CustomStringConvertible {
    public let description: String
    private let parts: [Substring]

    public init(_ text: String) {
        description = text
        parts = text.split(separator: "*", omittingEmptySubsequences: false)
    }

    public func matches(_ url: String) -> Bool {
        guard let first = parts.first, let last = parts.last else { return false }
        guard parts.count > 1 else { return url == first }
        guard url.hasPrefix(first) else { return false }
        var rest = url.dropFirst(first.count)
        // Each part but the last can take the leftmost match. The last part must end the URL.
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let found = rest.firstRange(of: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return rest.hasSuffix(last)
    }
}
