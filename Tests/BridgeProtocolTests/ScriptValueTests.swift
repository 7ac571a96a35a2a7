import Foundation
import TestSupport
import Testing

@testable import BridgeProtocol

@Suite struct ScriptValues {
    @Test func readsKinds_ofTypedPlaces() throws {
        let value = try value(
            #"{"u":null,"d":"2026-11-20T10:00:00.000Z","n":"-0","s":[55296,97],"o":{},"r":"/o"}"#,
            types: #"{"/u":"undefined","/d":"date","/n":"number","/s":"utf16","/r":"ref"}"#)
        let kinds = ["u", "d", "n", "s", "r", "o"].map { value.child($0)?.kind }
        #expect(kinds == [.undefined, .date, .number, .string, .reference, .object])
        #expect(value.child("n")?.number?.sign == .minus)
        #expect(value.child("s")?.string == "\u{FFFD}a")
    }

    @Test func writesTypes_besideValue() throws {
        let value = try value(#"{"b/c":["NaN"],"a":null}"#, types: #"{"/b~1c/0":"number","/a":"undefined"}"#)
        let text = written { writer in writer.object { value.write(to: &$0, key: "body") } }
        #expect(text == #"{"body":{"b/c":["NaN"],"a":null},"types":{"/a":"undefined","/b~1c/0":"number"}}"#)
    }

    @Test func writesNoTypes_whenThereAreNone() throws {
        let value = try value("3", types: "{}")
        #expect(written { writer in writer.object { value.write(to: &$0, key: "value") } } == #"{"value":3}"#)
    }

    @Test func writesUndefined() {
        let text = written { writer in writer.object { ScriptValue.undefined.write(to: &$0, key: "value") } }
        #expect(text == #"{"value":null,"types":{"":"undefined"}}"#)
    }

    @Test(arguments: [
        ("1", "[]", "/types: expected an object, found array of 0"),
        ("1", #"{"x":"date"}"#, #"/types: "x": expected a JSON Pointer, such as "/at""#),
        (
            "{}", #"{"":"map"}"#,
            #"/types: "": expected undefined, date, number, ref or utf16, found string "map""#
        ),
        ("{}", #"{"/a":"date"}"#, #"/types: "/a": leads nowhere in the value"#),
        ("[1]", #"{"/00":"date"}"#, #"/types: "/00": leads nowhere in the value"#),
        (#"["x"]"#, #"{"/0":"date"}"#, #"/types: "/0": date expects an ISO 8601 string or null, found string "x""#),
        ("[0]", #"{"/0":"undefined"}"#, #"/types: "/0": undefined expects null, found number 0"#),
        (
            "[[65536]]", #"{"/0":"utf16"}"#,
            #"/types: "/0": utf16 expects an array of numbers from 0 to 65535, found array of 1"#
        ),
        (
            "[0]", #"{"/0":"number"}"#,
            #"/types: "/0": number expects "NaN", "Infinity", "-Infinity" or "-0", found number 0"#
        ),
        (#"["/1",[]]"#, #"{"/0":"ref"}"#, #"/types: "/0": its target "/1" does not come before it"#),
        (#"["/0"]"#, #"{"/0":"ref"}"#, #"/types: "/0": its target "/0" does not come before it"#),
        (#"["/9"]"#, #"{"/0":"ref"}"#, #"/types: "/0": its target "/9" leads nowhere"#),
        (#"{"b":"/a","a":{}}"#, #"{"/b":"ref"}"#, #"/types: "/b": its target "/a" does not come before it"#),
    ])
    func rejectsTable_whenItDoesNotFit(json: String, table: String, text: String) {
        let error = #expect(throws: RPCError.self) { try value(json, types: table) }
        #expect(error?.message == "Invalid params: " + text)
    }

    @Test(arguments: [(#"{"a":{},"b":"/a"}"#, "/b"), (#"{"a":{"self":""}}"#, "/a/self"), (#"[[],[[],"/0"]]"#, "/1/1")])
    func acceptsReference_toEarlierPlace(json: String, place: String) throws {
        let value = try value(json, types: #"{"\#(place)":"ref"}"#)
        #expect(JSONPointer(place).flatMap { value.resolve(pointer: $0) }?.kind == .reference)
    }

    @Test func rejectsDeepPointer_withoutRecursion() {
        let pointer = String(repeating: "/a", count: 1_000_000)
        #expect(throws: RPCError.self) { try value("{}", types: "{\"\(pointer)\":\"date\"}") }
    }

    @Test func acceptsTable_asDeepAsParserAllows() throws {
        let json = String(repeating: "[", count: 2047) + "null" + String(repeating: "]", count: 2047)
        let pointer = String(repeating: "/0", count: 2047)
        let value = try value(json, types: "{\"\(pointer)\":\"undefined\"}")
        let text = written { writer in writer.object { value.write(to: &$0, key: "v") } }
        #expect(text.hasSuffix(#""types":{"\#(pointer)":"undefined"}}"#))
    }

    /// Each token is looked up, so a table of deep pointers would take seconds.
    @Test(arguments: ["undefined", "ref"]) func rejectsTable_withTooManyTokens(kind: String) throws {
        let depth = 1_000
        func nested(_ count: Int) throws -> ScriptValue {
            let path = String(repeating: "/0", count: depth)
            let leaf = kind == "ref" ? "\"\(path)\"" : "null"
            let leaves = (0..<count).map { _ in leaf }.joined(separator: ",")
            let body = String(repeating: "[", count: depth) + "[0,\(leaves)]" + String(repeating: "]", count: depth)
            let table = (1...count).map { "\"\(path)/\($0)\":\"\(kind)\"" }.joined(separator: ",")
            return try value(body, types: "{\(table)}")
        }
        #expect(throws: Never.self) { try nested(200) }
        let error = #expect(throws: RPCError.self) { try nested(600) }
        #expect(error?.code == .invalidParams && error?.message.contains("500000") == true)
    }

    /// A pointer costs as much as eight tokens.
    @Test func rejectsTable_withTooManyPointers() throws {
        func flat(_ count: Int) throws -> ScriptValue {
            let table = (0..<count).map { "\"/\($0)\":\"undefined\"" }.joined(separator: ",")
            return try value("[\((0..<count).map { _ in "null" }.joined(separator: ","))]", types: "{\(table)}")
        }
        #expect(throws: Never.self) { try flat(50_000) }
        #expect(throws: RPCError.self) { try flat(60_000) }
    }

    @Test func encodesSwiftValues_withDates() throws {
        struct Visit: Encodable {
            var at: [Date]
            var by: [String: Date]
            var name: String?
            var count = 3
        }
        let date = Date(timeIntervalSince1970: 0)
        let value = try ScriptValue(encoding: Visit(at: [date], by: ["x": date], name: nil))
        #expect(value.json["at"]?[0]?.string == "1970-01-01T00:00:00.000Z")
        #expect(value.json["count"]?.number == 3)
        #expect(value.types.map { types in written { types.write(to: &$0) } } == #"{"/at/0":"date","/by/x":"date"}"#)
    }
}

@Suite struct Times {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000000Z"), (-1, "1969-12-31T23:59:59.999999Z"),
        (1_795_168_800_000_123, "2026-11-20T10:00:00.000123Z"), (951_782_400_000_000, "2000-02-29T00:00:00.000000Z"),
        (-62_167_219_200_000_001, "-000001-12-31T23:59:59.999999Z"),
    ])
    func printsTimestamps(microseconds: Int64, text: String) {
        #expect(Timestamp(microseconds: microseconds).description == text)
    }

    @Test(arguments: [
        ("1970-01-01T00:00:00.000Z", 0.0), ("2026-11-20T10:00:00.123Z", 1_795_168_800_123),
        ("+275760-09-13T00:00:00.000Z", 8.64e15), ("-271821-04-20T00:00:00.000Z", -8.64e15),
        ("0000-01-01T00:00:00.000Z", -62_167_219_200_000),
    ])
    func readsAndPrintsDates_likeToISOString(text: String, milliseconds: Double) {
        #expect(ISO8601.milliseconds(text) == milliseconds)
        #expect(ISO8601.string(Date(timeIntervalSince1970: milliseconds / 1_000)) == text)
    }

    @Test(arguments: [
        ("2026-11-20T10:00:00Z", 0), ("2026-11-20T12:00:00+02:00", 0), ("2026-11-20T09:30-00:30", 0),
        ("2026-11-20T10:00:00.5Z", 500), ("2026-11-20", -36_000_000),
    ])
    func readsOtherDateForms(text: String, offset: Double) {
        #expect(ISO8601.milliseconds(text) == 1_795_168_800_000 + offset)
    }

    @Test(arguments: [
        "", "now", "2026-02-29T00:00:00Z", "2026-13-01", "2026-11-20T24:00:00Z", "2026-11-20T10:00:00",
        "2026-11-20T10:00:00.Z", "2026-11-20T10:00:00Zx", "-000000-01-01T00:00:00.000Z", "+275760-09-13T00:00:00.001Z",
        "2026-11-20T10:00:00+24:00", "２026-11-20", "2026-11-2",
    ])
    func rejectsInvalidDates(text: String) {
        #expect(ISO8601.milliseconds(text) == nil)
    }

    @Test func returnsNil_forInvalidDate() {
        #expect(ISO8601.string(Date(timeIntervalSince1970: .nan)) == nil)
        #expect(ISO8601.string(Date(timeIntervalSince1970: 1e300)) == nil)
    }
}
