package import BridgeProtocol

/// The user names and passwords that the user of the app has typed for servers that ask for them. As in an app, they
/// are forgotten when the app ends.
@MainActor package final class Passwords {
    private struct Entry {
        let challenge: AuthenticationChallenge
        let user: String
        let password: String
    }

    private var entries: [Entry] = []
    /// The question that was last answered from `entries`.
    private var answered: AuthenticationChallenge?
    /// The last question without an answer, or whose answer the server has refused.
    package private(set) var missing: AuthenticationChallenge?
    /// How many servers are remembered.
    private static let limit = 32

    /// Stores what the user has typed for the unanswered question, or else in place of the last answer.
    /// - Returns: false if no server has asked.
    package func answer(user: String, password: String) -> Bool {
        guard let challenge = missing ?? answered else { return false }
        missing = nil
        entries = entries.filter { $0.challenge != challenge }.suffix(Passwords.limit - 1)
        entries.append(Entry(challenge: challenge, user: user, password: password))
        return true
    }

    /// Gives up the unanswered question, because the user does not want to answer.
    /// - Returns: false if no answer is missing.
    package func cancel() -> Bool { missing.take() != nil }

    /// The stored answer to a server's question; nil if there is none.
    func answer(to challenge: AuthenticationChallenge) -> (user: String, password: String)? {
        guard let entry = entries.last(where: { $0.challenge == challenge }) else { return nil }
        answered = challenge
        return (entry.user, entry.password)
    }

    func miss(_ challenge: AuthenticationChallenge) { missing = challenge }

    /// Forgets the last answer, because the server has refused it.
    func refuse() {
        guard let challenge = answered.take() else { return }
        entries = entries.filter { $0.challenge != challenge }
        missing = challenge
    }
}
