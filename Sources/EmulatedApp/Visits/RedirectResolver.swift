import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Asks a server where a URL redirects to, as hotwire-native-ios does after Turbo's own request failed.
///
/// `@unchecked Sendable`: the only mutable state, `redirect`, has a lock.
final class RedirectResolver: NSObject, URLSessionTaskDelegate, @unchecked Sendable {
    private let origin: URL
    private let redirect = Mutex<URL?>(nil)

    private init(_ origin: URL) { self.origin = origin }

    /// - Returns: the first URL on another origin that the URL redirects to; nil if there is none or the request fails.
    static func crossOriginRedirect(of url: URL) async -> URL? {
        let resolver = RedirectResolver(url)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 10
        let session = URLSession(configuration: configuration, delegate: resolver, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        _ = try? await session.data(for: URLRequest(url: url), delegate: nil)
        return resolver.redirect.withLock { $0 }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        guard let url = request.url, !url.hasSameOrigin(as: origin) else { return completionHandler(request) }
        redirect.withLock { $0 = url }
        completionHandler(nil)
    }
}

extension URL {
    /// Whether scheme, host and port are equal.
    func hasSameOrigin(as other: URL) -> Bool {
        (scheme, host, port) == (other.scheme, other.host, other.port)
    }
}
