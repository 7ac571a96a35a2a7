import BridgeProtocol
import BridgeServer
import Foundation

/// The native sign-in: credentials go to the server, token and cookies are kept, and the pages come again.
extension EmulatedApp {
    func performSignIn(_ credentials: [String: String]) throws {
        guard let base = configuration.signInURL else {
            throw ActionRefusal("the app has no sign-in. Give --sign-in-url the address that takes the credentials.")
        }
        guard let root = baseURL,
            let url = URL(string: base.relativeString, relativeTo: root)?.absoluteURL
        else { throw ActionRefusal("'\(base)' can't be resolved; give --root-url the app's address.") }
        record("signIn", [.init("url", .string(url.absoluteString))])
        Task {
            do {
                finishSignIn(try await SignInAnswer.posting(credentials, to: url))
            } catch {
                failSignIn("\(url) was not reached: \(error.localizedDescription)")
            }
        }
    }

    private func failSignIn(_ reason: String) {
        var failed = signIn ?? SignIn(for: navigator?.startLocation.absoluteString ?? "")
        failed.error = reason
        signIn = failed
        record("signInFailed", [.init("text", .string(reason))])
    }

    private func finishSignIn(_ answer: SignInAnswer) {
        guard (200..<300).contains(answer.status) else {
            return failSignIn("the server answered with the status \(answer.status)")
        }
        signIn = nil
        accessToken = answer.token
        handOver(answer.cookies)
        record("signedIn", [.init("cookies", .array(answer.cookies.map { .string($0.name) }))])
        for session in sessions.values { session.reload() }
    }

    /// A page may set a cookie, unless it is HttpOnly.
    private func handOver(_ cookies: [SignInAnswer.Cookie]) {
        guard let page = sessions[.main].flatMap(page) else { return }
        for cookie in cookies where !cookie.isHTTPOnly {
            page.evaluate(JavaScriptCall("(text => { document.cookie = text })", cookie.text))
        }
        let kept = cookies.filter(\.isHTTPOnly).map(\.name)
        guard !kept.isEmpty else { return }
        server.traffic.problem(
            "cookieKept",
            "No page may set what is HttpOnly, so the browser does not get: \(kept.joined(separator: ", ")).",
            hint:
                "In development, let the sign-in answer with a cookie that is not HttpOnly, or sign in within the page.",
            page: page)
    }
}
