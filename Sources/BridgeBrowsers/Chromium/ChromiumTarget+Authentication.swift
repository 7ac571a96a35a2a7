import BridgeProtocol
import Foundation

/// Servers that ask for a user name and a password. Chromium says so for the requests that it pauses, and sends the
/// credentials of a document with the later requests to its server.
extension ChromiumTarget {
    func challenged(_ params: JSON) {
        guard let id = params["requestId"]?.string else { return }
        guard asksAboutDialogs, let webView else { return answerChallenge(id, "Default") }
        let origin = params["authChallenge"]?["origin"]?.string.flatMap { URLComponents(string: $0) }
        let challenge = AuthenticationChallenge(
            host: origin?.host ?? "", port: origin?.port, scheme: params["authChallenge"]?["scheme"]?.string ?? "",
            realm: params["authChallenge"]?["realm"]?.string ?? "")
        let failed = authenticated.contains(id)
        authenticated = authenticated.suffix(99) + [id]
        let decided = { @MainActor [weak self] (credentials: (user: String, password: String)?) -> Void in
            self?.answerChallenge(id, credentials == nil ? "CancelAuth" : "ProvideCredentials", credentials)
        }
        if let page = pageToAsk(about: params["frameId"]?.string ?? "") {
            page.askForCredentials(challenge, failed: failed, decided: decided)
        } else {
            webView.askForCredentials(challenge, failed: failed, decided: decided)
        }
    }

    private func answerChallenge(
        _ request: String, _ response: String, _ credentials: (user: String, password: String)? = nil
    ) {
        send("Fetch.continueWithAuth") { writer in
            writer.member("requestId", request)
            writer.member(
                "authChallengeResponse",
                object: { writer in
                    writer.member("response", response)
                    writer.member("username", ifPresent: credentials?.user)
                    writer.member("password", ifPresent: credentials?.password)
                })
        }
    }
}
