import BridgeProtocol
import CWebKitGTK
import TestSupport
import Testing

@testable import WebKitHost

@MainActor @Suite struct ScriptValueCodecTests {
    private let codec = ScriptValueCodec(GObject(adopting: jsc_context_new()))

    @Test(arguments: [
        ("undefined", #""body":null,"types":{"":"undefined"}"#),
        ("null", #""body":null"#),
        ("[true, 1.5, 'text']", #""body":[true,1.5,"text"]"#),
        (
            "[-0, NaN, -Infinity]",
            #""body":["-0","NaN","-Infinity"],"types":{"/0":"number","/1":"number","/2":"number"}"#
        ),
        ("[new Date(0)]", #""body":["1970-01-01T00:00:00.000Z"],"types":{"/0":"date"}"#),
        ("new Date(NaN)", #""body":null,"types":{"":"date"}"#),
        ("({ 'a/~b': undefined })", #""body":{"a/~b":null},"types":{"/a~1~0b":"undefined"}"#),
        ("[1, , 3]", #""body":[1,null,3],"types":{"/1":"undefined"}"#),
        ("'\\ud800x'", #""body":[55296,120],"types":{"":"utf16"}"#),
        (
            "(() => { const o = { a: [] }; o.b = o.a; o.c = o; return o })()",
            #""body":{"a":[],"b":"/a","c":""},"types":{"/b":"ref","/c":"ref"}"#
        ),
    ])
    func encodesEveryKind(_ source: String, _ members: String) throws {
        #expect(try codec.body(codec.evaluate(source)) == members)
        // What it has written is a value of the wire.
        let json = try JSON.parse("{\(members)}")
        _ = try ScriptValue(params: json, key: "body")
    }

    @Test(arguments: ["[undefined, -0, NaN, new Date(5), new Date(NaN), '\\udc00', { a: 'x' }]", "undefined", "'\\0'"])
    func decodesWhatItEncodes(_ source: String) throws {
        let text = try codec.value(codec.evaluate(source))
        let json = try JSON.parse("{\(text)}")
        let value = codec.make(json: json["value"]?.text ?? "", types: json["types"]?.text)
        #expect(try codec.value(value) == text)
    }

    @Test func decodesSharedObjectsAndCycles() throws {
        let text = #""value":{"a":[],"b":"/a","c":""},"types":{"/b":"ref","/c":"ref"}"#
        let value = codec.make(json: #"{"a":[],"b":"/a","c":""}"#, types: #"{"/b":"ref","/c":"ref"}"#)
        #expect(try codec.value(value) == text)
    }

    @Test func refusesDeepValuesWithoutOverflow() {
        let deep = codec.evaluate("(() => { let v = []; for (let i = 0; i < 1e6; i++) v = [v]; return v })()")
        #expect(throws: ScriptValueCodec.Refusal(reason: "value nested more than 2000 levels deep")) {
            try codec.body(deep)
        }
    }

    @Test func encodesNULInKeys() throws {
        #expect(try codec.body(codec.evaluate("({ 'a\\0': 1 })")) == #""body":{"a\u0000":1}"#)
    }
}
