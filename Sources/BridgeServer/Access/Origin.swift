/// The host and port of an origin or of a `Host` field (RFC 3986, sections 3.2.2 and 3.2.3).
///
/// The parser is strict on purpose: it accepts only the forms that browsers write.
struct Authority: Sendable, Equatable {
    /// The host in lower case. An IPv6 address has no brackets.
    let host: String
    /// The port; nil if the text has none.
    let port: UInt16?

    /// Fails for user information, a port that is not one to five digits, an empty label, a dot at the end, and
    /// anything else unusual.
    init?(_ string: some StringProtocol) {
        let text = Substring(string)
        // A DNS name has at most 253 characters; a colon and a port add six.
        guard text.utf8.count <= 253 + 6 else { return nil }
        let (name, port): (Substring, Substring?)
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else { return nil }
            name = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.first == ":" else { return nil }
            port = rest.isEmpty ? nil : rest.dropFirst()
            guard Authority.isIPv6(name) else { return nil }
        } else {
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            name = parts[0]
            port = parts.count > 1 ? parts[1] : nil
            guard Authority.isName(name) else { return nil }
        }
        if let port {
            guard (1...5).contains(port.utf8.count), port.utf8.allSatisfy(\.isDigit), let number = UInt16(port)
            else { return nil }
            self.port = number
        } else {
            self.port = nil
        }
        host = name.lowercased()
    }

    /// Converts an IP address that a user typed to the form that browsers write. Fails for any other text.
    init?(address: String) {
        guard let text = PeerAddress.canonical(address) else { return nil }
        (host, port) = (text, nil)
    }

    /// The hosts of the loopback.
    static let loopback = ["127.0.0.1", "::1", "localhost"]

    var isLoopback: Bool { Authority.loopback.contains(host) }

    /// Whether the host is this machine: a host of the loopback, or a name under `.localhost`.
    var isLocal: Bool { isLoopback || host.hasSuffix(".localhost") }

    /// Whether the host is a name under `.test`, which no public server can have (RFC 6761). It is this machine only if
    /// the system's resolver says so; see `LocalNames`.
    var isTestName: Bool { host.hasSuffix(".test") }

    /// Whether the host is an IP address, not a name.
    var isAddress: Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return host.contains(":") || (parts.count == 4 && parts.allSatisfy { UInt8($0) != nil })
    }

    /// Whether the text is made of labels of letters, digits, `-` and `_`, with dots between them.
    private static func isName(_ text: Substring) -> Bool {
        text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
            !label.isEmpty
                && label.utf8.allSatisfy { byte in
                    switch byte {
                    case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "_"): true
                    default: false
                    }
                }
        }
    }

    private static func isIPv6(_ text: Substring) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 48...57, 65...70, 97...102, UInt8(ascii: ":"): true
                default: false
                }
            }
    }
}

extension UInt8 {
    var isDigit: Bool { (48...57).contains(self) }
}

/// The origin of a page: scheme, host and port, as in an `Origin` field (RFC 6454, section 7).
struct Origin: Sendable, Equatable {
    let scheme: String
    let authority: Authority

    /// Reads an `Origin` field. Fails for `null`, for schemes other than http and https, and if anything follows the
    /// port.
    init?(_ text: some StringProtocol) {
        for scheme in ["http", "https"] where text.hasPrefix("\(scheme)://") {
            guard let authority = Authority(text.dropFirst(scheme.count + 3)) else { return nil }
            self.scheme = scheme
            self.authority = authority
            return
        }
        return nil
    }

    /// The origin of a URL, such as a `Referer` field. Fails as `init(_:)` does.
    init?(startOf url: String) {
        let start = url.firstRange(of: "://")?.upperBound ?? url.startIndex
        let end = url[start...].firstIndex { "/?#".contains($0) } ?? url.endIndex
        self.init(url[..<end])
    }

    var text: String {
        let host = authority.host.contains(":") ? "[\(authority.host)]" : authority.host
        return "\(scheme)://\(host)" + (authority.port.map { ":\($0)" } ?? "")
    }

    /// The port, or the default port of the scheme.
    var port: UInt16 { authority.port ?? (scheme == "https" ? 443 : 80) }
}
