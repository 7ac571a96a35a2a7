package import BridgeProtocol

/// What the user of the app has typed for servers that ask for a user name and a password. It is kept as an app keeps it:
/// until the app ends.
@MainActor package final class Passwords {
    private struct Entry {
        let challenge: AuthenticationChallenge
        let user: String
        let password: String
    }

    private var entries: [Entry] = []
    /// The question that got the last answer of these.
    private var answered: AuthenticationChallenge?
    /// The last question without an answer, or whose answer the server has refused.
    package private(set) var missing: AuthenticationChallenge?
    /// How many servers are remembered.
    private static let limit = 32

    /// Keeps what the user types for the question that is missing an answer, or in place of the answer that was given last.
    /// - Returns: false if no server has asked.
    package func answer(user: String, password: String) -> Bool {
        guard let challenge = missing ?? answered else { return false }
        missing = nil
        entries = entries.filter { $0.challenge != challenge }.suffix(Passwords.limit - 1)
        entries.append(Entry(challenge: challenge, user: user, password: password))
        return true
    }

    /// The question stays without an answer, because the user wants none.
    /// - Returns: false if no answer is missing.
    package func cancel() -> Bool { missing.take() != nil }

    /// The answer to a server's question.
    func answer(to challenge: AuthenticationChallenge) -> (user: String, password: String)? {
        guard let entry = entries.last(where: { $0.challenge == challenge }) else { return nil }
        answered = challenge
        return (entry.user, entry.password)
    }

    func miss(_ challenge: AuthenticationChallenge) { missing = challenge }

    /// A server has refused the last answer.
    func refuse() {
        guard let challenge = answered.take() else { return }
        entries = entries.filter { $0.challenge != challenge }
        missing = challenge
    }
}
