import Foundation

/// The native side of replying handlers, for each reply mode of the recordings. On the main actor.
@MainActor final class Replies {
    typealias Reply = (Any?, String?) -> Void
    typealias Evaluate = (String, @escaping (NativeResult) -> Void) -> Void

    private let evaluateInPage: Evaluate
    private let evaluateElsewhere: Evaluate
    private var held: [(body: Any?, reply: Reply)?] = []

    init(evaluateInPage: @escaping Evaluate, evaluateElsewhere: @escaping Evaluate) {
        self.evaluateInPage = evaluateInPage
        self.evaluateElsewhere = evaluateElsewhere
    }

    func answer(_ body: Any?, mode: String, _ reply: @escaping Reply) {
        let text = Replies.text(body)
        switch mode {
        case "error": reply(nil, text)
        case "drop", "decline": break
        case "hold": held.append((body, reply))
        case "js": evaluateElsewhere(text) { reply(Replies.value($0), nil) }
        case "eval-first": evaluateInPage(text) { reply(Replies.value($0), nil) }
        case "slow-if-number": answer(body, after: body as? Double ?? 0, reply)
        default: answer(body, after: mode.split(separator: ":").last.flatMap { Double($0) } ?? 0, reply)
        }
    }

    /// - Parameter index: the index among the held replies. Nil answers the first.
    func answerHeld(_ index: Int?, mode: String) {
        let index = index ?? held.firstIndex { $0 != nil } ?? 0
        guard held.indices.contains(index), let (body, reply) = held[index] else { return }
        held[index] = nil
        answer(body, mode: mode, reply)
    }

    func dropHeld() { held = [] }

    private func answer(_ body: Any?, after milliseconds: Double, _ reply: @escaping Reply) {
        guard milliseconds > 0 else { return reply(body, nil) }
        Task {
            try await Task.sleep(for: .milliseconds(milliseconds))
            reply(body, nil)
        }
    }

    /// Returns the evaluated value. If there is none, returns an object that can't be a reply.
    private static func value(_ result: NativeResult) -> Any? {
        if case .value(let value) = result { value } else { NSObject() }
    }

    /// Returns the text that JavaScript's `String()` makes of the value.
    private static func text(_ body: Any?) -> String {
        switch NativeTagger.tag(body) {
        case .undefined: "undefined"
        case .null, .nullItem: "null"
        case .boolean(let value): "\(value)"
        case .number(let value):
            value.isFinite ? Tag.javaScript(value) : value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity"
        case .string(let value): value
        case .array(let items): items.map { Replies.text($0) }.joined(separator: ",")
        default: "[object Object]"
        }
    }
}
