import BridgeProtocol
import Foundation

extension CaseRunner {
    // MARK: Evaluating from native code

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
        _ body: String, _ arguments: [String: JSONValue]?, _ types: [String: String]? = nil, world: String? = nil,
        timeoutMs: Int? = nil
    ) async -> NativeResult? {
        await startCallAsync(body, arguments, types, world: world).wait(upTo: CaseRunner.time(timeoutMs))
    }

    func startCallAsync(
        _ body: String, _ arguments: [String: JSONValue]? = nil, _ types: [String: String]? = nil, world: String? = nil
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

    // MARK: Evaluating with the page's helper

    /// Runs a global program in the page. The page's helper returns its value as a type tag.
    func runInPage(_ script: String) async throws -> JSONValue {
        try CaseRunner.helperAnswer(await evaluate("__oracle.run(\(Tag.quote(placeholders.fill(script))))"))
            ?? CaseRunner.noAnswer
    }

    /// Starts asynchronous work with the page's helper, and polls until the helper has the answer.
    ///
    /// - Parameter start: `startPost` or `startAsync`.
    func answer(_ start: String, _ script: String) async throws -> JSONValue {
        let limit = promiseLimit
        let ticket = await evaluate("__oracle.\(start)(\(Tag.quote(placeholders.fill(script))), \(limit))")
        guard case .value(let value?) = ticket, let ticket = (value as? NSNumber)?.intValue else {
            throw Unsupported(description: "the page's helper, which answered \(String(describing: ticket))")
        }
        let deadline = ContinuousClock.now + .milliseconds(limit) + CaseRunner.patience
        while ContinuousClock.now < deadline {
            if let answer = try CaseRunner.helperAnswer(await evaluate("__oracle.answer(\(ticket))")) { return answer }
            try await Task.sleep(for: .milliseconds(25))
        }
        return CaseRunner.noAnswer
    }

    /// The milliseconds for which the page's helper waits for a promise to settle.
    ///
    /// Several windows and browsers share the cores, so promises take longer to settle than on the recorder's machine. A
    /// promise that must settle ends the wait when it does. Only one that must stay pending takes the whole time.
    private var promiseLimit: Int {
        let outcome = recordedCase.expect["promise"] ?? recordedCase.expect
        return outcome["state"]?.string == "pending" ? (recordedCase.settleMs ?? 400) + 1_100 : 10_000
    }

    private static var noAnswer: JSONValue { ["state": "the page's helper does not answer"] }

    /// - Returns: nil if the helper returned null because it has no answer yet.
    private static func helperAnswer(_ result: NativeResult?) throws -> JSONValue? {
        switch result {
        case .value(let text as String): try JSONValue(json: text)
        case .value: nil
        default: throw Unsupported(description: "the page's helper, which answered \(String(describing: result))")
        }
    }
}

/// Converts recorded arguments of `callAsyncJavaScript` to those that an app would pass.
enum Argument {
    /// The types that Apple's API does not have, and the booleans and arrays that GTK refuses.
    private static let refused: Set<Character> = ["y", "b", "h", "o", "g", "(", "a"]

    /// - Parameter type: the name of the type in GVariant. A type that GTK refuses becomes a value that Apple
    ///   refuses.
    static func native(_ value: JSONValue, type: String?) -> Any {
        if let type, type != "a{sv}", let first = type.first, refused.contains(first) { return NSObject() }
        switch value {
        case .null, .bool, .array: return NSObject()
        case .number(let number): return NSNumber(value: number)
        case .string(let text): return type == "d" ? NSNumber(value: Double(text) ?? .nan) : text
        case .object: return (value.dictionary ?? [:]).mapValues { native($0, type: nil) }
        }
    }
}
