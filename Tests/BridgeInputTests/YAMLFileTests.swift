import BridgeProtocol
import BridgeYAML
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(4))) struct YAMLFileTests {
    private func error(_ text: String) -> YAMLError? {
        #expect(throws: YAMLError.self) { try YAMLFile(name: "bridged.yml", text: text) }
    }

    @Test func readsAliases() throws {
        let file = try YAMLFile(name: "x", text: "a: &a [1, {b: 2}]\nc: [*a, *a]\nd: &a 3\ne: *a")
        #expect(file.root.json.text == #"{"a":[1,{"b":2}],"c":[[1,{"b":2}],[1,{"b":2}]],"d":3,"e":3}"#)
        let unended = error("a: 1\nb: {c: 2\n\nd: 3\n")
        #expect(
            unended?.message
                == "Not valid YAML: a mapping has no \",\" between its members, or no \"}\" at its end. It begins in line 2, "
                + "column 4.")
        #expect(error("a: &a [*a]")?.message == "Not valid YAML: a text that begins with * needs quotation marks.")
    }

    /// libyaml's words are those of its parser; each mistake is one that people make.
    @Test(arguments: [
        ("open: http://a: b", "a second \": \" is in this value"), ("a: 1\n  b: 2", "a second \": \" is in this value"),
        ("a: 1\nb\nc: 2", "a key has no \": \" behind it"), ("a: 1\n b: 2\nc: [", "the line is indented more"),
        ("steps:\n\t- open: /", "Indent with spaces"), ("tap: @save", "begins with @ or `"),
        ("tap: *save", "begins with * needs quotation marks"), ("a: - b", "a list that begins with \"- \""),
        ("tap: \"#save", "a quotation mark is missing"), ("a: [1, 2\nb: 3", "no \"]\" at its end"),
        ("a: {b: 1\nc: 2", "no \"}\" at its end"), ("- a\nb: 1", "no element of the list above"),
        ("a: 1\n---\na: 2", "only one is read"), ("a: \"\\d\"", "single quotation marks"),
        ("a: \"b\" c", "a quotation mark is missing"),
    ])
    func saysInPlainWordsWhatIsWrong(_ text: String, _ words: String) {
        let message = error(text)?.message ?? ""
        #expect(message.contains(words), "\(text): \(message)")
    }

    @Test(arguments: ["[", "{a: ", "- ", "[{a: "])
    func rejectsDeepNesting(_ start: String) {
        // libyaml allows 1,000 levels.
        let message = error(String(repeating: start, count: 100_000))?.message ?? ""
        #expect(message.hasPrefix("Not valid YAML: Maximum nesting level reached"))
    }

    @Test func rejectsAliasesThatStandForTooMuch() {
        let levels = (1...12).map { "a\($0): &a\($0) [\(String(repeating: "*a\($0 - 1),", count: 10))]" }
        let message = error((["a0: &a0 [x]"] + levels).joined(separator: "\n"))?.message ?? ""
        #expect(message.hasPrefix("The file has more than 1000000 values. Each *name counts"))
    }

    /// Yams compares the keys of a mapping, and so everything that they stand for, before anything can be counted.
    @Test(arguments: ["{? *a30 : 1}", "{*a30 : 1}", "? *a30\n: 1", "{[*a30]: 1}", "[{? {b: *a30} : 1}]"])
    func rejectsKeysThatStandForTooMuch(_ last: String) {
        let levels = (1...30).map { "  - &a\($0) [*a\($0 - 1), *a\($0 - 1)]" }
        let value = last.hasPrefix("?") ? "  ? *a30\n  : 1" : "  \(last)"
        let found = error((["a:", "  - &a0 [x]"] + levels + ["b:", value]).joined(separator: "\n"))
        #expect(found?.message.hasPrefix("A key must be a text, and this one is ") == true, "\(found?.message ?? "")")
        #expect(found?.line ?? 0 >= 34)
    }

    @Test(arguments: [
        ("? [1, 2]\n: 3", "a list", 1, 3), ("a: {{b: 1}: 2}", "a mapping", 1, 5), ("a: &a b\n*a : c", "an alias", 2, 1),
    ])
    func rejectsKeysThatAreNoTexts(_ text: String, _ kind: String, _ line: Int, _ column: Int) {
        let found = error(text)
        #expect(found?.message == "A key must be a text, and this one is \(kind). Write the text itself.")
        #expect(found?.line == line && found?.column == column)
    }

    /// Nested keys would be compared at each level.
    @Test func rejectsNestedKeys_atOnce() {
        let text = String(repeating: "? ", count: 900) + "[" + String(repeating: "x,", count: 1_000_000) + "]"
        let started = ContinuousClock.now
        #expect(error(text)?.message.hasPrefix("A key must be a text") == true)
        #expect(ContinuousClock.now - started < .seconds(5))
    }

    @Test func readsFilesOfEditorsThatMarkThem() throws {
        #expect(try YAMLFile(name: "x", text: "\u{FEFF}a: 1\nb: 2").root.json.text == #"{"a":1,"b":2}"#)
    }

    /// Read with U+FFFD in its place, a text would be another one than the file has.
    @Test func rejectsFilesThatAreNotUTF8() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("bridged.yml")
        let latin1 = "a: 1\nb: caf\u{e9}\n".unicodeScalars.map { UInt8($0.value) }
        for (bytes, line) in [(latin1, 2), ([0xff, 0xfe, 0x61, 0], 1)] {
            try Data(bytes).write(to: URL(filePath: path))
            let error = #expect(throws: YAMLError.self) { try YAMLFile(path: path) }
            #expect(error?.line == line)
            #expect(error?.message.hasPrefix("Expected UTF-8, found byte") == true)
        }
    }

    @Test func readsNumbersOfAnySize() throws {
        let texts = [
            "1:0:0:0:0:0:0:0:0:0:0:0:0", "12:30", "99999999999999999999999", "1e999", "-9223372036854775808", ".nan",
            "0x\(String(repeating: "f", count: 99))", "0b\(String(repeating: "1", count: 99))",
            String(repeating: "07", count: 50), String(repeating: "9", count: 10_000), "2001-99-99t99:99:99Z",
        ]
        let file = try YAMLFile(name: "x", text: texts.map { "- \($0)" }.joined(separator: "\n"))
        #expect(try file.root.elements().map { try $0.text() } == texts)
        #expect(try file.root.elements()[1].json == "12:30")
    }

    @Test func readsLongKeys_andLargeLists() throws {
        let key = String(repeating: "k", count: 1_000_000)
        #expect(try YAMLFile(name: "x", text: "? \(key)\n: 1").root.json[key] == 1)
        let list = try YAMLFile(name: "x", text: String(repeating: "- 1\n", count: 50_000))
        #expect(try list.root.elements().count == 50_000)
    }

    @Test func rejectsFilesThatAreTooLarge() {
        let error = #expect(throws: YAMLError.self) { try YAMLFile(path: "/dev/zero") }
        #expect(error?.description == "/dev/zero: Can't be read: it has more than 4194304 bytes.")
        #expect(throws: YAMLError(unreadable: "/", because: "Is a directory")) { try YAMLFile(path: "/") }
    }
}
