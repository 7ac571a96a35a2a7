import TestSupport
import Testing

@testable import BridgeProtocol

@Suite struct JSONWriting {
    @Test func writesCommas_betweenMembersAndElements() {
        let text = written { writer in
            writer.object { writer in
                writer.member("a", 1)
                writer.member("b", ifPresent: String?.none)
                writer.member("c", ["x", "y"])
                writer.member("d") { $0.member("e", true) }
                writer.key("f")
                writer.array { $0.array { _ in } }
            }
        }
        #expect(text == #"{"a":1,"c":["x","y"],"d":{"e":true},"f":[[]]}"#)
    }

    @Test func startsNewText_afterNewline() {
        let text = written { writer in
            writer.array { _ in }
            writer.newline()
            writer.null()
        }
        #expect(text == "[]\nnull")
    }

    @Test(arguments: [
        (3, "3"), (0.1, "0.1"), (-0.0, "0"), (-1.5, "-1.5"), (1e16, "10000000000000000"), (1e21, "1e+21"),
        (1e-6, "0.000001"), (1e-7, "1e-7"), (1.5e-9, "1.5e-9"),
        (.leastNonzeroMagnitude, "5e-324"), (0x1p66, "73786976294838210000"),
        (1.7976931348623157e308, "1.7976931348623157e+308"), (0.30000000000000004, "0.30000000000000004"),
        (9007199254740992, "9007199254740992"), (123456.789, "123456.789"), (.nan, "null"), (-.infinity, "null"),
    ])
    func printsNumbers_asJavaScriptDoes(number: Double, text: String) {
        #expect(written { $0.number(number) } == text)
    }

    @Test func escapesControlCharacters() {
        #expect(
            written { $0.string("\"\\\u{8}\t\n\u{C}\r\0\u{1f}é\u{7f}😀</") }
                == #""\"\\\b\t\n\f\r\u0000\u001fé\#u{7f}😀</""#)
    }

    @Test func escapesUnsafeCharacters_forHTML() {
        var writer = JSONWriter(escaping: .html)
        writer.string("a<b>&'\u{2028}\u{2029}\u{2027}é")
        #expect(writer.text == #""a\u003cb\u003e\u0026\u0027\u2028\u2029\#u{2027}é""#)
    }

    @Test func printsParsedValue_unchanged() throws {
        let text = #"{"a":[1,2.5,null,true,false,"x\u0000\n"],"":{"k":{}},"é":-3}"#
        #expect(try JSON.parse(text).description == text)
    }

    @Test func writesLiterals_inOrder() {
        let literal: JSONValue = ["z": 1, "a": [true, nil, 2.5, "x"], "o": [:]]
        #expect(written { literal.write(to: &$0) } == #"{"z":1,"a":[true,null,2.5,"x"],"o":{}}"#)
    }
}

@Suite struct StringEscaping {
    /// The escaper checks eight bytes at a time, so each offset within a word is a case of its own.
    @Test(arguments: 0..<20) func escapesCharacter_atEveryOffset(offset: Int) throws {
        for character in ["\"", "\\", "\n", "\u{1F}"] {
            let text =
                String(repeating: "é", count: offset / 2) + String(repeating: "x", count: offset % 2)
                + character + "\u{80}\u{7F}😀 tail"
            #expect(try JSON.parse(written { $0.string(text) }).string == text)
        }
    }
}
