import BridgeInput
import Foundation

/// Asks a server where a URL redirects to, as hotwire-native-ios does after Turbo's own request failed.
enum RedirectResolver {
    /// Reads only the header of the answer, which has the redirect.
    /// - Returns: the first URL on another origin that the URL redirects to; nil if there is none or the request fails.
    static func crossOriginRedirect(of url: URL) async -> URL? {
        // A page has chosen the URL. It must not choose the credentials that the daemon sends.
        guard var components = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return nil }
        (components.user, components.password) = (nil, nil)
        guard let url = components.url else { return nil }
        var request = HTTPRequest(url, maximumBodySize: 0)
        request.accept = "text/html, */*"
        let redirect = try? await request.send().redirect
        guard let redirect, ["http", "https"].contains(redirect.scheme?.lowercased()) else { return nil }
        return redirect
    }
}
