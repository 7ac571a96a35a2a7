/// The host and port of a URL or a `Host` field (RFC 3986, 3.2.2 and 3.2.3), parsed narrowly: what a browser writes,
/// and nothing else.
struct Authority: Sendable, Equatable {
    /// Lower case. An IPv6 literal is without its brackets.
    let host: String
    /// Nil where none was given.
    let port: UInt16?

    /// Nil for user-info, ports that are not one to five digits, empty or dotted-at-the-end names, and anything else
    /// unusual.
    init?(_ string: some StringProtocol) {
        let text = Substring(string)
        guard text.utf8.count <= 253 + 6 else { return nil }
        let (name, port): (Substring, Substring?)
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else { return nil }
            name = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.first == ":" else { return nil }
            port = rest.isEmpty ? nil : rest.dropFirst()
            guard name == "::1" || Authority.isIPv6(name) else { return nil }
        } else {
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            name = parts[0]
            port = parts.count > 1 ? parts[1] : nil
            guard Authority.isName(name) else { return nil }
        }
        if let port {
            guard (1...5).contains(port.utf8.count), port.utf8.allSatisfy({ (48...57).contains($0) }),
                let number = UInt16(port)
            else { return nil }
            self.port = number
        } else {
            self.port = nil
        }
        host = name.lowercased()
    }

    /// An IP address as it was typed, in the form in which browsers write it; nil for what is none.
    init?(address: String) {
        guard let text = PeerAddress.canonical(address) else { return nil }
        (host, port) = (text, nil)
    }

    /// A host that only this machine answers to: the loopback's canonical literals, `localhost`, and names under
    /// `.localhost` and `.test`, which no public server can have (RFC 6761).
    var isLocal: Bool {
        ["127.0.0.1", "::1", "localhost"].contains(host) || host.hasSuffix(".localhost") || host.hasSuffix(".test")
    }

    /// An address in digits, not a name.
    var isAddress: Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return host.contains(":") || (parts.count == 4 && parts.allSatisfy { UInt8($0) != nil })
    }

    /// Labels of letters, digits, `-` and `_`, with dots between them.
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

/// The origin of a page, as its `Origin` field says it (RFC 6454, 7): scheme, host and port.
struct Origin: Sendable, Equatable {
    let scheme: String
    let authority: Authority

    /// Nil for `null`, for schemes other than http and https, and for anything after the port.
    init?(_ text: some StringProtocol) {
        for scheme in ["http", "https"] where text.hasPrefix("\(scheme)://") {
            guard let authority = Authority(text.dropFirst(scheme.count + 3)) else { return nil }
            self.scheme = scheme
            self.authority = authority
            return
        }
        return nil
    }

    /// The origin of a URL such as a `Referer` field has it; nil as for `init(_:)`.
    init?(startOf url: String) {
        let start = url.firstRange(of: "://")?.upperBound ?? url.startIndex
        let end = url[start...].firstIndex { "/?#".contains($0) } ?? url.endIndex
        self.init(url[..<end])
    }

    var text: String { authority.port.map { "\(scheme)://\(written):\($0)" } ?? "\(scheme)://\(written)" }

    private var written: String { authority.host.contains(":") ? "[\(authority.host)]" : authority.host }

    /// The same origin, with a default port said or left out.
    func matches(_ other: Origin) -> Bool {
        scheme == other.scheme && authority.host == other.authority.host && port == other.port
    }

    private var port: UInt16 { authority.port ?? (scheme == "https" ? 443 : 80) }
}
