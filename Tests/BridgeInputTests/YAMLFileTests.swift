import BridgeProtocol
import BridgeYAML
import TestSupport
import Testing

/// YAML that stands for more than it looks like.
@Suite(.timeLimit(.minutes(4))) struct YAMLFileTests {
    /// Nine lists of nine aliases each stand for 9⁹ values.
    private static let bomb = (1...9).reduce("a0: &a0 x") { text, level in
        let aliases = Array(repeating: "*a\(level - 1)", count: 9).joined(separator: ", ")
        return text + "\na\(level): &a\(level) [\(aliases)]"
    }

    private func error(_ text: String) -> YAMLError? {
        #expect(throws: YAMLError.self) { try YAMLFile(name: "bridged.yml", text: text) }
    }

    @Test func rejectsABombOfAliases() {
        let tooMany = """
            The file has more than 100000 values up to here, counting keys, and aliases as what they stand for. Leave \
            some away.
            """
        #expect(error(Self.bomb)?.description == "bridged.yml:7:10: \(tooMany)")
        // Comparing such keys with each other would also take for ever.
        let keys = Self.bomb.split(separator: "\n").prefix(6).joined(separator: "\n") + "\nb: {? *a5 : 1, ? *a4 : 2}"
        #expect(error(keys)?.line == 7)
        // Each list has the one before, so they are as deep as they are many.
        let chain = "- &a0 x\n" + (1...2_000).map { "- &a\($0) [*a\($0 - 1)]" }.joined(separator: "\n")
        #expect(error(chain)?.message == tooMany)
        #expect(error("a: &a [*a]")?.message == "Not valid YAML: found undefined alias.")
    }

    /// Each value takes microseconds, so a file of 4 MiB could take the whole time of a start.
    @Test func rejectsTooManyValues() throws {
        let many = "redact: [\((1...99_998).map { "a\($0)" }.joined(separator: ","))"
        #expect(error("\(many),one]")?.message.hasPrefix("The file has more than 100000 values up to here") == true)
        #expect(error("\((1...60_000).map { "k\($0): 1" }.joined(separator: "\n"))")?.line == 50_000)
    }

    @Test func readsAliases() throws {
        let file = try YAMLFile(name: "x", text: "a: &a [1, {b: 2}]\nc: [*a, *a]\nd: &a 3\ne: *a")
        #expect(file.root.json.text == #"{"a":[1,{"b":2}],"c":[[1,{"b":2}],[1,{"b":2}]],"d":3,"e":3}"#)
    }

    @Test(arguments: ["[", "{a: ", "- ", "? ", "{? ", "[{"])
    func rejectsDeepNesting(_ start: String) {
        // libyaml itself allows 1,000 brackets.
        let message = error(String(repeating: start, count: 100_000))?.message ?? ""
        #expect(
            message.hasPrefix("Lists and mappings are nested more than 100 deep here.")
                || message.hasPrefix("Not valid YAML: Maximum nesting level reached"))
        let little = error(String(repeating: start, count: 200))
        #expect(little?.message == "Lists and mappings are nested more than 100 deep here. Nest them less.")
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
        #expect(throws: YAMLError(file: "/", message: "Can't be read: Is a directory.")) { try YAMLFile(path: "/") }
    }
}
