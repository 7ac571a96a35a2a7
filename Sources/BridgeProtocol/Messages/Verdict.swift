/// The outcome of a message and the reason for it (docs/protocol.md, "Traffic record").
public struct Verdict: Sendable, Equatable {
    public enum Outcome: String, Sendable, CaseIterable {
        case handled, awaitingReply, replied, rejected, timedOut, pageGone, dropped
        /// Native code of an app of its own got the message, and the daemon has only observed that.
        case observed
    }

    /// The reason why a message was not handled.
    public typealias Reason = ProblemCode

    public let outcome: Outcome
    /// Everything else. Most verdicts have nothing else, and are copied for each message.
    private var box: Box?

    public var reason: Reason? { box?.details.reason }
    public var expected: String? { box?.details.expected }
    public var found: String? { box?.details.found }
    /// The place of the problem: a JSON Pointer into the body.
    public var at: String? { box?.details.at }
    /// A sentence that says how to fix the problem, and another that names the page of the documentation with the rule.
    public var hint: String? { box?.details.hint }
    /// The id of the stub that answered in place of the handler.
    public var stub: String? {
        get { box?.details.stub }
        set { change { $0.stub = newValue } }
    }

    private struct Details: Equatable {
        var reason: Reason?
        var expected, found, at, hint, stub: String?
    }

    private final class Box: Sendable, Equatable {
        let details: Details

        init(_ details: Details) { self.details = details }

        static func == (left: Box, right: Box) -> Bool { left.details == right.details }
    }

    private mutating func change(_ body: (inout Details) -> Void) {
        var details = box?.details ?? Details()
        body(&details)
        box = details == Details() ? nil : Box(details)
    }

    public init(
        _ outcome: Outcome, reason: Reason? = nil, expected: String? = nil, found: String? = nil, at: String? = nil,
        hint: String? = nil
    ) {
        self.outcome = outcome
        change { details in
            (details.reason, details.expected, details.found, details.at) = (reason, expected, found, at)
            details.hint = if let hint, let reason { reason.linked(hint) } else { hint }
        }
    }

    /// Returns the same verdict with another text in ``found``.
    package func finding(_ found: String) -> Verdict {
        var verdict = self
        verdict.change { $0.found = found }
        return verdict
    }

    /// Whether a handler, a stub or the page's own app has taken the message. What that app makes of it is unknown.
    package var isTaken: Bool { [.handled, .awaitingReply, .replied, .observed].contains(outcome) }

    public static let handled = Verdict(.handled)
    public static let awaitingReply = Verdict(.awaitingReply)
    public static let replied = Verdict(.replied)
    public static let observed = Verdict(.observed)
}

/// The reasons of verdicts. Other modules add their own.
extension ProblemCode {
    /// No handler has the name that the page posted to.
    public static let noHandler = Self("noHandler", page: "write-a-handler.md#typed-messages")
    /// The body has no `name`, or no type is registered for the name.
    public static let unknownName = Self("unknownName", page: "write-a-handler.md#typed-messages")
    /// The body does not decode to the type of its name.
    public static let undecodable = Self("undecodable", page: "write-a-handler.md#types")
    /// The handler threw an error.
    public static let handlerFailed = Self("handlerFailed", page: "write-a-handler.md#typed-messages")
    /// Handlers owe too many replies already.
    public static let memoryUsedUp = Self("memoryUsedUp", page: "configuration.md#limits")
    /// Only stubs answer for the handler, and none of them matches the body.
    public static let noStubFits = Self("noStubFits", page: "configuration.md#stubs")
    /// The body does not match the JSON Schema of its name.
    public static let schemaMismatch = Self("schemaMismatch", page: "configuration.md#message-types")
    /// The handler rejected the page's promise.
    public static let rejectedByHandler = Self("rejectedByHandler", page: "delivery.md#how-a-message-can-end")
    /// The handler released its reply without using it.
    public static let noReply = Self("noReply", page: "delivery.md#how-a-message-can-end")
    /// The handler did not reply within the daemon's limit.
    public static let replyTimedOut = Self("replyTimedOut", page: "delivery.md#how-a-message-can-end")
    /// The page was gone before its handler replied.
    public static let pageGone = Self("pageGone", page: "delivery.md#how-a-message-can-end")
    /// The daemon stopped before the handler replied.
    public static let daemonStopped = Self("daemonStopped", page: "delivery.md#how-a-message-can-end")
    /// The web view that the handler belongs to no longer exists.
    public static let webViewGone = Self("webViewGone", page: "write-a-handler.md#which-page-belongs-to-which-web-view")
    /// The page sent something that is not a script message.
    public static let malformed = Self("malformed", page: "protocol.md#page-channel")
}

