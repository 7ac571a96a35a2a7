import Foundation
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
        #expect(
            verdict.hint?.hasPrefix(
                "Did you mean \"ActionButton\"? To receive it, name it under messages: in bridged.yml, or register")
                == true)
    }

    @Test(arguments: [
        (#""hello""#, "", #"string "hello""#), ("{}", "/name", "nothing"), (#"{"name":3}"#, "/name", "number 3"),
    ])
    func dropsMessage_withoutName(json: String, at: String, found: String) throws {
        let verdict = try dispatch(json)
        #expect(verdict.reason == .unknownName && verdict.at == at && verdict.found == found)
        #expect(verdict.hint?.hasPrefix("Post an object that says what it is") == true)
    }

    @Test func tellsThatABodyIsJSONText() throws {
        let verdict = try dispatch(#""{\"name\":\"ActionButton\"}""#)
        #expect(verdict.hint?.hasPrefix("You posted JSON text. Leave out JSON.stringify") == true)
    }

    @Test(arguments: [
        (
            #"{"name":"ActionButton","path":"/x"}"#, "nothing",
            #"Post "icon" (String), or in Swift make it optional in ActionButton."#
        ),
        (
            #"{"name":"ActionButton","path":"/x","icon":3}"#, "number 3",
            #"Post "icon" as String, or in Swift change its type in ActionButton."#
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

    // MARK: Handlers that reply

    private struct PriceQuery: ScriptMessage {
        static let name = "PriceQuery"
        let item: String
    }

    private struct Price: Codable, Equatable {
        let amount: Decimal
        let since: Date
    }

    /// Dispatches a message and waits for the outcome.
    private func reply(to body: ScriptValue) async -> (Verdict, Result<ScriptValue, any Error>) {
        let context = ScriptMessageContext(
            handler: "shop", page: "p1", webView: "main", url: "", seq: 1, evaluator: evaluator)
        var verdict: Verdict?
        let result = await withCheckedContinuation { continuation in
            verdict = dispatcher.dispatch(body, context: context) { result in
                Task { continuation.resume(returning: OnMainActor(result: result)) }
            }
            if verdict?.outcome != .awaitingReply {
                continuation.resume(returning: OnMainActor(result: .success(.undefined)))
            }
        }
        return (verdict ?? .handled, result.result)
    }

    /// - Note: `@unchecked Sendable`: it is made and used on the main actor.
    private struct OnMainActor: @unchecked Sendable { let result: Result<ScriptValue, any Error> }

    @Test func repliesWithAnEncodedValue() async throws {
        let price = Price(amount: 3, since: Date(timeIntervalSince1970: 1))
        dispatcher.reply(to: PriceQuery.self) { query, _ async throws -> Price in
            await Task.yield()
            guard query.item == "tea" else { throw Refusal() }
            return price
        }
        let (verdict, result) = await reply(to: ["name": "PriceQuery", "item": "tea"])
        #expect(verdict == .awaitingReply)
        #expect(try result.get().decode(Price.self) == price)
        let (_, refused) = await reply(to: ["name": "PriceQuery", "item": "coffee"])
        #expect(throws: Refusal.self) { try refused.get() }
        #expect(await reply(to: ["name": "PriceQuery"]).0.reason == .undecodable)
        #expect(await reply(to: ["name": "PriceQuerry"]).0.reason == .unknownName)
    }

    @Test func asyncHandlersBeginInOrder_andReplyNothing() async throws {
        var begun: [String] = []
        dispatcher.on(PriceQuery.self) { query, _ in
            begun.append(query.item)
            await Task.yield()
        }
        let context = ScriptMessageContext(
            handler: "shop", page: "p1", webView: "main", url: "", seq: 1, evaluator: evaluator)
        for item in ["1", "2", "3"] {
            #expect(
                dispatcher.dispatch(["name": "PriceQuery", "item": .string(item)], context: context) == .awaitingReply)
        }
        #expect(begun == ["1", "2", "3"])
        #expect(try await reply(to: ["name": "PriceQuery", "item": "4"]).1.get().kind == .undefined)
    }

    @Test func findsMessageName() throws {
        #expect(try ScriptMessageDispatcher.messageName(of: value(#"{"name":"A"}"#)) == "A")
        #expect(try ScriptMessageDispatcher.messageName(of: value(#"{"name":1}"#)) == nil)
        #expect(try ScriptMessageDispatcher.messageName(of: value("[1]")) == nil)
    }
}
