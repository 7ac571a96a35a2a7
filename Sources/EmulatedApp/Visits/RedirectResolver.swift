import BridgeInput
import Foundation

/// Asks a server where a URL redirects to, as hotwire-native-ios does after Turbo's own request failed.
enum RedirectResolver {
    /// Reads only the header of the answer, which has the redirect.
    /// - Returns: the first URL on another origin that the URL redirects to; nil if there is none or the request fails.
    static func crossOriginRedirect(of url: URL) async -> URL? {
        var request = HTTPRequest(url, maximumBodySize: 0)
        request.accept = "text/html, */*"
        let redirect = try? await request.send().redirect
        guard let redirect, ["http", "https"].contains(redirect.scheme?.lowercased()) else { return nil }
        return redirect
    }
}
