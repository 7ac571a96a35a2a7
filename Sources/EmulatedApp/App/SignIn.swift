import BridgeInput
import BridgeProtocol
import BridgeServer
import BridgeWebKit
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The app's native sign-in: it posts the credentials to the server, stores the token and the cookies of the answer, and
/// reloads the pages. On the main actor.
@MainActor final class SignInForm {
    /// The sign-in that the app shows; nil if none is needed.
    private(set) var needed: SignIn?
    /// The token that the sign-in returned.
    private(set) var accessToken: String?
    private unowned let app: EmulatedApp

    init(of app: EmulatedApp) { self.app = app }

    /// Shows the sign-in after a visit that was answered with status 401, if the app has one.
    func show(for url: String, _ session: Session) {
        guard app.configuration.signInURL != nil else { return }
        needed = SignIn(for: url)
        app.record("signInNeeded", [.init("location", .string(url))], session)
    }

    func reset() { (needed, accessToken) = (nil, nil) }

    func perform(_ credentials: [String: String]) throws {
        guard let base = app.configuration.signInURL else {
            throw ActionRefusal(
                "the app has no sign-in. Give \(setting("sign-in-url", "signInURL")) the address that takes the credentials."
            )
        }
        // Until the app's origin is known, any page may have started the app.
        guard let root = app.server.hasAppOrigin ? app.baseURL : app.configuration.rootURL,
            let url = URL(string: base.relativeString, relativeTo: root)?.absoluteURL
        else {
            throw ActionRefusal(
                "'\(base)' cannot be resolved. Give the app's address with \(setting("root-url", "rootURL")).")
        }
        app.record("signIn", [.init("location", .string(url.absoluteString))])
        let action = ActionResult.current
        action?.begin()
        // The task retains the app, to which this form has an unowned reference.
        Task { [app] in
            do throws(HTTPRequestError) {
                app.signInForm.finish(try await SignInAnswer.posting(credentials, to: url))
            } catch {
                app.signInForm.fail("\(url) could not be reached: \(error)")
            }
            action?.end(app.signInForm.needed?.error)
        }
    }

    private func fail(_ reason: String) {
        var failed = needed ?? SignIn(for: app.tabs.navigator?.startLocation.absoluteString ?? "")
        failed.error = reason
        needed = failed
        app.record("signInFailed", [.init("text", .string(reason))])
    }

    private func finish(_ answer: SignInAnswer) {
        guard (200..<300).contains(answer.status) else {
            return fail("the server answered with the status \(answer.status)")
        }
        needed = nil
        accessToken = answer.token
        setInPage(answer.cookies)
        app.record("signedIn", [.init("cookies", .array(answer.cookies.map { .string($0.name) }))])
        // The changes of cookies above take effect before these loads begin.
        for session in app.tabs.allSessions { session.reload() }
    }

    /// Sets the cookies in the page, and reports those that a page cannot set because they are HttpOnly.
    private func setInPage(_ cookies: [HTTPAnswer.Cookie]) {
        guard let session = app.sessions[.main], let page = app.page(of: session) else { return }
        if page.isDriven { return setInBrowser(cookies, page, session) }
        for cookie in cookies where !cookie.isHTTPOnly {
            page.evaluate(JavaScriptCall("(text => { document.cookie = text })", cookie.text))
        }
        let kept = cookies.filter(\.isHTTPOnly).map(\.name)
        guard !kept.isEmpty else { return }
        app.server.traffic.problem(
            .cookieKept,
            "The browser does not get the HttpOnly cookies \(kept.joined(separator: ", ")): a page cannot set them.",
            hint:
                "In development, let the sign-in send a cookie that is not HttpOnly, or sign in within the page.",
            page: page)
    }

    /// Sets the cookies in a driven browser, which takes those that are HttpOnly, too.
    private func setInBrowser(_ cookies: [HTTPAnswer.Cookie], _ page: Page, _ session: Session) {
        let store = session.webView.configuration.websiteDataStore.httpCookieStore
        for cookie in cookies {
            var properties: [HTTPCookiePropertyKey: Any] = [
                .name: cookie.name, .value: cookie.value, .path: cookie.path,
                .domain: URL(string: page.url)?.host ?? "",
            ]
            if cookie.isHTTPOnly { properties[HTTPCookiePropertyKey("HttpOnly")] = "TRUE" }
            if let cookie = HTTPCookie(properties: properties) { store.setCookie(cookie) }
        }
    }
}

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
