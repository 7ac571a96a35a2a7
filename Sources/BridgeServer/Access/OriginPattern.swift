/// The origins that a setting names: one origin, or several as in a source of a Content-Security-Policy
/// (https://www.w3.org/TR/CSP3/#match-hosts), such as `https://*.example.test` or `http://localhost:*`.
struct OriginPattern: Sendable, Equatable {
    private let scheme: String
    private let host: String
    /// Whether the pattern is for the names under `host`, at any depth, and not for `host` itself.
    private let isForSubdomains: Bool
    /// Nil for any port.
    private let port: UInt16?

    /// Reads `scheme://host`, `scheme://*.host`, each perhaps with `:port` or `:*`. Fails for anything else, and for
    /// all names of a public top-level domain.
    init?(_ text: String) {
        let hasAnyPort = text.hasSuffix(":*")
        let origin = hasAnyPort ? String(text.dropLast(2)) : text
        isForSubdomains = origin.contains("://*.")
        guard let parsed = Origin(origin.replacing("://*.", with: "://", maxReplacements: 1)),
            !hasAnyPort || parsed.authority.port == nil
        else { return nil }
        scheme = parsed.scheme
        host = parsed.authority.host
        port = hasAnyPort ? nil : parsed.port
        if isForSubdomains {
            guard !parsed.authority.isAddress, host.contains(".") || ["localhost", "test"].contains(host) else {
                return nil
            }
        }
    }

    /// The pattern of a single origin.
    init(_ origin: Origin) {
        scheme = origin.scheme
        host = origin.authority.host
        port = origin.port
        isForSubdomains = false
    }

    /// Whether this is a single origin.
    var isOrigin: Bool { port != nil && !isForSubdomains }

    var text: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return "\(scheme)://\(isForSubdomains ? "*." : "")\(name)" + (port.map { ":\($0)" } ?? ":*")
    }

    /// Whether the origin is one of these. The names and addresses of the loopback count as one host.
    func matches(_ origin: Origin) -> Bool {
        scheme == origin.scheme && (port == nil || port == origin.port) && matches(host: origin.authority)
    }

    func matches(host authority: Authority) -> Bool {
        if isForSubdomains { return authority.host.hasSuffix(".\(host)") }
        return authority.host == host || (authority.isLoopback && Authority.loopback.contains(host))
    }
}
