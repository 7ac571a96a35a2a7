import BridgeProtocol

/// The questions of servers for a user name and a password, in a browser that names the request of each.
struct PasswordChallenges {
    /// The ids of the latest requests whose servers have asked.
    private var requests: [String] = []

    /// Asks native code. If the request's server has asked before, it has refused the answer, and native code is not asked
    /// again.
    /// - Parameters:
    ///   - page: the page that has caused the request; nil for the first document of a window.
    ///   - decided: gets nil if there is no answer.
    @MainActor mutating func ask(
        _ challenge: AuthenticationChallenge, of request: String, _ page: DrivenPage?, in webView: DrivenWebView,
        decided: @escaping @MainActor ((user: String, password: String)?) -> Void
    ) {
        let failed = requests.contains(request)
        requests = requests.suffix(99) + [request]
        if let page {
            page.askForCredentials(challenge, failed: failed, decided: decided)
        } else {
            webView.askForCredentials(challenge, failed: failed, decided: decided)
        }
    }
}
