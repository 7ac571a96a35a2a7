import BridgeProtocol

/// Compares a recorded outcome with the actual one.
struct Comparison {
    /// Whether the texts of the engine's own errors may differ. Kinds and error classes must be equal.
    let ignoresText: Bool
    /// Whether columns may differ, because they are particular to JavaScriptCore. Lines must be equal.
    let ignoresColumns: Bool

    init(ignoresText: Bool, ignoresColumns: Bool) {
        self.ignoresText = ignoresText
        self.ignoresColumns = ignoresColumns
    }

    init(_ recordedCase: RecordedCase) {
        ignoresText = recordedCase.engineText == true
        ignoresColumns = recordedCase.enginePosition == true
    }

    func matches(_ expected: JSONValue, _ actual: JSONValue) -> Bool {
        switch (expected, actual) {
        case (.string(let text), .string(let other)):
            expected == actual || (ignoresText && isWording(text, like: other))
        case (.array(let expected), .array(let actual)):
            expected.count == actual.count
                && expected.indices.allSatisfy { isColumn($0, of: expected) || matches(expected[$0], actual[$0]) }
        default:
            if let expected = expected.dictionary, let actual = actual.dictionary {
                members(of: expected, match: actual)
            } else {
                expected == actual
            }
        }
    }

    /// Returns whether an item is a column: pages report a line followed by a column.
    private func isColumn(_ index: Int, of items: [JSONValue]) -> Bool {
        guard ignoresColumns, index > 0 else { return false }
        return items[index]["t"] == "number" && items[index - 1]["t"] == "number"
    }

    private func members(of expected: [String: JSONValue], match actual: [String: JSONValue]) -> Bool {
        var ignored: Set<String> = []
        if ignoresColumns { ignored.insert("column") }
        // An engine's own error may have a position or not.
        if ignoresText, expected["line"] == 0 { ignored.formUnion(["line", "column", "sourceURL"]) }
        let keys = Set(expected.keys).union(actual.keys).subtracting(ignored)
        return keys.allSatisfy { key in
            guard let expected = expected[key], let actual = actual[key] else { return false }
            return matches(expected, actual)
        }
    }

    /// Returns whether two texts may be different engines' wording of the same message: the expected one contains
    /// spaces, and both name the same error class or none.
    private func isWording(_ expected: String, like actual: String) -> Bool {
        expected.contains(" ") && errorClass(of: expected) == errorClass(of: actual)
    }

    private func errorClass(of text: String) -> Substring? {
        text.firstMatch(of: /\b[A-Z][A-Za-z]*Error\b/)?.output
    }
}
