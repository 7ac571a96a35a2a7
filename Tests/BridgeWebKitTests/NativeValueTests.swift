import BridgeProtocol
import Foundation
import Testing

@testable import BridgeWebKit

/// The native values of JavaScript values.
@Suite struct NativeValueTests {
    private func value(_ json: String, types: String? = nil) throws -> Any? {
        try ScriptValue(json: try JSON.parse(json), types: types.map { try JSON.parse($0) }).nativeValue
    }

    @Test func undefinedIsNil() throws {
        #expect(try value("null", types: #"{"": "undefined"}"#) == nil)
    }

    @Test func undefinedPropertyIsLeftOut() throws {
        let object = try #require(try value(#"{"a": null, "b": 1}"#, types: #"{"/a": "undefined"}"#) as? [String: Any])
        #expect(object.keys.sorted() == ["b"])
    }

    @Test func undefinedItemIsNSNull() throws {
        let array = try #require(try value("[null, 1]", types: #"{"/0": "undefined"}"#) as? [Any])
        #expect(array.count == 2 && array[0] is NSNull)
    }

    @Test func nullIsNSNull() throws {
        #expect(try value("null") is NSNull)
    }

    @Test(arguments: [true, false]) func booleanIsBool(_ bool: Bool) throws {
        let native = try #require(try value("\(bool)"))
        #expect(native as? Bool == bool)
        #expect(native as? NSNumber == NSNumber(value: bool))
    }

    @Test func wholeNumberCastsToEveryNumber() throws {
        let native = try #require(try value("3"))
        #expect(native as? Int == 3 && native as? Double == 3 && native as? NSNumber == 3)
        #expect("\(native)" == "3")
    }

    @Test func fractionIsDouble_andNoInt() throws {
        let native = try #require(try value("2.5"))
        #expect(native as? Double == 2.5 && native as? Int == nil)
    }

    @Test func specialNumbersAreDoubles() throws {
        #expect((try value(#""NaN""#, types: #"{"": "number"}"#) as? Double)?.isNaN == true)
        #expect(try value(#""-Infinity""#, types: #"{"": "number"}"#) as? Double == -.infinity)
        #expect((try value(#""-0""#, types: #"{"": "number"}"#) as? Double)?.sign == .minus)
    }

    @Test func stringIsString() throws {
        #expect(try value(#""ü\u0000""#) as? String == "ü\u{0}")
    }

    @Test func loneSurrogateIsReplaced() throws {
        #expect(try value("[97, 55357]", types: #"{"": "utf16"}"#) as? String == "a\u{fffd}")
    }

    @Test func dateIsDate() throws {
        let date = try value(#""1970-01-01T00:00:01.500Z""#, types: #"{"": "date"}"#) as? Date
        #expect(date?.timeIntervalSince1970 == 1.5)
    }

    @Test func invalidDateHasNoInterval() throws {
        let date = try value("null", types: #"{"": "date"}"#) as? Date
        #expect(date?.timeIntervalSince1970.isNaN == true)
    }

    /// Containers of mixed values within others print `AnyHashable`, because Linux has no other type that is hashable.
    @Test(arguments: [
        (#"{"a": 1}"#, #"["a": 1]"#), (#"{"a": "x"}"#, #"["a": "x"]"#), (#"[1, "x", null]"#, #"[1, "x", <null>]"#),
        (#"{"a": [1, true]}"#, #"["a": [1, 1]]"#),
        (#"[["x", "y"], {"b": {"c": 2.5}}]"#, #"[["x", "y"], ["b": AnyHashable(["c": 2.5])]]"#),
    ])
    func containersPrintTheirValues(json: String, printed: String) throws {
        #expect("\(try #require(try value(json)))" == printed)
    }

    @Test func containersCastAtAnyDepth() throws {
        let native = try value(#"{"data": {"list": [{"n": 1, "flag": true}], "name": "x"}}"#)
        let body = try #require(native as? [String: Any])
        let hashable = try #require(native as? [String: AnyHashable])
        let data = try #require(body["data"] as? [String: Any])
        let list = try #require(data["list"] as? [[String: Any]])
        #expect(list[0]["n"] as? Int == 1 && list[0]["flag"] as? Bool == true && data["name"] as? String == "x")
        let inner = try #require(hashable["data"] as? [String: AnyHashable])
        #expect((inner["list"] as? [AnyHashable])?.count == 1)
        #expect(try JSONSerialization.data(withJSONObject: hashable).isEmpty == false)
    }

    @Test func homogeneousContainersCastToTheirElements() throws {
        #expect(try value("[1, 2]") as? [Int] == [1, 2])
        #expect(try value(#"{"a": "b"}"#) as? [String: String] == ["a": "b"])
    }

    @Test func sharedObjectIsEqualInBothPlaces() throws {
        let native = try value(#"{"a": {"x": 1}, "b": "/a"}"#, types: #"{"/b": "ref"}"#) as? [String: [String: Int]]
        #expect(native == ["a": ["x": 1], "b": ["x": 1]])
    }

    @Test func cycleEndsInAReference() throws {
        let native =
            try value(#"{"me": {"again": ""}}"#, types: #"{"/me/again": "ref"}"#)
            as? [String: [String: CyclicReference]]
        #expect(native?["me"]?["again"]?.levelsUp == 2)
    }
}
