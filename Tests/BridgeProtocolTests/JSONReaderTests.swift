import Testing

@testable import BridgeProtocol

/// Checks that the reader and jansson read each text as the same value, or both reject it.
@Suite struct JSONReaderTests {
    private static let tricky = [
        // Whitespace and the ends of texts.
        "", " ", "1", " 1 ", "\t[ 1 ,\r\n2 ] ", "{ \"a\" : 1 }", "1 2", "[1]]", "{}}", "[", "{", "[1", "{\"a\"",
        "{\"a\":",
        "{\"a\":1", "[1,]", "[,1]", "{,}", "{\"a\":1,}", "{\"a\" 1}", "{a:1}", "{1:1}", "[1 2]", "\u{FEFF}1", "\u{A0}1",
        // Words.
        "true", "false", "null", "tru", "truth", "nul", "nullx", "TRUE", "[truefalse]",
        // Numbers.
        "0", "-0", "-", "+1", "01", "-01", "00", "0.5", "-0.0", ".5", "5.", "1e5", "1E+5", "1e-400", "1e400", "-1e400",
        "1e",
        "1e+", "1.e1", "0x10", "1-2", "--1", "999999999999999", "9007199254740993", "12345678901234567890", "NaN",
        "[1e400,1]", "123456789012345678901234567890e-10",
        // Strings.
        #""""#, #"""#, #""a"#, #""\""#, #""\\""#, #""\"quoted\"""#, #""\u0041\n\t\/""#, #""\u0000""#,
        #""\ud83d\ude00""#,
        #""\ud800""#, #""\udc00""#, #""\x""#, #""\u12""#, "\"tab\there\"", "\"line\nbreak\"", "\"\u{7F}\"", "\"\u{0}\"",
        "\"äöü\"", "\"😀😀😀\"", "\"seven77\"", "\"eight888\"", "\"nine99999\"", "\"1234567\\n\"", "\"12345678\\n\"",
        "\"123456é\"", "\"1234567é\"", "[\"é\",\"plain\"]", "[\"plain\",\"é\"]",
        // Keys.
        #"{"a":1,"b":2,"a":3}"#, #"{"":1}"#, #"{"\u0061":1}"#, #"{"a\u0000b":1}"#, "{\"ä\":1}", #"{"a":1,"\u0061":2}"#,
        #"{"__proto__":{"a":[{},[],[[]]]}}"#,
    ]

    private static let broken: [[UInt8]] = [
        [0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
        [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], [0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D], [0x80],
        [0x5B, 0x31, 0x00, 0x5D],
    ]

    @Test(arguments: tricky.map { Array($0.utf8) } + broken)
    func readsAsJanssonDoes(text: [UInt8]) {
        let (quick, whole) = text.withUnsafeBytes { bytes in
            (JSONReader.root(of: bytes).map(JSON.init(owning:)), try? JSON.decode(bytes))
        }
        // The reader may leave valid text to jansson, but must not accept text that jansson rejects.
        if let quick { #expect(quick.description == whole?.description) }
    }

    @Test(arguments: [
        #"{"name":"ActionButton","path":"/customers/new","icon":"plus"}"#, #"[1,-2.5e3,"a\nb","ü",true,null,{}]"#,
        #" { "a" : [ ] } "#, "-0", #""""#,
    ])
    func readsOrdinaryText_withoutJansson(text: String) {
        #expect(Array(text.utf8).withUnsafeBytes(JSONReader.root).map(JSON.init(owning:)) != nil)
    }

    @Test func leavesDeepNestingToJansson() throws {
        let text = String(repeating: "[", count: 1_000) + String(repeating: "]", count: 1_000)
        #expect(Array(text.utf8).withUnsafeBytes(JSONReader.root) == nil)
        #expect(try JSON.parse(text).description == text)
    }

    /// Tries every text that differs from a valid one in one byte.
    @Test func agreesWithJansson_whenOneByteIsChanged() {
        let text = Array(#"{"a":[1,-0.5,"b\n","é",true,null],"c":{"d":12345678}}"#.utf8)
        for index in text.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = text
                changed[index] = byte
                let (quick, whole) = changed.withUnsafeBytes { bytes in
                    (JSONReader.root(of: bytes).map(JSON.init(owning:)), try? JSON.decode(bytes))
                }
                if let quick, quick.description != whole?.description {
                    Issue.record("\(String(decoding: changed, as: UTF8.self)) is \(quick)")
                }
            }
        }
    }
}
