import BridgeInput
import Foundation

/// Asks a server where a URL redirects to after Turbo's own request failed; see hotwire-native-ios,
/// `JSFetchRecoveryHandler`.
enum RedirectResolver {
    enum Result: Sendable, Equatable {
        case noRedirect
        case sameHost
        case crossOrigin(URL)
        case unreachable
    }

    /// Reads only the header of the answer, which has the redirect. Redirects to another origin are not followed: a page
    /// must not make the daemon send requests to other servers.
    /// - Parameter cookies: the value of the field `Cookie`. Other origins do not get it.
    static func resolve(_ url: URL, cookies: String? = nil, timeout: Duration) async -> Result {
        // A page has chosen the URL, and must not choose credentials that the daemon sends.
        guard var components = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return .unreachable }
        (components.user, components.password) = (nil, nil)
        guard let target = components.url else { return .unreachable }
        var request = HTTPRequest(target, maximumBodySize: 0)
        request.accept = "text/html, */*"
        request.timeout = timeout
        if let cookies { request.headers = ["Cookie: \(cookies)"] }
        guard let answer = try? await request.send() else { return .unreachable }
        guard let redirect = answer.redirect, ["http", "https"].contains(redirect.scheme?.lowercased()) else {
            return .noRedirect
        }
        return redirect.host?.lowercased() == url.host?.lowercased() ? .sameHost : .crossOrigin(redirect)
    }
}
