import BridgeInput
import BridgeProtocol
import BridgeServer
import BridgeWebKit
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The native sign-in: posts the credentials to the server, stores the token and the cookies of the answer, and reloads
/// the pages.
extension EmulatedApp {
    func performSignIn(_ credentials: [String: String]) throws {
        guard let base = configuration.signInURL else {
            throw ActionRefusal(
                "the app has no sign-in. Give \(setting("sign-in-url", "signInURL")) the address that takes the credentials."
            )
        }
        // Until the app's origin is known, any page may have started the app.
        guard let root = server.hasAppOrigin ? baseURL : configuration.rootURL,
            let url = URL(string: base.relativeString, relativeTo: root)?.absoluteURL
        else {
            throw ActionRefusal(
                "'\(base)' cannot be resolved. Give the app's address with \(setting("root-url", "rootURL")).")
        }
        record("signIn", [.init("location", .string(url.absoluteString))])
        let action = ActionResult.current
        action?.begin()
        Task {
            do throws(HTTPRequestError) {
                finishSignIn(try await SignInAnswer.posting(credentials, to: url))
            } catch {
                failSignIn("\(url) could not be reached: \(error)")
            }
            action?.end(signIn?.error)
        }
    }

    /// Types a user name and a password for the server that has asked last. The request has ended by then, so the screens load
    /// again; the app knows the answer from now on, as it does on a phone.
    func answerAuthentication(_ arguments: Action.Arguments) throws {
        guard arguments["cancelled"] != "true" else {
            guard server.passwords.cancel() else { throw ActionRefusal("no server asks for a password.") }
            return
        }
        guard let user = arguments["user"], let password = arguments["password"] else {
            throw ActionRefusal("give the user and the password, or cancelled=true.")
        }
        guard server.passwords.answer(user: user, password: password) else {
            throw ActionRefusal("no server has asked for a password.")
        }
        for session in allSessions { session.reload() }
    }

    /// Leaves the screen that needs a sign-in, and routes to the page for it. Does nothing if the app has no such page, or
    /// shows it already.
    func routeToSignIn() {
        guard let path = configuration.signInPath,
            let url = URL(string: path.relativeString, relativeTo: baseURL ?? navigator?.startLocation)?.absoluteURL,
            visibleScreen?.url != url
        else { return }
        lastProposal = url
        navigate("the server wants a sign-in") { [framework = configuration.framework] navigator in
            // turbo-ios' demo app pops nothing.
            let popped = framework.navigator == .turboDemo ? [] : navigator.pop(animated: false)
            return popped + navigator.route(url)
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
        setInPage(answer.cookies)
        record("signedIn", [.init("cookies", .array(answer.cookies.map { .string($0.name) }))])
        // The changes of cookies above take effect before these loads begin.
        for session in allSessions { session.reload() }
    }

    /// Sets the cookies in the page, and reports those that a page cannot set because they are HttpOnly.
    private func setInPage(_ cookies: [HTTPAnswer.Cookie]) {
        guard let session = sessions[.main], let page = page(of: session) else { return }
        if page.isDriven { return setInBrowser(cookies, page, session) }
        for cookie in cookies where !cookie.isHTTPOnly {
            page.evaluate(JavaScriptCall("(text => { document.cookie = text })", cookie.text))
        }
        let kept = cookies.filter(\.isHTTPOnly).map(\.name)
        guard !kept.isEmpty else { return }
        server.traffic.problem(
            "cookieKept",
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
