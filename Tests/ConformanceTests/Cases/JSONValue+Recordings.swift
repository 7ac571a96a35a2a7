import BridgeProtocol
import Foundation

extension JSONValue {
    /// Reads the text with Foundation, because jansson allows no NUL in a key.
    init(json: String) throws { self = try JSONDecoder().decode(JSONValue.self, from: Data(json.utf8)) }

    /// The members of an object by their names. `nil` for another kind.
    var dictionary: [String: JSONValue]? {
        members.map { members in Dictionary(members.map { ($0.key, $0.value) }) { $1 } }
    }

    /// Returns the value with every string changed.
    func mapStrings(_ change: (String) -> String) -> JSONValue {
        switch self {
        case .string(let text): .string(change(text))
        case .array(let items): .array(items.map { $0.mapStrings(change) })
        case .object(let members): .object(members.map { .init($0.key, $0.value.mapStrings(change)) })
        default: self
        }
    }

    /// Compact JSON with sorted keys, in ASCII, as the recordings have it.
    var canonicalText: String {
        switch self {
        case .string(let text): Tag.quote(text)
        case .array(let items): "[" + items.map(\.canonicalText).joined(separator: ",") + "]"
        case .object(let members):
            "{"
                + members.sorted { $0.key < $1.key }
                .map { "\(Tag.quote($0.key)):\($0.value.canonicalText)" }.joined(separator: ",") + "}"
        default: text
        }
    }
}
