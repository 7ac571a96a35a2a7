/// What became of a message, and why (protocol.md, "Traffic record").
public struct Verdict: Sendable, Equatable {
    public enum Outcome: String, Sendable, CaseIterable {
        case handled, awaitingReply, replied, rejected, timedOut, pageGone, dropped
    }

    /// One word for each way in which a message can die. Open: other modules add theirs.
    public struct Reason: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// No handler has the name that the page posted to.
        public static let noHandler = Reason(rawValue: "noHandler")
        /// The body has no `name`, or one that no type is registered for.
        public static let unknownName = Reason(rawValue: "unknownName")
        /// The body does not decode to the type of its name.
        public static let undecodable = Reason(rawValue: "undecodable")
        /// The handler threw.
        public static let handlerFailed = Reason(rawValue: "handlerFailed")
        /// The handler is a stub's alone, and none fits the body.
        public static let noStubFits = Reason(rawValue: "noStubFits")
        /// The body does not fit the JSON Schema of its name.
        public static let schemaMismatch = Reason(rawValue: "schemaMismatch")
        /// The handler rejected the page's promise.
        public static let rejectedByHandler = Reason(rawValue: "rejectedByHandler")
        /// The handler let go of its reply.
        public static let noReply = Reason(rawValue: "noReply")
        /// The handler took longer to reply than it may.
        public static let replyTimedOut = Reason(rawValue: "replyTimedOut")
        /// The page was gone before its handler replied.
        public static let pageGone = Reason(rawValue: "pageGone")
        /// The daemon stopped before the handler replied.
        public static let daemonStopped = Reason(rawValue: "daemonStopped")
        /// The web view that the handler belongs to is no more.
        public static let webViewGone = Reason(rawValue: "webViewGone")
        /// What the page sent is no script message.
        public static let malformed = Reason(rawValue: "malformed")
        /// A bridge component's message came from a screen that is not the active one.
        public static let inactiveDestination = Reason(rawValue: "inactiveDestination")
        /// A bridge component's message names another URL than its destination's.
        public static let urlMismatch = Reason(rawValue: "urlMismatch")
        /// No bridge component is registered under the name.
        public static let unknownComponent = Reason(rawValue: "unknownComponent")
    }

    public let outcome: Outcome
    public let reason: Reason?
    public let expected: String?
    public let found: String?
    /// A JSON Pointer into the body.
    public let at: String?
    /// What a developer can do about it.
    public let hint: String?
    /// The stub that took the handler's place.
    public var stub: String?

    public init(
        _ outcome: Outcome, reason: Reason? = nil, expected: String? = nil, found: String? = nil, at: String? = nil,
        hint: String? = nil
    ) {
        self.outcome = outcome
        self.reason = reason
        self.expected = expected
        self.found = found
        self.at = at
        self.hint = hint
    }

    /// The same, with another text for what was found.
    package func finding(_ found: String) -> Verdict {
        var verdict = Verdict(outcome, reason: reason, expected: expected, found: found, at: at, hint: hint)
        verdict.stub = stub
        return verdict
    }

    public static let handled = Verdict(.handled)
    public static let awaitingReply = Verdict(.awaitingReply)
    public static let replied = Verdict(.replied)
}

extension Verdict: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("outcome", outcome.rawValue)
            writer.member("reason", ifPresent: reason?.rawValue)
            writer.member("expected", ifPresent: expected)
            writer.member("found", ifPresent: found)
            writer.member("at", ifPresent: at)
            writer.member("hint", ifPresent: hint)
            writer.member("stub", ifPresent: stub)
        }
    }
}

extension Verdict: CustomStringConvertible {
    /// One line: `dropped: undecodable at /icon: expected String, found number 3`.
    public var description: String {
        var text = outcome.rawValue
        if let reason { text += ": \(reason.rawValue)" }
        if let at, !at.isEmpty { text += " at \(at)" }
        let parts = [expected.map { "expected \($0)" }, found.map { "found \($0)" }].compactMap(\.self)
        if let stub { text += " (stub \(stub))" }
        return parts.isEmpty ? text : "\(text): \(parts.joined(separator: ", "))"
    }
}

/// A handler's own verdict on a message that it has no use for, thrown.
public struct DroppedMessage: Error, Sendable {
    public let verdict: Verdict

    public init(_ verdict: Verdict) { self.verdict = verdict }
}
