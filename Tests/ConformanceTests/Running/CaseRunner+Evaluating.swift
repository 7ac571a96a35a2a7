import Foundation

extension CaseRunner {
    // MARK: As native code does

    func evaluate(_ script: String, sourceURL: String? = nil, world: String? = nil, timeoutMs: Int? = nil) async
        -> NativeResult?
    {
        await startEvaluate(script, sourceURL: sourceURL, world: world).wait(upTo: CaseRunner.time(timeoutMs))
    }

    func startEvaluate(_ script: String, sourceURL: String? = nil, world: String? = nil) -> Later<NativeResult> {
        let result = Later<NativeResult>()
        native.evaluate(placeholders.fill(script), sourceURL: sourceURL, world: world) { result.set($0) }
        return result
    }

    func callAsync(
        _ body: String, _ arguments: [String: Tree]?, _ types: [String: String]? = nil, world: String? = nil,
        timeoutMs: Int? = nil
    ) async -> NativeResult? {
        await startCallAsync(body, arguments, types, world: world).wait(upTo: CaseRunner.time(timeoutMs))
    }

    func startCallAsync(
        _ body: String, _ arguments: [String: Tree]? = nil, _ types: [String: String]? = nil, world: String? = nil
    ) -> Later<NativeResult> {
        let result = Later<NativeResult>()
        let arguments = Dictionary(
            uniqueKeysWithValues: (arguments ?? [:]).map { name, value in
                (name, Argument.native(value, type: types?[name]))
            })
        native.callAsync(placeholders.fill(body), arguments: arguments, world: world) { result.set($0) }
        return result
    }

    static func time(_ milliseconds: Int?) -> Duration { milliseconds.map { .milliseconds($0) } ?? patience }

    // MARK: Through the page's helper

    /// Runs a global program in the page. Its value is tagged there.
    func runInPage(_ script: String) async throws -> Tree {
        try CaseRunner.helperAnswer(await evaluate("__oracle.run(\(Tag.quote(placeholders.fill(script))))"))
            ?? CaseRunner.silence
    }

    /// Has the helper start something that takes time, and asks until it answers.
    ///
    /// - Parameter start: `startPost` or `startAsync`.
    func answer(_ start: String, _ script: String) async throws -> Tree {
        // Windows share two cores here: what will settle may take a little longer than on the recorder's machine.
        let limit = (recordedCase.settleMs ?? 400) + 1_100
        let ticket = await evaluate("__oracle.\(start)(\(Tag.quote(placeholders.fill(script))), \(limit))")
        guard case .value(let value?) = ticket, let ticket = (value as? NSNumber)?.intValue else {
            throw Unsupported(description: "the page's helper, which answered \(String(describing: ticket))")
        }
        let deadline = ContinuousClock.now + .milliseconds(limit) + CaseRunner.patience
        while ContinuousClock.now < deadline {
            if let answer = try CaseRunner.helperAnswer(await evaluate("__oracle.answer(\(ticket))")) { return answer }
            try await Task.sleep(for: .milliseconds(25))
        }
        return CaseRunner.silence
    }

    private static var silence: Tree { ["state": "the page's helper does not answer"] }

    /// - Returns: nil for null, which says that there is no answer yet.
    private static func helperAnswer(_ result: NativeResult?) throws -> Tree? {
        switch result {
        case .value(let text as String): try Tree(json: text)
        case .value: nil
        default: throw Unsupported(description: "the page's helper, which answered \(String(describing: result))")
        }
    }
}

/// An argument of `callAsyncJavaScript` as an app would give it.
enum Argument {
    /// GTK's types that have no equal among Apple's, and the booleans and arrays that GTK refuses.
    private static let refused: Set<Character> = ["y", "b", "h", "o", "g", "(", "a"]

    /// - Parameter type: GVariant's name of it. One that GTK refuses stands for one that Apple refuses.
    static func native(_ value: Tree, type: String?) -> Any {
        if let type, type != "a{sv}", let first = type.first, refused.contains(first) { return NSObject() }
        switch value {
        case .null, .bool, .array: return NSObject()
        case .number(let number): return NSNumber(value: number)
        case .string(let text): return type == "d" ? NSNumber(value: Double(text.value) ?? .nan) : text.value
        case .object(let members): return members.mapValues { native($0, type: nil) }
        }
    }
}
