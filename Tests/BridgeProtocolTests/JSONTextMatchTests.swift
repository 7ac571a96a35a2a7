import TestSupport
import Testing

@testable import BridgeProtocol

/// A `match` looks into strings that are JSON text.
@Suite struct JSONTextMatchTests {
    @Test(arguments: [
        (#""{\"a\":1,\"b\":2}""#, #"{"a":1}"#, true), (#"" [1,{\"a\":1}]""#, #"[1,{"a":1}]"#, true),
        (#""{\"a\":1}""#, #"{"a":2}"#, false), (#""{\"a\":1""#, #"{"a":1}"#, false), (#""a""#, #"{}"#, false),
        (#"{"data":"{\"a\":1}"}"#, #"{"data":{"a":1}}"#, true), (#"["x","{\"a\":1}"]"#, #"["x",{"a":1}]"#, true),
        (#""{\"a\":1}""#, #""{\"a\":1}""#, true), (#"{"a":1}"#, #""{\"a\":1}""#, false), (#""1""#, "1", false),
    ]) func looksIntoText(body: String, match: String, fits: Bool) throws {
        #expect(try value(body).contains(subset: value(match)) == fits)
    }
}
