public import BridgeProtocol

/// Prints values as YAML for people: a value is on one line if it is short, and else has a line for each member or element.
public enum YAMLText {
    /// The length from which a value has several lines.
    private static let width = 100

    /// The lines of a member of a mapping.
    public static func lines(_ key: String, _ value: JSONValue) -> [String] {
        let name = scalar(key)
        guard name.utf8.count <= maximumKey else {
            // This form takes keys of any length.
            guard let lines = block(value) else { return ["? \(name)", ": \(flow(value))"] }
            return ["? \(name)", ":"] + lines.map { "  \($0)" }
        }
        let line = "\(name): \(flow(value))"
        guard line.count > width, let lines = block(value) else { return [line] }
        return ["\(name):"] + lines.map { "  \($0)" }
    }

    /// The longest key that is written before a colon, in bytes. YAML reads no longer one there than 1,024 characters.
    private static let maximumKey = 1_000

    /// The lines of an element of a list.
    public static func lines(ofElement value: JSONValue) -> [String] {
        let line = "- \(flow(value))"
        guard line.count > width, let lines = block(value) else { return [line] }
        return element(lines)
    }

    /// The lines of an element with a line for each member, however short it is.
    public static func lines(ofElement members: [JSONValue.Member]) -> [String] {
        element(members.flatMap { lines($0.key, $0.value) })
    }

    private static func element(_ lines: [String]) -> [String] {
        lines.enumerated().map { ($0 == 0 ? "- " : "  ") + $1 }
    }

    /// - Returns: nil for a value that has only one line.
    private static func block(_ value: JSONValue) -> [String]? {
        switch value {
        case .object(let members) where !members.isEmpty: members.flatMap { lines($0.key, $0.value) }
        case .array(let elements) where !elements.isEmpty: elements.flatMap { lines(ofElement: $0) }
        default: nil
        }
    }

    /// The value on one line.
    public static func flow(_ value: JSONValue) -> String {
        switch value {
        case .string(let text): scalar(text)
        case .array(let elements): "[\(elements.map(flow).joined(separator: ", "))]"
        case .object(let members):
            "{\(members.map { "\(flowKey($0.key)): \(flow($0.value))" }.joined(separator: ", "))}"
        default: value.text
        }
    }

    private static func flowKey(_ key: String) -> String {
        let name = scalar(key)
        return name.utf8.count <= maximumKey ? name : "? \(name) "
    }

    /// Words that YAML, or what others read it with, takes for something else than a text.
    private static let words: Set = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"]

    /// A text, with quotation marks if it needs them.
    static func scalar(_ text: String) -> String {
        let isPlain =
            text.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_.\/\-]*(?: [A-Za-z0-9_.\/\-]+)*|[0-9]+ms/) != nil
        if isPlain, !words.contains(text.lowercased()) { return text }
        // JSON is YAML, except for a few characters that YAML does not print.
        return JSONValue.string(text).text.unicodeScalars.reduce(into: "") { quoted, scalar in
            switch scalar.value {
            case 0x7F...0x9F, 0x2028...0x2029, 0xFEFF, 0xFFFE...0xFFFF:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
    }
}
