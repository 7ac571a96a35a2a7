import TestSupport
import Testing

@testable import BridgeProtocol
@testable import BridgeServer

@Suite struct JSONSchemaTests {
    private func schema(_ text: String) throws -> JSONSchema { try JSONSchema(JSON.parse(text)) }

    static let share = """
        {"type":"object","required":["url"],"additionalProperties":false,"properties":{
        "name":{"const":"ShareSheet"},"url":{"type":"string","minLength":3},"count":{"type":["integer","null"],"maximum":9},
        "tags":{"type":"array","items":{"enum":["a","b"]},"maxItems":2},"at":{"type":"string"},
        "to":{"anyOf":[{"type":"string"},{"type":"object","required":["id"]}]}}}
        """

    @Test(arguments: [
        #"{"url":"abc"}"#, #"{"name":"ShareSheet","url":"abc","count":3,"tags":["a","b"]}"#,
        #"{"url":"abc","count":null}"#,
        #"{"url":"abc","to":{"id":1}}"#,
    ])
    func acceptsMatchingValue(text: String) throws {
        #expect(try schema(Self.share).mismatch(in: value(text)) == nil)
    }

    @Test(arguments: [
        ("3", "", "/type", "object", "number 3"), ("{}", "/url", "/required", "string", "nothing"),
        (#"{"url":3}"#, "/url", "/properties/url/type", "string", "number 3"),
        (#"{"url":"a"}"#, "/url", "/properties/url/minLength", "at least 3 characters", #"string "a""#),
        (#"{"url":"abc","name":"X"}"#, "/name", "/properties/name/enum", #""ShareSheet""#, #"string "X""#),
        (#"{"url":"abc","count":1.5}"#, "/count", "/properties/count/type", "integer or null", "number 1.5"),
        (#"{"url":"abc","count":10}"#, "/count", "/properties/count/maximum", "at most 9", "number 10"),
        (#"{"url":"abc","tags":["a","c"]}"#, "/tags/1", "/properties/tags/items/enum", #""a" or "b""#, #"string "c""#),
        (
            #"{"url":"abc","tags":["a","a","b"]}"#, "/tags", "/properties/tags/maxItems", "at most 2 elements",
            "array of 3"
        ),
        (#"{"url":"abc","to":3}"#, "/to", "/properties/to/anyOf", "one of 2 alternatives", "number 3"),
        (
            #"{"url":"abc","coutn":3}"#, "/coutn", "/additionalProperties",
            #"no other members: did you mean "count"?"#, "number 3"
        ),
    ])
    func saysWhereAValueDoesNotMatch(text: String, place: String, path: String, expected: String, found: String) throws
    {
        let mismatch = try #require(try schema(Self.share).mismatch(in: value(text)))
        #expect(mismatch.place.description == place && mismatch.schemaPlace.description == path)
        #expect(mismatch.expected == expected && mismatch.found == found)
    }

    @Test func considersTypesOfScriptValues() throws {
        let share = try schema(Self.share)
        #expect(try share.mismatch(in: value(#"{"url":"abc","at":null}"#, types: #"{"/at":"undefined"}"#)) == nil)
        let date = try value(#"{"url":"abc","at":"2026-11-20T10:00:00.000Z"}"#, types: #"{"/at":"date"}"#)
        #expect(share.mismatch(in: date) == nil)
        #expect(try schema("false").mismatch(in: value("1")) != nil)
        #expect(try schema("true").mismatch(in: value("1")) == nil)
    }

    @Test(arguments: [
        (#"{"typ":"object"}"#, #"The keyword "typ" is not supported. Did you mean type? (at /typ)"#),
        (
            #"{"properties":{"a":{"pattern":"x"}}}"#,
            #"The keyword "pattern" is not supported. docs/configuration.md lists the supported ones. (at /properties/a/pattern)"#
        ),
        (
            #"{"type":"strin"}"#,
            #"type is null, boolean, number, integer, string, array, object, not "strin". Did you mean string? (at /type)"#
        ),
        ("3", "A schema is an object, true or false, not number 3. (at the schema's root)"),
        (#"{"required":"a"}"#, #"Expected an array of names, found string "a". (at /required)"#),
    ])
    func saysWhatIsWrongWithASchema(text: String, description: String) throws {
        let error = #expect(throws: JSONSchemaError.self) { try schema(text) }
        #expect(error?.description == description)
    }
}
