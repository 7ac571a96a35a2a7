import BridgeProtocol
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The sign-in that the app shows after a server answered a visit with status 401.
public struct SignIn: Sendable, Equatable {
    /// The URL of the visit.
    public let url: String
    /// Why the last attempt failed; nil before the first.
    public var error: String?

    init(for url: String) { self.url = url }
}

/// A server's response to credentials.
struct SignInAnswer: Sendable {
    let status: Int
    /// The member `token` of the response's JSON body, if there is one.
    let token: String?
    let cookies: [Cookie]

    struct Cookie: Sendable, Equatable {
        let name: String
        let value: String
        let path: String
        let isHTTPOnly: Bool

        /// The text to assign to `document.cookie`. The cookie gets the page's host.
        var text: String { "\(name)=\(value); path=\(path)" }
    }

    /// Posts credentials as JSON.
    /// - Throws: `URLError`.
    static func posting(_ credentials: [String: String], to url: URL) async throws -> SignInAnswer {
        var request = URLRequest(url: url, timeoutInterval: 10)
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        request.httpBody = try JSONEncoder().encode(credentials)
        let configuration = URLSessionConfiguration.ephemeral
        let session = URLSession(configuration: configuration)
        defer { session.finishTasksAndInvalidate() }
        let (data, response) = try await session.data(for: request)
        let cookies = configuration.httpCookieStorage?.cookies(for: url) ?? []
        return SignInAnswer(
            status: (response as? HTTPURLResponse)?.statusCode ?? 0,
            token: (try? JSON.parse(String(decoding: data, as: UTF8.self)))?["token"]?.string,
            cookies: cookies.map {
                Cookie(name: $0.name, value: $0.value, path: $0.path, isHTTPOnly: $0.isHTTPOnly)
            })
    }
}
