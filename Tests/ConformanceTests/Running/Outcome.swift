import BridgeTesting
import Foundation

/// The outcome of a case, before its values are tagged. On the main actor.
struct Outcome {
    enum Result {
        /// An outcome that the page's helper reports.
        case page(Tree)
        /// Nil if the evaluation did not settle in time.
        case native(NativeResult?)
        case steps([String: StepResult])
    }

    let result: Result
    var entries: [Entry] = []

    static func page(_ tree: Tree) -> Outcome { Outcome(result: .page(tree)) }
    static func native(_ result: NativeResult?) -> Outcome { Outcome(result: .native(result)) }
    static func steps(_ results: [String: StepResult]) -> Outcome { Outcome(result: .steps(results)) }

    /// Returns the outcome in the format of the recordings.
    func tree(for recordedCase: RecordedCase, hashing nullItem: Tag.NullItem) -> Tree {
        let tag = { NativeTagger.tag($0).tree(hashing: nullItem) }
        var tree: Tree
        switch result {
        case .page(let outcome): tree = outcome
        case .native(let result): tree = StepResult.native(result).tree(tag)
        case .steps(let results): tree = ["results": .object(results.mapValues { $0.tree(tag) })]
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

    /// Returns the outcome in the format of the recordings, once for each kind of item that arrays of native code have.
    /// Texts that differ from run to run are replaced.
    func trees(for recordedCase: RecordedCase, _ placeholders: Placeholders) -> [Tree] {
        [Tag.NullItem.null, .undefined].map {
            tree(for: recordedCase, hashing: $0).mapStrings {
                placeholders.unfill($0).replacing(/user-script:\d+/, with: "user-script:N")
            }
        }
    }

    /// Returns only the bodies if all messages went to the default handler `nativeApp`.
    private static func delivered(_ entries: [Tree]) -> [Tree] {
        guard entries.allSatisfy({ $0["handler"] == "nativeApp" }) else { return entries }
        return entries.compactMap { $0["body"] }
    }

    /// Returns the ends of a long list and the SHA-256 of its lines.
    private static func compact(_ entries: [Tree]) -> Tree {
        [
            "count": .number(Double(entries.count)), "first": entries.first ?? .null, "last": entries.last ?? .null,
            "sha256": .text(SHA256.hex(of: entries.map(\.description).joined(separator: "\n"))),
        ]
    }
}

enum Entry {
    case message(handler: String, body: Any?)
    case mark(String)

    func tree(_ tag: (Any?) -> Tree) -> Tree {
        switch self {
        case .message(let handler, let body): ["handler": .text(handler), "body": tag(body)]
        case .mark(let text): ["mark": .text(text)]
        }
    }
}

enum StepResult {
    case page(Tree)
    /// Nil if the evaluation did not settle in time.
    case native(NativeResult?)

    func tree(_ tag: (Any?) -> Tree) -> Tree {
        switch self {
        case .page(let tree): tree
        case .native(.value(let value)): ["value": tag(value)]
        case .native(.error(let error)): ["error": error]
        case .native(nil): ["state": "pending"]
        }
    }
}
