public import Foundation

/// Foundation on Linux has no such type.
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?

/// Local Authentication: asks for the face, the finger or the passcode of the phone's user.
///
/// The phone has Face ID. As in Apple's simulator, nobody is enrolled until a test does it. Then each question is shown like
/// an alert, until a test answers it.
open class LAContext: NSObject, @unchecked Sendable {
    // Apps set these before they ask, and on one thread.
    public var localizedReason = ""
    public var localizedCancelTitle: String?
    /// An empty title hides the button.
    public var localizedFallbackTitle: String?
    public var interactionNotAllowed = false
    public var touchIDAuthenticationAllowableReuseDuration: TimeInterval = 0
    public var biometryType: LABiometryType { UserRecognition.shared.type }
    /// Changes when the enrolled users do; nil if nobody is enrolled.
    public var evaluatedPolicyDomainState: Data? {
        UserRecognition.shared.isEnrolled ? Data("one user".utf8) : nil
    }

    /// Whether a policy can be evaluated, which tells nothing about its outcome.
    open func canEvaluatePolicy(_ policy: LAPolicy, error: NSErrorPointer) -> Bool {
        let reason = UserRecognition.shared.refusal(of: policy)
        error?.pointee = reason.map { LAError($0).nsError }
        return reason == nil
    }

    /// Asks the user. The reply comes on another thread, as on iOS.
    @preconcurrency
    open func evaluatePolicy(
        _ policy: LAPolicy, localizedReason: String, reply: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        if let refusal = UserRecognition.shared.refusal(of: policy) {
            Task { @MainActor in
                Outside.report(
                    "LAContext",
                    "nobody is enrolled, so that the app is refused (\(refusal)). A test can enrol the user: bridged app "
                        + "biometry.enroll")
            }
            return DispatchQueue.global().async { reply(false, LAError(refusal)) }
        }
        let question = UserRecognition.Question(context: self, policy: policy, reason: localizedReason, reply: reply)
        if interactionNotAllowed { return question.end(.notInteractive) }
        UserRecognition.shared.ask(question)
    }

    open func evaluatePolicy(_ policy: LAPolicy, localizedReason: String) async throws -> Bool {
        try await withCheckedThrowingContinuation { continuation in
            evaluatePolicy(policy, localizedReason: localizedReason) { isKnown, error in
                continuation.resume(with: error.map { .failure($0) } ?? .success(isKnown))
            }
        }
    }

    /// Ends the context's questions: "any policy evaluation in progress fails" with `appCancel`.
    open func invalidate() { UserRecognition.shared.end(questionsOf: self) }
}

public enum LAPolicy: Int, Sendable {
    case deviceOwnerAuthenticationWithBiometrics = 1
    case deviceOwnerAuthentication = 2
}

public enum LABiometryType: Int, Sendable {
    case none, touchID, faceID
    case opticID = 4
}

public let LAErrorDomain = "com.apple.LocalAuthentication"

public struct LAError: Error, CustomNSError, Sendable {
    public enum Code: Int, Sendable {
        case authenticationFailed = -1
        case userCancel = -2
        case userFallback = -3
        case systemCancel = -4
        case passcodeNotSet = -5
        case biometryNotAvailable = -6
        case biometryNotEnrolled = -7
        case biometryLockout = -8
        case appCancel = -9
        case invalidContext = -10
        case notInteractive = -1004
    }

    public static let authenticationFailed = Code.authenticationFailed
    public static let userCancel = Code.userCancel
    public static let userFallback = Code.userFallback
    public static let systemCancel = Code.systemCancel
    public static let passcodeNotSet = Code.passcodeNotSet
    public static let biometryNotAvailable = Code.biometryNotAvailable
    public static let biometryNotEnrolled = Code.biometryNotEnrolled
    public static let biometryLockout = Code.biometryLockout
    public static let appCancel = Code.appCancel
    public static let invalidContext = Code.invalidContext
    public static let notInteractive = Code.notInteractive
    public static var errorDomain: String { LAErrorDomain }

