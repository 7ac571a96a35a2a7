import BridgeInput
import BridgeProtocol
import Foundation

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
    let cookies: [HTTPAnswer.Cookie]
    /// How much of the answer is read, in bytes.
    private static let maximumSize = 1 << 20

    /// Posts credentials as JSON. The request does not follow a redirect to another origin.
    static func posting(
        _ credentials: [String: String], to url: URL
    ) async throws(HTTPRequestError) -> SignInAnswer {
        let members = credentials.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, .string($0.value)) }
        var request = HTTPRequest(url, maximumBodySize: maximumSize)
        request.json = Array(JSONValue.object(members).text.utf8)
        request.accept = "application/json"
        let answer = try await request.send()
        return SignInAnswer(
            status: answer.status,
            token: (try? JSON.parse(answer.body, .untrusted))?["token"]?.string,
            cookies: answer.cookies)
    }
}

extension HTTPAnswer.Cookie {
    /// The text to assign to `document.cookie`. The cookie gets the page's host.
    var text: String { "\(name)=\(value); path=\(path)" }
}
