/// A pattern for the URLs of pages and requests: a path, on any host, or else a whole URL. `*` matches any number of
/// characters.
///
/// The query and the fragment count only if the pattern has one. Requests have no fragment.
public struct URLPattern: Sendable, Equatable, CustomStringConvertible {
    private let glob: Glob
    private let isPath: Bool
    private let hasQuery: Bool
    private let hasFragment: Bool

    public init(_ text: String) {
        glob = Glob(text)
        isPath = text.hasPrefix("/")
        hasQuery = text.contains("?")
        hasFragment = text.contains("#")
    }

    public var description: String { glob.description }

    public func matches(_ url: String) -> Bool {
        let (address, fragment) = (url.prefix { $0 != "#" }, url.drop { $0 != "#" })
        var rest = hasQuery ? address : address.prefix { $0 != "?" }
        if isPath, let scheme = rest.firstRange(of: "://") {
            rest = rest[scheme.upperBound...].drop { $0 != "/" }
            if rest.isEmpty || rest.first != "/" { rest = "/" }
        }
        return glob.matches(String(rest) + (hasFragment ? fragment : ""))
    }
}