    public let code: Code
    public var errorCode: Int { code.rawValue }

    public init(_ code: Code) { self.code = code }

    fileprivate var nsError: NSError { NSError(domain: LAErrorDomain, code: code.rawValue) }
}

/// What the phone knows of its user, and the questions that wait for them. (Not in Local Authentication.)
public final class UserRecognition: @unchecked Sendable {
    /// A question that the user sees.
    public struct Question {
        let context: LAContext
        let policy: LAPolicy
        public let reason: String
        fileprivate let reply: @Sendable (Bool, (any Error)?) -> Void

        /// What the user can do: be known or not, as the simulator's menu says it, and what the app's titles name.
        public var buttons: [String] { ["Match", "No match"] + (fallback.map { [$0] } ?? []) + [cancel] }

        private var cancel: String { context.localizedCancelTitle ?? "Cancel" }

        private var fallback: String? {
            guard policy == .deviceOwnerAuthenticationWithBiometrics else { return nil }
            let title = context.localizedFallbackTitle ?? "Enter Password"
            return title.isEmpty ? nil : title
        }

        /// - Returns: false if there is no such button.
        fileprivate func answer(_ button: String) -> Bool {
            switch button {
            case "Match": end(nil)
            case "No match": end(.authenticationFailed)
            case cancel: end(.userCancel)
            case fallback: end(.userFallback)
            default: return false
            }
            return true
        }

        fileprivate func end(_ code: LAError.Code?) {
            DispatchQueue.global().async { [reply] in reply(code == nil, code.map { LAError($0) }) }
        }
    }

    public static let shared = UserRecognition()

    // The lock guards all: apps may ask on any thread.
    private let lock = NSLock()
    private var sensor = LABiometryType.faceID
    private var hasUser = false
    private var questions: [Question] = []
    /// The button that answers each question which has it, so that the user sees none.
    private var usualAnswer: String?

    public var type: LABiometryType { lock.withLock { sensor } }
    public var isEnrolled: Bool { lock.withLock { hasUser } }
    /// The oldest question that waits.
    public var question: Question? { lock.withLock { questions.first } }

    /// Enrols the user, who has a passcode from then on.
    /// - Parameter answer: a button, such as `Match`, which answers each question from now on; nil to show them.
    public func enroll(_ type: LABiometryType, answer: String? = nil) {
        lock.withLock { (sensor, hasUser, usualAnswer) = (type, true, answer) }
    }

    /// Forgets the user, as at the start, and ends all questions.
    public func reset() {
        let ended = lock.withLock {
            defer { (sensor, hasUser, questions, usualAnswer) = (.faceID, false, [], nil) }
            return questions
        }
        for question in ended { question.end(.systemCancel) }
    }

    /// Answers the oldest question.
    /// - Returns: false if there is none, or if it has no such button.
    public func answer(_ button: String) -> Bool {
        // The app may end the question meanwhile.
        let question = lock.withLock {
            questions.first?.buttons.contains(button) == true ? questions.removeFirst() : nil
        }
        return question?.answer(button) ?? false
    }

    fileprivate func refusal(of policy: LAPolicy) -> LAError.Code? {
        if isEnrolled { return nil }
        return policy == .deviceOwnerAuthentication ? .passcodeNotSet : .biometryNotEnrolled
    }

    fileprivate func ask(_ question: Question) {
        let answer = lock.withLock { usualAnswer }
        if let answer {
            if question.answer(answer) { return }
            let buttons = question.buttons.map { "'\($0)'" }.joined(separator: ", ")
            Task { @MainActor in
                Outside.report(
                    "LAContext",
                    "the usual answer is '\(answer)' (phone in bridged.yml), but the buttons are \(buttons), so that the "
                        + "question is shown")
            }
        }
        lock.withLock { questions.append(question) }
    }

    fileprivate func end(questionsOf context: LAContext) {
        let ended = lock.withLock {
            defer { questions.removeAll { $0.context === context } }
            return questions.filter { $0.context === context }
        }
        for question in ended { question.end(.appCancel) }
    }
}
