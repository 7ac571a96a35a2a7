/// Compares a recorded outcome with ours.
struct Comparison {
    /// The engine's own wording: kinds and error classes count, texts don't.
    let ignoresText: Bool
    /// JavaScriptCore's habits of columns: lines count, columns don't.
    let ignoresColumns: Bool

    init(_ recordedCase: RecordedCase) {
        ignoresText = recordedCase.engineText == true
        ignoresColumns = recordedCase.enginePosition == true
    }

    func matches(_ expected: Tree, _ actual: Tree) -> Bool {
        switch (expected, actual) {
        case (.string(let expected), .string(let actual)):
            expected == actual || (ignoresText && isWording(expected.value, like: actual.value))
        case (.array(let expected), .array(let actual)):
            expected.count == actual.count
                && expected.indices.allSatisfy { isColumn($0, of: expected) || matches(expected[$0], actual[$0]) }
        case (.object(let expected), .object(let actual)): members(of: expected, match: actual)
        default: expected == actual
        }
    }

    /// A page that tells positions tells a line and then a column.
    private func isColumn(_ index: Int, of items: [Tree]) -> Bool {
        guard ignoresColumns, index > 0 else { return false }
        return items[index]["t"] == "number" && items[index - 1]["t"] == "number"
    }

    private func members(of expected: [String: Tree], match actual: [String: Tree]) -> Bool {
        var ignored: Set<String> = []
        if ignoresColumns { ignored.insert("column") }
        // An error of the engine's own may or may not say where it happened.
        if ignoresText, expected["line"] == 0 { ignored.formUnion(["line", "column", "sourceURL"]) }
        let keys = Set(expected.keys).union(actual.keys).subtracting(ignored)
        return keys.allSatisfy { key in
            guard let expected = expected[key], let actual = actual[key] else { return false }
            return matches(expected, actual)
        }
    }

    /// Two texts of two engines about the same thing: wording has blanks in it, and names the same class of error if
    /// any.
    private func isWording(_ expected: String, like actual: String) -> Bool {
        expected.contains(" ") && errorClass(of: expected) == errorClass(of: actual)
    }

    private func errorClass(of text: String) -> Substring? {
        text.firstMatch(of: /\b[A-Z][A-Za-z]*Error\b/)?.output
    }
}
