import BridgeProtocol

/// The questions for a user name and a password that servers ask while a web view loads.
///
/// WebKitGTK cancels the question that waits when it hears that a load has started, and with the question its load. The
/// question comes from the network process and the start from the web process, so on a busy machine a load may cancel its
/// own question. A load of native code then begins again, and its second question gets the answer to the first. A load
/// that a page began does not, because it may send a form.
@MainActor final class PasswordQuestions {
    typealias Credentials = (user: String, password: String)

    /// The URL that native code loads, until its load commits or fails.
    private var url: String?
    /// The last question since native code has begun that load.
    private var question: PasswordQuestion?

    /// Native code begins to load a URL.
    func begin(_ url: String) { (self.url, question) = (url, nil) }

    /// WebKit has started a load.
    func start() { question?.cancel() }

    /// A load has committed.
    func commit() { (url, question) = (nil, nil) }

    /// A load has failed.
    /// - Returns: whether it has to begin again, because WebKitGTK has cancelled it with its own question.
    func fail(_ url: String, _ error: LoadError) -> Bool {
        if error == .cancelled, url == self.url, question?.waitForRepetition() == true { return true }
        commit()
        return false
    }

    /// Asks for a password, unless this repeats a question that WebKitGTK has cancelled.
    ///
    /// - Parameters:
    ///   - send: gives WebKitGTK the answer; nil if the page shall get the server's refusal.
    ///   - ask: asks native code, and gets the function that takes its answer.
    func take(
        _ challenge: AuthenticationChallenge, send: @escaping @MainActor (Credentials?) -> Void,
        ask: (@escaping @MainActor (Credentials?) -> Void) -> Void
    ) {
        if question?.isRepeated(by: challenge, send: send) == true { return }
        let question = PasswordQuestion(challenge, send: send)
        self.question = question
        ask(question.answer)
    }
}

/// A question that native code is asked once, though WebKitGTK may ask it twice.
@MainActor private final class PasswordQuestion {
    private enum State { case asked, cancelled, waitsForRepetition }

    private let challenge: AuthenticationChallenge
    private var send: @MainActor (PasswordQuestions.Credentials?) -> Void
    private var state = State.asked
    /// Native code's answer; the outer optional is nil until it has come.
    private var answer: PasswordQuestions.Credentials??

    init(
        _ challenge: AuthenticationChallenge, send: @escaping @MainActor (PasswordQuestions.Credentials?) -> Void
    ) { (self.challenge, self.send) = (challenge, send) }

    /// Notes that WebKitGTK has cancelled its request. One that has its answer goes on.
    func cancel() { if state == .asked, answer == nil { state = .cancelled } }

    /// - Returns: false if the question was not cancelled, or has been repeated already.
    func waitForRepetition() -> Bool {
        guard state == .cancelled else { return false }
        state = .waitsForRepetition
        return true
    }

    /// - Returns: false if this is another question.
    func isRepeated(
        by other: AuthenticationChallenge, send: @escaping @MainActor (PasswordQuestions.Credentials?) -> Void
    ) -> Bool {
        guard state == .waitsForRepetition, other == challenge else { return false }
        (state, self.send) = (.asked, send)
        if let answer { send(answer) }
        return true
    }

    /// Takes native code's answer. WebKitGTK ignores one to a request that it has cancelled.
    func answer(_ credentials: PasswordQuestions.Credentials?) {
        answer = .some(credentials)
        send(credentials)
    }
}
