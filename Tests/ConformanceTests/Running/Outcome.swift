import BridgeProtocol
import BridgeTesting
import Foundation

/// What has come of a case, before its values are tagged. On the main actor.
struct Outcome {
    enum Result {
        /// What the page's helper tells.
        case page(JSONValue)
        /// Nil: not settled while we watched.
        case native(NativeResult?)
        case steps([String: StepResult])
    }

    let result: Result
    var entries: [Entry] = []

    static func page(_ tree: JSONValue) -> Outcome { Outcome(result: .page(tree)) }
    static func native(_ result: NativeResult?) -> Outcome { Outcome(result: .native(result)) }
    static func steps(_ results: [String: StepResult]) -> Outcome { Outcome(result: .steps(results)) }

    /// As the oracle records it.
    func tree(for recordedCase: RecordedCase, hashing nullItem: Tag.NullItem) -> JSONValue {
        let tag = { NativeTagger.tag($0).tree(hashing: nullItem) }
        var tree: JSONValue
        switch result {
        case .page(let outcome): tree = outcome
        case .native(let result): tree = StepResult.native(result).tree(tag)
        case .steps(let results): tree = ["results": JSONValue(results.mapValues { $0.tree(tag) })]
        }
        let entries = entries.map { $0.tree(tag) }
        switch recordedCase.kind {
        case "post": tree["delivered"] = .array(Outcome.delivered(entries))
        case "steps":
            tree["messages"] = recordedCase.compactMessages == true ? Outcome.compact(entries) : .array(entries)
        case "evaluate": break
        default:
            guard !entries.isEmpty else { break }
            tree["messages"] = recordedCase.compactMessages == true ? Outcome.compact(entries) : .array(entries)
        }
        return tree
    }

    /// Bodies alone, where they all went to the handler that cases have unless they say otherwise.
    private static func delivered(_ entries: [JSONValue]) -> [JSONValue] {
        guard entries.allSatisfy({ $0["handler"] == "nativeApp" }) else { return entries }
        return entries.compactMap { $0["body"] }
    }

    /// A long list's ends, and the SHA-256 of its lines.
    private static func compact(_ entries: [JSONValue]) -> JSONValue {
        [
            "count": .number(Double(entries.count)), "first": entries.first ?? .null, "last": entries.last ?? .null,
            "sha256": .string(SHA256.hex(of: entries.map(\.canonical).joined(separator: "\n"))),
        ]
    }
}

enum Entry {
    case message(handler: String, body: Any?)
    case mark(String)

    func tree(_ tag: (Any?) -> JSONValue) -> JSONValue {
        switch self {
        case .message(let handler, let body): ["handler": .string(handler), "body": tag(body)]
        case .mark(let text): ["mark": .string(text)]
        }
    }
}

enum StepResult {
    case page(JSONValue)
    /// Nil: not settled while we watched.
    case native(NativeResult?)

    func tree(_ tag: (Any?) -> JSONValue) -> JSONValue {
        switch self {
        case .page(let tree): tree
        case .native(.value(let value)): ["value": tag(value)]
        case .native(.error(let error)): ["error": error]
        case .native(nil): ["state": "pending"]
        }
    }
}
