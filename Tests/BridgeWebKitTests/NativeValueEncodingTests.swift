import BridgeProtocol
import Foundation
import TestSupport
import Testing

@testable import BridgeWebKit

/// The JavaScript values of native values, in replies and arguments.
@Suite struct NativeValueEncodingTests {
    /// The JSON of a value and of its types.
    private func text(_ native: Any?) throws -> String {
        var writer = JSONWriter()
        let value = try ScriptValue(nativeValue: native)
        writer.object { value.write(to: &$0, key: "value") }
        return writer.text
    }

    @Test func nil_isUndefined() throws {
        #expect(try text(nil) == #"{"value":null,"types":{"":"undefined"}}"#)
        #expect(try text(String?.none as Any) == #"{"value":null,"types":{"":"undefined"}}"#)
    }

    @Test func nsNull_andNilInAContainer_areNull() throws {
        #expect(try text(NSNull()) == #"{"value":null}"#)
        #expect(try text([1, nil] as [Int?]) == #"{"value":[1,null]}"#)
    }

    @Test(arguments: [true, false]) func bool_isABoolean_inEveryBox(_ bool: Bool) throws {
        #expect(try text(bool) == "{\"value\":\(bool)}")
        #expect(try text(NSNumber(value: bool)) == "{\"value\":\(bool)}")
        #expect(try text([AnyHashable(bool)]) == "{\"value\":[\(bool)]}")
    }

    @Test func numbers_areNumbers_includingZeroAndOne() throws {
        #expect(
            try text([NSNumber(value: 1), NSNumber(value: 0.0), NSNumber(value: Int8(1))]) == #"{"value":[1,0,1]}"#)
        #expect(try text([UInt8(1), Float(0.5), CGFloat(2), Int64(3)] as [Any]) == #"{"value":[1,0.5,2,3]}"#)
    }

    @Test func specialNumbersKeepTheirKind() throws {
        #expect(
            try text([Double.nan, -0.0]) == #"{"value":["NaN","-0"],"types":{"/0":"number","/1":"number"}}"#)
    }

    @Test func stringsAreStrings() throws {
        #expect(try text(["a", NSString("b")] as [Any]) == #"{"value":["a","b"]}"#)
    }

    @Test func dates_areDates_evenInvalidOnes() throws {
        let dates = [Date(timeIntervalSince1970: 0.5), Date(timeIntervalSince1970: .nan)]
        #expect(
            try text(dates) == #"{"value":["1970-01-01T00:00:00.500Z",null],"types":{"/0":"date","/1":"date"}}"#)
    }

    @Test func containersOfEveryKindNest() throws {
        let value: [String: Any] = ["list": NSArray(array: [NSMutableDictionary(dictionary: ["a/b": [1]])])]
        #expect(try text(value) == #"{"value":{"list":[{"a/b":[1]}]}}"#)
    }

    @Test func escapesKeysInTypes() throws {
        #expect(try text(["a/b": Double.infinity]) == #"{"value":{"a/b":"Infinity"},"types":{"/a~1b":"number"}}"#)
    }

    @Test(arguments: [0, 1]) func rejectsOtherTypes_atAnyDepth(_ depth: Int) {
        let values: [Any] = [Data(), URL(fileURLWithPath: "/"), Set([1]), [1: 2], NSObject(), { @Sendable in }]
        for value in values {
            #expect(throws: UnserializableValue.self) { try text(depth == 0 ? value : [["a": value]]) }
        }
    }

    @Test func rejectsAValueThatIsHugeAsJSON() {
        var value: [AnyHashable] = [1]
        for _ in 0..<40 { value = [AnyHashable(value), AnyHashable(value)] }
        #expect(throws: UnserializableValue.self) { try ScriptValue(nativeValue: value, limit: 1_000) }
    }

    @Test func rejectsEndlessNesting() {
        var value: Any = 1
        for _ in 0..<3_000 { value = [value] }
        #expect(throws: UnserializableValue.self) { try text(value) }
    }

    @Test(arguments: [
        (#"{"me":{"again":"/me"}}"#, #"{"/me/again":"ref"}"#), (#"[["",1]]"#, #"{"/0/0":"ref"}"#),
    ])
    func closesCyclesAgain_alsoInANewPlace(_ json: String, _ types: String) throws {
        let value = try ScriptValue(json: JSON.parse(json), types: JSON.parse(types))
        #expect(try text(value.nativeValue) == "{\"value\":\(json),\"types\":\(types)}")
        let wrapped = try ScriptValue(nativeValue: ["in": value.nativeValue])
        #expect(
            wrapped.json.resolve(pointer: "/in\(types.split(separator: "\"")[1])")?.string?.hasPrefix("/in") == true)
    }
}