extension Verdict: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            // Each message has a verdict, and most are these.
            switch outcome {
            case .handled: writer.member(complete: #""outcome":"handled""#)
            case .replied: writer.member(complete: #""outcome":"replied""#)
            default: writer.member("outcome", outcome.rawValue)
            }
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
    /// The verdict on one line, such as `dropped: undecodable at /icon: expected String, found number 3`.
    public var description: String {
        var text = outcome.rawValue
        if let reason { text += ": \(reason.rawValue)" }
        if let at, !at.isEmpty { text += " at \(at)" }
        let parts = [expected.map { "expected \($0)" }, found.map { "found \($0)" }].compactMap(\.self)
        if let stub { text += " (stub \(stub))" }
        return parts.isEmpty ? text : "\(text): \(parts.joined(separator: ", "))"
    }
}

/// An error that a handler throws to give its own verdict on a message that it drops.
public struct DroppedMessage: Error, Sendable {
    public let verdict: Verdict

    public init(_ verdict: Verdict) { self.verdict = verdict }
}

extension Verdict {
    static func unnamed(
        _ body: ScriptValue, expected: String, found: String, at: String, _ discriminator: String, handler: String
    ) -> Verdict {
        let hint =
            if let foreign = ForeignMessage(body, to: handler) {
                foreign.hint
            } else if body.parsedText != nil {
                "You posted JSON text. Leave out JSON.stringify, and post the object itself. If the page is not yours: "
                    + "\(HandlerAdvice.stub(of: handler)); its match looks into the text."
            } else {
                "Post an object that says what it is: {\(discriminator): \"MyMessage\", …}."
            }
        return Verdict(.dropped, reason: .unknownName, expected: expected, found: found, at: at, hint: hint)
    }

    static func unknown(
        _ name: String, _ body: ScriptValue, at place: String, names: [String], handler: String
    ) -> Verdict {
        let nearest = EditDistance.nearest(to: name, in: names).map { "Did you mean \"\($0)\"? " } ?? ""
        return Verdict(
            .dropped, reason: .unknownName,
            expected: names.isEmpty ? "a registered name" : "one of \(names.joined(separator: ", "))",
            found: "string \(quoted(name))", at: place,
            hint: ForeignMessage(body, to: handler)?.hint ?? nearest
                + "To receive it, name it under messages: in bridged.yml, or register a ScriptMessage of that "
                + "name in Swift: dispatcher.on(MyMessage.self) { … }.")
    }

    /// The verdict on a body, or on a part of it, that does not decode to the expected type.
    ///
    /// - Parameter place: the part's place in the body.
    public static func undecodable(
        _ error: any Error, _ value: ScriptValue, as type: any Any.Type, under place: [String] = []
    ) -> Verdict {
        guard let error = error as? DecodingError else {
            return Verdict(
                .dropped, reason: .undecodable, found: value.summary, at: JSONPointer(tokens: place).description,
                hint: "\(error)")
        }
        let problem = DecodingProblem(error, in: value)
        return Verdict(
            .dropped, reason: .undecodable, expected: problem.expected, found: problem.found,
            at: JSONPointer(tokens: place + problem.place.tokens).description,
            hint: ForeignMessage(value, to: nil)?.hint ?? hint(for: problem, as: type))
    }

    /// The modules of this package. A user of the daemon cannot change their types.
    private static let ownModules: Set<Substring> = ["BridgeProtocol", "BridgeServer", "EmulatedApp"]

    private static func hint(for problem: DecodingProblem, as type: any Any.Type) -> String {
        let member = problem.place.tokens.last ?? "body"
        let isOwn = ownModules.contains(String(reflecting: type).prefix { $0 != "." })
        return switch (problem.expected, problem.found) {
        case (nil, _): problem.text
        case (let expected?, "nothing"?):
            "Post \(quoted(member)) (\(expected))" + (isOwn ? "." : ", or in Swift make it optional in \(type).")
        case (let expected?, _):
            "Post \(quoted(member)) as \(expected)" + (isOwn ? "." : ", or in Swift change its type in \(type).")
        }
    }
}

extension Verdict {
    /// The verdict on a message whose handler threw an error.
    ///
    /// - Parameter name: the handler's name, for the hint.
    public static func handlerFailed(_ error: any Error, name: String) -> Verdict {
        Verdict(
            .dropped, reason: .handlerFailed, found: shortened("\(error)", to: 500),
            hint: "The handler of \(name) threw this error.")
    }
}
