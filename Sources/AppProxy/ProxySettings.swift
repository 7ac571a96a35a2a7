import Foundation

/// What a proxy in front of an app needs to know.
package struct ProxySettings: Sendable {
    /// The app's address: a scheme and a host, such as `http://localhost:3000`.
    package let app: AppAddress
    /// Where the proxy listens. 0 picks a free port.
    package var port: UInt16 = ProxySettings.defaultPort
    package var addresses = ["127.0.0.1", "::1"]
    /// The port of the daemon on this machine.
    package let daemonPort: UInt16
    /// The token that pages need, if the daemon listens on other addresses than the loopback ones.
    package var pageToken: String?
    /// What the app adds to the user agent, such as `Hotwire Native iOS; Turbo Native iOS;`.
    package var userAgentSuffix: String?

    package static let defaultPort: UInt16 = 2735

    package init(app: AppAddress, daemonPort: UInt16) {
        self.app = app
        self.daemonPort = daemonPort
    }

    /// Whether the proxy can be reached only from this machine.
    var isLoopback: Bool { addresses.allSatisfy { $0 == "::1" || $0.hasPrefix("127.") } }
}

/// The address of an app's server, with nothing in it that nginx could misread.
package struct AppAddress: Sendable, Equatable {
    package let scheme: String
    /// A name or an IPv4 address, or an IPv6 address in brackets.
    package let host: String
    package let port: Int

    /// - Returns: nil if the text is not `http://HOST[:PORT]` or `https://HOST[:PORT]`.
    package init?(_ text: String) {
        guard let url = URLComponents(string: text), let scheme = url.scheme?.lowercased(), let host = url.host,
            ["http", "https"].contains(scheme), ["", "/"].contains(url.path), url.query == nil, url.fragment == nil,
            url.user == nil, let pattern = try? Regex("[A-Za-z0-9._-]+|\\[?[0-9A-Fa-f:.]+\\]?"),
            host.wholeMatch(of: pattern) != nil
        else { return nil }
        let port = url.port ?? (scheme == "https" ? 443 : 80)
        guard (1...65_535).contains(port) else { return nil }
        self.scheme = scheme
        self.host = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        self.port = port
    }

    /// The origin as browsers write it, without the port that the scheme has anyway.
    package var origin: String { "\(scheme)://\(authority)" }

    var authority: String { port == (scheme == "https" ? 443 : 80) ? host : "\(host):\(port)" }

    /// Whether the app runs on this machine.
    var isLoopback: Bool {
        host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]" || host.hasPrefix("127.")
    }
}
