import BridgeProtocol
import BridgeTesting
import Foundation

/// The outcome of a case, before its values are tagged. On the main actor.
struct Outcome {
    enum Result {
        /// An outcome that the page's helper reports.
        case page(JSONValue)
        /// Nil if the evaluation did not settle in time.
        case native(NativeResult?)
        case steps([String: StepResult])
    }

    let result: Result
    var entries: [Entry] = []

    static func page(_ json: JSONValue) -> Outcome { Outcome(result: .page(json)) }
    static func native(_ result: NativeResult?) -> Outcome { Outcome(result: .native(result)) }
    static func steps(_ results: [String: StepResult]) -> Outcome { Outcome(result: .steps(results)) }

    /// Returns the outcome in the format of the recordings.
    func recordedForm(for recordedCase: RecordedCase, hashing nullItem: Tag.NullItem) -> JSONValue {
        let tag = { NativeTagger.tag($0).value(hashing: nullItem) }
        var json: JSONValue
        switch result {
        case .page(let outcome): json = outcome
        case .native(let result): json = StepResult.native(result).json(tag)
        case .steps(let results): json = ["results": JSONValue(results.mapValues { $0.json(tag) })]
        }
        let entries = entries.map { $0.json(tag) }
        switch recordedCase.kind {
        case "post": json["delivered"] = .array(Outcome.delivered(entries))
        case "steps":
            json["messages"] = recordedCase.compactMessages == true ? Outcome.compact(entries) : .array(entries)
        case "evaluate": break
        default:
            guard !entries.isEmpty else { break }
            json["messages"] = recordedCase.compactMessages == true ? Outcome.compact(entries) : .array(entries)
        }
        return json
    }

    /// Returns the outcome in the format of the recordings, once for each kind of item that arrays of native code have.
    /// Texts that differ from run to run are replaced.
    func recordedForms(for recordedCase: RecordedCase, _ placeholders: Placeholders) -> [JSONValue] {
        [Tag.NullItem.null, .undefined].map {
            recordedForm(for: recordedCase, hashing: $0).mapStrings {
                placeholders.unfill($0).replacing(/user-script:\d+/, with: "user-script:N")
            }
        }
    }

    /// Returns only the bodies if all messages went to the default handler `nativeApp`.
    private static func delivered(_ entries: [JSONValue]) -> [JSONValue] {
        guard entries.allSatisfy({ $0["handler"] == "nativeApp" }) else { return entries }
        return entries.compactMap { $0["body"] }
    }

    /// Returns the ends of a long list and the SHA-256 of its lines.
    private static func compact(_ entries: [JSONValue]) -> JSONValue {
        [
            "count": .number(Double(entries.count)), "first": entries.first ?? .null, "last": entries.last ?? .null,
            "sha256": .string(SHA256.hex(of: entries.map(\.canonicalText).joined(separator: "\n"))),
        ]
    }
}

enum Entry {
    case message(handler: String, body: Any?)
    case mark(String)

    func json(_ tag: (Any?) -> JSONValue) -> JSONValue {
        switch self {
        case .message(let handler, let body): ["handler": .string(handler), "body": tag(body)]
        case .mark(let text): ["mark": .string(text)]
        }
    }
}

enum StepResult {
    case page(JSONValue)
    /// Nil if the evaluation did not settle in time.
    case native(NativeResult?)

    func json(_ tag: (Any?) -> JSONValue) -> JSONValue {
        switch self {
        case .page(let json): json
        case .native(.value(let value)): ["value": tag(value)]
        case .native(.error(let error)): ["error": error]
        case .native(nil): ["state": "pending"]
        }
    }
}
