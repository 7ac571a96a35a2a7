import BridgeProtocol
import Foundation

/// Servers that ask for a user name and a password.
extension FirefoxBrowser {
    func challenged(_ params: JSON) {
        guard params["isBlocked"]?.bool == true, let id = params["request"]?["request"]?.string else { return }
        guard let context = contexts[params["context"]?.string ?? ""], context.asksAboutDialogs,
            let webView = context.webView
        else { return answerChallenge(id, options.isHeadless ? "cancel" : "default") }
        let url = params["request"]?["url"]?.string.flatMap { URLComponents(string: $0) }
        let first = params["response"]?["authChallenges"]?.elements.first
        let challenge = AuthenticationChallenge(
            host: url?.host ?? "", port: url?.port, scheme: first?["scheme"]?.string ?? "",
            realm: first?["realm"]?.string ?? "")
        let failed = authenticated.contains(id)
        authenticated = authenticated.suffix(99) + [id]
        let decided = { @MainActor [weak self] (credentials: (user: String, password: String)?) -> Void in
            self?.answerChallenge(id, credentials == nil ? "cancel" : "provideCredentials", credentials)
        }
        if let page = context.page, !page.hasLeft {
            page.askForCredentials(challenge, failed: failed, decided: decided)
        } else {
            webView.askForCredentials(challenge, failed: failed, decided: decided)
        }
    }

    private func answerChallenge(
        _ request: String, _ action: String, _ credentials: (user: String, password: String)? = nil
    ) {
        connection.send("network.continueWithAuth") { writer in
            writer.member("request", request)
            writer.member("action", action)
            guard let (user, password) = credentials else { return }
            writer.member(
                "credentials",
                object: { writer in
                    writer.member("type", "password")
                    writer.member("username", user)
                    writer.member("password", password)
                })
        }
    }
}
