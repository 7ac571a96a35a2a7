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
        "[1e400,1]", "123456789012345678901234567890e-10", "-12345678901234567890.5E-3", "1.7976931348623159e308",
        "4.9e-324", "0e5", "0.1e1.5", "1e5e5", "1-", "1+1", "1.5-", "0.30000000000000004",
        // Strings.
        #""""#, #"""#, #""a"#, #""\""#, #""\\""#, #""\"quoted\"""#, #""\u0041\n\t\/""#, #""\u0000""#,
        #""\ud83d\ude00""#,
        #""\ud83d\ude00\u00e9\u20AC\uffff é""#, #""\ud800\u0041""#, #""\ud800\ud800""#, #""\ud800\""#,
        #""\ud83d\ude0""#,
        #""\b\f\n\r\t\/\"\\""#, #""\u00g0""#, #""\U0041""#, "\"\\n\u{1}\"",
        #""\ud800""#, #""\udc00""#, #""\x""#, #""\u12""#, "\"tab\there\"", "\"line\nbreak\"", "\"\u{7F}\"", "\"\u{0}\"",
        "\"äöü\"", "\"😀😀😀\"", "\"seven77\"", "\"eight888\"", "\"nine99999\"", "\"1234567\\n\"", "\"12345678\\n\"",
        "\"123456é\"", "\"1234567é\"", "[\"é\",\"plain\"]", "[\"plain\",\"é\"]",
        // Keys.
        #"{"a":1,"b":2,"a":3}"#, #"{"":1}"#, #"{"\u0061":1}"#, #"{"a\u0000b":1}"#, "{\"ä\":1}", #"{"a":1,"\u0061":2}"#,
        #"{"\ud83d\ude00é":{"\n":[]}}"#, #"{"\ud800":1}"#, #"{"\u0000":[1,{}]}"#, #"{"\x":{}}"#,
        #"{"__proto__":{"a":[{},[],[[]]]}}"#,
    ]

    private static let broken: [[UInt8]] = [
        [0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
        [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], [0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D], [0x80],
        [0x5B, 0x31, 0x00, 0x5D],
    ]

    @Test(arguments: tricky.map { Array($0.utf8) } + broken)
    func readsAsJanssonDoes(text: [UInt8]) {
        #expect(text.withUnsafeBytes(JSONReaderTests.agreesWithJansson))
    }

    @Test(arguments: [
        #"{"name":"ActionButton","path":"/customers/new","icon":"plus"}"#, #"[1,-2.5e3,"a\nb","ü",true,null,{}]"#,
        #" { "a" : [ ] } "#, "-0", #""""#, #"{"\u0061\n":"\ud83d\ude00"}"#, "[1e999,-1e999,12345678901234567890]",
    ])
    func readsOrdinaryText_withoutJansson(text: String) {
        #expect(Array(text.utf8).withUnsafeBytes(JSONReaderTests.read) != nil)
    }

    @Test(arguments: [1, 200, 2_046, 2_047, 2_048, 2_049])
    func readsDeepNesting_asJanssonDoes(levels: Int) {
        for inner in ["", "1", "{}"] {
            let text = String(repeating: "[", count: levels) + inner + String(repeating: "]", count: levels)
            let (quick, whole) = Array(text.utf8).withUnsafeBytes { bytes in
                (JSONReaderTests.read(bytes), try? JSON.decode(bytes))
            }
            #expect(quick?.description == whole?.description)
        }
    }

    /// A large text is read only once, whether it is JSON or not. (jansson skips NUL outside of strings.)
    @Test(arguments: tricky.map { Array($0.utf8) } + broken.filter { !$0.contains(0) })
    func explainsAsJansson_whatIsWrongInALargeText(text: [UInt8]) {
        let text = Array("[\n".utf8) + text + Array(repeating: UInt8(ascii: " "), count: JSON.largestTextReadTwice)
        let bytes = text + Array("]".utf8)
        let (quick, whole) = bytes.withUnsafeBytes { bytes in
            (
                Result { () throws(JSONParseError) in try JSON.parse(bytes) },
                Result { () throws(JSONParseError) in try JSON.decode(bytes) }
            )
        }
        switch (quick, whole) {
        case (.success(let quick), .success(let whole)): #expect(quick.description == whole.description)
        case (.success, .failure(let whole)) where [.numberTooLarge, .nulInKey].contains(whole.cause): break
        case (.failure(let quick), .failure(let whole)):
            #expect(quick.cause == whole.cause && quick.line == whole.line, "\(quick) instead of \(whole)")
            #expect(!quick.message.contains("near"), "jansson has read it")
        default: Issue.record("\(quick) instead of \(whole)")
        }
    }

    /// The reader may leave valid text to jansson, but must not accept text that jansson rejects, except for numbers that
    /// are too large, and NUL in keys.
    private static func agreesWithJansson(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let quick = read(bytes) else { return true }
        do throws(JSONParseError) {
            return quick.description == (try JSON.decode(bytes)).description
        } catch {
            return [.numberTooLarge, .nulInKey].contains(error.cause)
        }
    }

    private static func read(_ bytes: UnsafeRawBufferPointer) -> JSON? {
        var reader = JSONReader(bytes)
        return reader.root().map { JSON(owning: $0) }
    }

    /// Tries every text that differs from a valid one in one byte.
    @Test func agreesWithJansson_whenOneByteIsChanged() {
        let text = Array(#"{"a":[1,-0.5,"b\n","é",true,null],"c":{"d":12345678}}"#.utf8)
        for index in text.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = text
                changed[index] = byte
                if !changed.withUnsafeBytes(JSONReaderTests.agreesWithJansson) {
                    Issue.record("\(String(decoding: changed, as: UTF8.self)) is read differently")
                }
            }
        }
    }
}
