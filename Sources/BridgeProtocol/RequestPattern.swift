/// A pattern for the URLs of requests: a path, on any host, or else a whole URL. `*` matches any number of characters.
///
/// The query counts only if the pattern has one, and the fragment never does.
public struct RequestPattern: Sendable, Equatable, CustomStringConvertible {
    private let glob: URLGlob
    private let isPath: Bool
    private let hasQuery: Bool

    public init(_ text: String) {
        glob = URLGlob(text)
        isPath = text.hasPrefix("/")
        hasQuery = text.contains("?")
    }

    public var description: String { glob.description }

    public func matches(_ url: String) -> Bool {
        var rest = url.prefix { $0 != "#" && (hasQuery || $0 != "?") }
        if isPath, let scheme = rest.firstRange(of: "://") {
            rest = rest[scheme.upperBound...].drop { $0 != "/" }
            if rest.isEmpty || rest.first != "/" { rest = "/" }
        }
        return glob.matches(String(rest))
    }
}
