import TestSupport
import Testing

@testable import BridgeProtocol

@Suite struct JSONParsing {
    @Test func keepsNul_inStrings() throws {
        #expect(try JSON.parse(#""a\u0000b""#).string == "a\0b")
    }

    @Test func readsIntegerOf20Digits_asDouble() throws {
        #expect(try JSON.parse("12345678901234567890").number == 12345678901234567168)
    }

    @Test func clampsNumbers_whenTooLarge() throws {
        let json = try JSON.parse(#"[1e400, -1e999, "1e400", 5, "a\"1e400"]"#)
        #expect(json[0]?.number == Double.greatestFiniteMagnitude)
        #expect(json[1]?.number == -Double.greatestFiniteMagnitude)
        #expect(json.description == #"[1.7976931348623157e+308,-1.7976931348623157e+308,"1e400",5,"a\"1e400"]"#)
    }

    @Test func rejectsInvalidText_afterTooLargeNumber() {
        #expect(throws: JSONParseError.self) { try JSON.parse("[1e400, nope]") }
    }

    @Test(.enabled(if: JSON.allowsNULInKeys, "jansson has no keys with NUL before 2.14"))
    func acceptsNULInKeys() throws {
        let json = try JSON.parse(#"{"a\u0000b": 1, "a": 2, "ä\u0000": 3}"#)
        #expect([json["a\0b"]?.number, json["a"]?.number, json["ä\0"]?.number] == [1, 2, 3])
        #expect(json.description == #"{"a\u0000b":1,"a":2,"ä\u0000":3}"#)
        let error = #expect(throws: JSONParseError.self) { try JSON.parse(#"{"a\u0000": nope}"#) }
        #expect(error?.cause == .syntax)
    }

    @Test(.enabled(if: !JSON.allowsNULInKeys, "jansson has keys with NUL since 2.14"))
    func refusesNULInKeys_ofOldJansson() {
        let error = #expect(throws: JSONParseError.self) { try JSON.parse(#"{"a\u0000b": 1}"#) }
        #expect(error?.cause == .nulInKey)
    }

    @Test func accepts2048Levels_andRejectsOneMore() throws {
        #expect(try JSON.parse(nested(2048)).description == nested(2048))
        let error = #expect(throws: JSONParseError.self) { try JSON.parse(nested(2049)) }
        #expect(error?.cause == .tooDeep)
    }

    /// Brackets and commas within strings are no values, however the strings end.
    @Test(arguments: [
        ("[1,2]", 2), (#"["],[",","]"#, 2), (#"["\"",[]]"#, 3), (#"["\\",[]]"#, 3), (#"["\\\",[,",1]"#, 2),
        (#"{"a\"":{},"b":"\u005b,"}"#, 3), (#"["open,[,"#, 1), (#"["open\"#, 1), ("\"", 0), (#""\"#, 0),
        (#""\"\"\","#, 0),
    ])
    func limitCountsValues_outsideOfStrings(text: String, values: Int) throws {
        func check(_ limits: JSON.Limits) -> JSONParseError? {
            Array(text.utf8).withUnsafeBytes { bytes in
                do throws(JSONParseError) { try JSON.check(bytes, limits) } catch { return error }
                return nil
            }
        }
        #expect(check(JSON.Limits(nesting: 100, values: values)) == nil)
        #expect(values == 0 || check(JSON.Limits(nesting: 100, values: values - 1))?.cause == .tooManyValues)
        let levels = text.hasPrefix("\"") ? 0 : 1
        #expect(levels == 0 || check(JSON.Limits(nesting: levels - 1))?.offset == 1)
    }

    @Test(arguments: [
        ("", JSONParseError.Cause.prematureEnd), ("[1,", .prematureEnd), ("[1,]", .syntax), ("{} x", .syntax),
        (#""\ud800""#, .syntax), ("nope", .syntax), ("\u{FEFF}1", .syntax),
    ])
    func reportsCause_whenTextIsNotJSON(text: String, cause: JSONParseError.Cause) {
        let error = #expect(throws: JSONParseError.self) { try JSON.parse(text) }
        #expect(error?.cause == cause)
    }

    @Test func reportsCause_whenUTF8IsInvalid() {
        let error = #expect(throws: JSONParseError.self) {
            try [UInt8]([0x22, 0xFF, 0x22]).withUnsafeBytes { bytes in try JSON.parse(bytes) }
        }
        #expect(error?.cause == .invalidUTF8)
    }

    @Test func describesPlace_ofError() {
        let error = #expect(throws: JSONParseError.self) { try JSON.parse("{\n\"a\" 1}") }
        #expect(error?.description == "Not valid JSON: ':' expected near '1' (line 2, column 5, byte 7)")
    }
}

@Suite struct JSONAccess {
    @Test func keepsFirstPlaceAndLastValue_whenKeyIsDuplicated() throws {
        #expect(try JSON.parse(#"{"a":1,"b":2,"a":3}"#).description == #"{"a":3,"b":2}"#)
    }

    @Test func findsEmptyKey() throws {
        #expect(try JSON.parse(#"{"":1}"#)[""]?.number == 1)
    }

    @Test func returnsNil_whenKindDiffers() throws {
        let json = try JSON.parse("[1]")
        #expect(json["a"] == nil && json.string == nil && json.bool == nil && json.number == nil)
        #expect(json[-1] == nil && json[1] == nil && json[0]?[0] == nil)
    }

    @Test func findsNoMember_whenKeyHasNul() throws {
        #expect(try JSON.parse(#"{"a":1}"#)["a\0"] == nil)
    }

    @Test func keepsDocumentAlive_afterRootIsGone() throws {
        let child = try JSON.parse(#"{"a":{"b":"c"}}"#)["a"]
        #expect(child?["b"]?.string == "c")
    }

    @Test func comparesStrings_withStaticString() throws {
        let json = try JSON.parse(#"["message.post", 1]"#)
        #expect(json[0]?.stringEquals("message.post") == true)
        #expect(json[0]?.stringEquals("message.pos") == false)
        #expect(json[1]?.stringEquals("1") == false)
    }

    // RFC 6901, section 5.
    @Test(arguments: [
        ("", "{"), ("/foo/0", "\"bar\""), ("/", "0"), ("/a~1b", "1"), ("/m~0n", "8"), ("/foo/01", nil), ("/foo/-", nil),
        ("/foo/2", nil), ("foo", nil), ("/~2", nil), ("/~", nil),
    ])
    func resolvesPointer(pointer: String, expected: String?) throws {
        let json = try JSON.parse(#"{"foo":["bar","baz"],"":0,"a/b":1,"m~n":8}"#)
        let found = json.resolve(pointer: pointer)?.description
        #expect(expected == nil ? found == nil : found?.hasPrefix(expected ?? "") == true)
    }

    @Test func escapesPointerTokens() {
        #expect(JSONPointer(tokens: ["a/b", "m~n", ""]).description == "/a~1b/m~0n/")
    }

    @Test(arguments: [
        ("null", "null"), ("true", "boolean true"), ("3", "number 3"), (#""a\u0007""#, #"string "a\u0007""#),
        ("[1,2]", "array of 2"), ("{}", "object without keys"), (#"{"a":1,"b":2}"#, "object with keys a, b"),
    ])
    func summarizes(text: String, summary: String) throws {
        #expect(try JSON.parse(text).summary == summary)
    }
}
