import BridgeProtocol
import Testing

@testable import WebKitHost

@MainActor struct PasswordQuestionsTests {
    private let url = "http://example.test/basic"
    private let challenge = AuthenticationChallenge(host: "example.test", port: 80, scheme: "basic", realm: "Staging")

    /// What native code was asked, and what WebKitGTK's requests got.
    @MainActor private final class Spy {
        let questions = PasswordQuestions()
        private(set) var sent: [String] = []
        private(set) var asked = 0
        private var decide: (@MainActor (PasswordQuestions.Credentials?) -> Void)?

        func request(_ name: String, _ challenge: AuthenticationChallenge) {
            let send: @MainActor (PasswordQuestions.Credentials?) -> Void = { [weak self] credentials in
                self?.sent.append("\(name) \(credentials?.user ?? "refused")")
            }
            questions.take(challenge, send: send) { decide in
                asked += 1
                self.decide = decide
            }
        }

        func answer(_ credentials: PasswordQuestions.Credentials?) { decide?(credentials) }
    }

    @Test func loadBeginsAgain_ifItsStartCancelsItsQuestion() {
        let spy = Spy()
        spy.questions.begin(url)
        spy.request("first", challenge)
        spy.questions.start()
        #expect(spy.questions.fail(url, .cancelled))
        spy.questions.start()
        spy.request("second", challenge)
        #expect(spy.asked == 1)
        spy.answer((user: "me", password: "secret"))
        #expect(spy.sent == ["second me"])
    }

    @Test func answerBetweenTheTwoQuestions_isKept() {
        let spy = Spy()
        spy.questions.begin(url)
        spy.request("first", challenge)
        spy.questions.start()
        #expect(spy.questions.fail(url, .cancelled))
        spy.answer(nil)
        spy.request("second", challenge)
        #expect(spy.asked == 1)
        #expect(spy.sent == ["first refused", "second refused"])
    }

    @Test func answeredQuestion_isNotCancelled() {
        let spy = Spy()
        spy.questions.begin(url)
        spy.request("first", challenge)
        spy.answer((user: "me", password: "secret"))
        spy.questions.start()
        #expect(!spy.questions.fail(url, .cancelled))
    }

    @Test func loadThatNativeCodeStops_doesNotBeginAgain() {
        let spy = Spy()
        spy.questions.begin(url)
        spy.request("first", challenge)
        spy.questions.start()
        #expect(spy.questions.fail(url, .cancelled))
        spy.questions.start()
        #expect(!spy.questions.fail(url, .cancelled))
    }

    @Test func questionOfTheDocumentBefore_repeatsNoLoad() {
        let spy = Spy()
        spy.request("of a fetch", challenge)
        spy.questions.begin(url)
        spy.questions.start()
        #expect(!spy.questions.fail(url, .cancelled))
    }

    @Test func loadOfAPage_doesNotBeginAgain() {
        let spy = Spy()
        spy.request("first", challenge)
        spy.questions.start()
        #expect(!spy.questions.fail(url, .cancelled))
    }

    @Test func otherFailuresAndOtherQuestions_areNoRepetition() {
        let spy = Spy()
        spy.questions.begin(url)
        spy.request("first", challenge)
        spy.questions.start()
        #expect(!spy.questions.fail(url, .refused))
        spy.request("second", challenge)
        #expect(spy.asked == 2)
    }
}
