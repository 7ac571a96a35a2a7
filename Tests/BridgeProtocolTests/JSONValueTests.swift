import BridgeProtocol
import Foundation
import Testing

@Suite struct JSONValueTests {
    private static let text = #"{"b":[1,2.5,null,true],"a":{"":"x","é":-0.5},"c":[],"d":{}}"#

    @Test func keepsOrder_throughADocument() throws {
        let value = JSONValue(try JSON.parse(Self.text))
        #expect(value.text == Self.text && JSON(value).text == Self.text)
        #expect(ScriptValue(value).json.text == Self.text)
    }

    @Test func equalsAnotherOrder_ofMembers() throws {
        let left: JSONValue = ["a": 1, "b": ["c": 2, "d": nil]]
        let right: JSONValue = ["b": ["d": nil, "c": 2], "a": 1.0]
        #expect(left == right && left.hashValue == right.hashValue)
        #expect(left != ["a": 1] && left != ["a": 1, "b": ["c": 2, "e": nil]])
    }

    @Test func distinguishesKinds_andCodePoints() {
        #expect(JSONValue.bool(false) != 0 && JSONValue.null != false && JSONValue.array([]) != [:])
        #expect(JSONValue.string("\u{E9}") != "e\u{301}")
        #expect(JSONValue.object([.init("\u{E9}", 1)]) != ["e\u{301}": 1])
    }

    @Test func survivesFoundationsCoders() throws {
        let value = JSONValue(try JSON.parse(Self.text))
        #expect(try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value)) == value)
        #expect(try ScriptValue(value).decode(JSONValue.self) == value)
    }

    @Test func changesMembers_inPlace() {
        var value: JSONValue = ["a": 1, "b": 2]
        value["a"] = "x"
        value["c"] = [true]
        value["b"] = nil
        #expect(value.text == #"{"a":"x","c":[true]}"#)
        #expect(value["c"]?[0]?.bool == true && value["c"]?[1] == nil && value["a"]?["a"] == nil)
    }

    @Test(arguments: [Double.nan, .infinity])
    func writesNull_forANumberWithoutJSONForm(number: Double) {
        #expect(JSON(["n": .number(number)]).text == #"{"n":null}"#)
    }
}
