import BridgeClient
import Testing

/// Editing a line key by key.
@Suite struct LineEditorTests {
    /// The keys that the bytes of a text stand for.
    private func keys(_ text: String) -> [LineEditor.Key] {
        var decoder = KeyDecoder()
        return text.utf8.compactMap { decoder.key(for: $0) }
    }

    /// An editor after these keys.
    private func typed(_ text: String, history: [String] = []) -> LineEditor {
        var editor = LineEditor(history: history)
        for key in keys(text) { _ = editor.handle(key) }
        return editor
    }

    @Test(arguments: [
        ("abc", "abc", "abc"), ("abc\u{7F}", "ab", "ab"), ("abc\u{1B}[D\u{1B}[DX", "aXbc", "aX"),
        ("abc\u{01}X", "Xabc", "X"), ("abc\u{1B}[H\u{1B}[3~", "bc", ""), ("abc\u{01}\u{04}", "bc", ""),
        ("ab cd \u{17}", "ab ", "ab "), ("abc\u{02}\u{0B}", "ab", "ab"), ("abc\u{02}\u{15}", "c", ""),
        ("aé🙂\u{7F}b", "aéb", "aéb"), ("a\u{1B}[1;5Cb", "ab", "ab"), ("\u{7F}\u{1B}[D", "", ""),
    ])
    func edits(_ typing: String, _ text: String, _ beforeCursor: String) {
        let editor = typed(typing)
        #expect(editor.text == text && editor.textBeforeCursor == beforeCursor)
    }

    @Test(arguments: [
        ("\u{1B}[A", "two"), ("\u{10}\u{10}", "one"), ("\u{10}\u{10}\u{10}", "one"), ("dr\u{10}\u{0E}", "dr"),
        ("\u{0E}", ""), ("\u{10}\u{03}", ""),
    ])
    func showsHistory(_ typing: String, _ text: String) {
        #expect(typed(typing, history: ["one", "two"]).text == text)
    }

    @Test func remembersEqualLinesOnce() {
        var editor = typed("1+1")
        #expect(editor.handle(.enter) == .submitted("1+1") && editor.text.isEmpty)
        for key in keys("1+1") { _ = editor.handle(key) }
        _ = editor.handle(.enter)
        _ = editor.handle(.enter)
        #expect(editor.history == ["1+1"])
    }

    @Test func endsTheInput_onlyIfTheLineIsEmpty() {
        var editor = LineEditor()
        #expect(editor.handle(.endOfInput) == .ended)
        _ = editor.handle(.character("a"))
        #expect(editor.handle(.endOfInput) == .edited)
    }

    @Test func showsThePartOfALongLine_withTheCursor() {
        var editor = typed("0123456789")
        #expect(editor.visible(width: 20) == ("0123456789", 10))
        #expect(editor.visible(width: 5) == ("6789", 4))
        _ = editor.handle(.home)
        #expect(editor.visible(width: 5) == ("0123", 0))
    }

    @Test func ignoresInvalidUTF8() {
        var decoder = KeyDecoder()
        #expect([0xC3, 0x28, 0x80, 0xFF].compactMap { decoder.key(for: $0) } == [])
        #expect(decoder.key(for: 0x61) == .character("a"))
    }
}

@Suite struct CompletionTests {
    @Test(
        arguments: [
            ("docu", nil, "docu"), ("1 + document.ti", "document", "ti"), ("f(window.a.b.", "window.a.b", ""),
            ("$x", nil, "$x"),
        ] as [(String, String?, String)])
    func findsTheTypedName(_ text: String, _ object: String?, _ prefix: String) throws {
        let completion = try #require(Completion(of: text))
        #expect(completion.prefix == prefix)
        #expect(completion.script.contains("Object(\(object ?? "globalThis"))"))
    }

    /// Completion calls no function, and does not complete members of numbers.
    @Test(arguments: ["", "f().", "1.", "a[0].", "x + "]) func completesNothingElse(_ text: String) {
        #expect(Completion(of: text) == nil)
    }

    @Test func insertsTheCommonPart() throws {
        let completion = try #require(Completion(of: "document.ge"))
        #expect(completion.rest(["getElementById", "getElementsByName"]) == "tElement")
        #expect(completion.rest(["getElementById"]) == "tElementById")
        #expect(completion.rest([]) == "")
    }
}
