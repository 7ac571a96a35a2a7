import TestSupport
import Testing

@testable import BridgeProtocol

private struct ActionButton: ScriptMessage {
    static let name = "ActionButton"
    let path: String
    let icon: String
}

private struct RegisterPushToken: ScriptMessage {
    static let name = "RegisterPushToken"
}

private struct Failing: ScriptMessage {
    static let name = "Failing"
}

private struct Refusal: Error, CustomStringConvertible {
    let description = "not today"
}

@MainActor private final class RecordingEvaluator: ScriptEvaluator {
    var sources: [String] = []

    func evaluate(
        _ source: String, timeout: Duration?, completion: (@MainActor (Result<ScriptValue, ScriptError>) -> Void)?
    ) {
        sources.append(source)
        Task { completion?(.success(.null)) }
    }
}

@MainActor @Suite struct Dispatching {
    private let evaluator = RecordingEvaluator()
    private let dispatcher = ScriptMessageDispatcher()

    private func dispatch(_ json: String) throws -> Verdict {
        let context = ScriptMessageContext(
            handler: "nativeApp", page: "p1", webView: "main", url: "http://localhost/", seq: 1, evaluator: evaluator)
        return try dispatcher.dispatch(value(json), context: context)
    }

    @Test func handlesMessage_andEvaluatesInReply() throws {
        dispatcher.on(RegisterPushToken.self) { _, context in
            context.evaluate(JavaScriptCall("window.bridge.register", "t"))
        }
        #expect(try dispatch(#"{"name":"RegisterPushToken"}"#) == .handled)
        #expect(evaluator.sources == [#"window.bridge.register("t")"#])
    }

    @Test func callsLaterHandler_whenNameIsRegisteredTwice() throws {
        var calls: [String] = []
        dispatcher.on(ActionButton.self) { _, _ in calls.append("first") }
        dispatcher.on(ActionButton.self) { message, _ in calls.append(message.path) }
        _ = try dispatch(#"{"name":"ActionButton","path":"/x","icon":"plus"}"#)
        #expect(calls == ["/x"])
        #expect(dispatcher.names == ["ActionButton"])
    }

    @Test func suggestsNearestName_whenNameIsUnknown() throws {
        dispatcher.on(ActionButton.self) { _, _ in }
        let verdict = try dispatch(#"{"name":"actionButon"}"#)
        #expect(verdict.outcome == .dropped && verdict.reason == .unknownName && verdict.at == "/name")
        #expect(verdict.expected == "one of ActionButton" && verdict.found == #"string "actionButon""#)
        #expect(verdict.hint?.hasPrefix("Did you mean \"ActionButton\"? To receive it, register") == true)
    }

    @Test(arguments: [
        (#""hello""#, "", #"string "hello""#), ("{}", "/name", "nothing"), (#"{"name":3}"#, "/name", "number 3"),
    ])
    func dropsMessage_withoutName(json: String, at: String, found: String) throws {
        let verdict = try dispatch(json)
        #expect(verdict.reason == .unknownName && verdict.at == at && verdict.found == found)
    }

    @Test(arguments: [
        (
            #"{"name":"ActionButton","path":"/x"}"#, "nothing",
            #"Post "icon" (String), or make it optional in ActionButton."#
        ),
        (
            #"{"name":"ActionButton","path":"/x","icon":3}"#, "number 3",
            #"Post "icon" as String, or change its type in ActionButton."#
        ),
    ])
    func hintsAtTheFix_whenBodyIsUndecodable(json: String, found: String, hint: String) throws {
        dispatcher.on(ActionButton.self) { _, _ in }
        #expect(
            try dispatch(json)
                == Verdict(
                    .dropped, reason: .undecodable, expected: "String", found: found, at: "/icon", hint: hint))
    }

    @Test func reportsErrorText_whenHandlerThrows() throws {
        dispatcher.on(Failing.self) { _, _ in throw Refusal() }
        let verdict = try dispatch(#"{"name":"Failing"}"#)
        #expect(verdict.reason == .handlerFailed && verdict.found == "not today")
    }

    @Test func usesConfiguredDiscriminator() throws {
        let dispatcher = ScriptMessageDispatcher(discriminator: "type")
        dispatcher.on(Failing.self) { _, _ in }
        let context = ScriptMessageContext(
            handler: "h", page: "p1", webView: "main", url: "", seq: 1, evaluator: evaluator)
        #expect(try dispatcher.dispatch(value(#"{"type":"Failing"}"#), context: context) == .handled)
    }

    @Test func returnsResult_ofAwaitedEvaluation() async throws {
        #expect(try await evaluator.evaluate(JavaScriptCall("f", 1)).kind == .null)
        #expect(evaluator.sources == ["f(1)"])
    }

    @Test func findsMessageName() throws {
        #expect(try ScriptMessageDispatcher.messageName(of: value(#"{"name":"A"}"#)) == "A")
        #expect(try ScriptMessageDispatcher.messageName(of: value(#"{"name":1}"#)) == nil)
        #expect(try ScriptMessageDispatcher.messageName(of: value("[1]")) == nil)
    }
}
