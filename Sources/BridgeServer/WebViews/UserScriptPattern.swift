/// A pattern for the URLs of documents in which a user script runs: `scheme://host/path`, in which `*` matches any text
/// (WebKit's `UserContentURLPattern`).
struct UserScriptPattern {
    let text: String

    /// The pattern as a JavaScript regular expression. It is matched against a URL without its port, because WebKit
    /// ignores ports. If the text is not a pattern, the expression matches nothing.
    var expression: String {
        guard let parts = try? /(\*|\w+):\/\/([^\/]*)(\/.*)/.asciiOnlyWordCharacters().wholeMatch(in: text) else {
            return "(?!)"
        }
        let (_, scheme, host, path) = parts.output
        let isAnySubdomain = host.hasPrefix("*.")
        let hosts = (isAnySubdomain ? #"(.*\.)?"# : "") + Self.glob(isAnySubdomain ? host.dropFirst(2) : host)
        return "^\(scheme == "*" ? "https?" : scheme)://\(hosts)\(Self.glob(path))$"
    }

    private static func glob(_ text: Substring) -> String {
        text.map { $0 == "*" ? ".*" : #".+?^${}()|[]\"#.contains($0) ? "\\\($0)" : "\($0)" }.joined()
    }
}
