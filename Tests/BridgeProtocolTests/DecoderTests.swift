import Foundation
import TestSupport
import Testing

@testable import BridgeProtocol

private struct Order: Decodable, Equatable {
    struct Line: Decodable, Equatable {
        enum Unit: String, Decodable { case piece, box }

        let count: Int
        let unit: Unit?
    }

    let id: UInt8
    let note: String?
    let lines: [Line]
    let tags: [String: Bool]
}

private class Animal: Decodable {
    let name: String
}

private final class Dog: Animal {
    let tricks: [String]

    private enum CodingKeys: CodingKey { case tricks }

    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        tricks = try container.decode([String].self, forKey: .tricks)
        try super.init(from: container.superDecoder())
    }
}

private indirect enum Shape: Decodable, Equatable {
    case circle(radius: Double)
    case group([Shape])
}

private final class Node: Decodable {
    let next: Node?
}

/// The place and text of the error that decoding throws.
private func failure<T: Decodable>(_ type: T.Type, _ json: String, types: String? = nil) throws -> String {
    let value = try value(json, types: types)
    do {
        return "decoded \(try value.decode(type))"
    } catch let error as DecodingError {
        let problem = DecodingProblem(error, in: value)
        return "\(problem.place): \(problem.text)"
    }
}

@Suite struct Decoding {
    @Test func decodesNestedValues() throws {
        let order = try value(
            #"{"id":255,"lines":[{"count":2,"unit":"box"},{"count":-1,"unit":null},{"count":0}],"tags":{"a":true}}"#
        ).decode(Order.self)
        #expect(order.id == 255 && order.note == nil && order.tags == ["a": true])
        #expect(
            order.lines == [.init(count: 2, unit: .box), .init(count: -1, unit: nil), .init(count: 0, unit: nil)])
    }

    @Test func decodesSuperclass_fromSuper() throws {
        let dog = try value(#"{"tricks":["sit"],"super":{"name":"Rex"}}"#).decode(Dog.self)
        #expect(dog.name == "Rex" && dog.tricks == ["sit"])
    }

    @Test func decodesEnums_withPayloads() throws {
        let shape = try value(#"{"group":{"_0":[{"circle":{"radius":1.5}},{"group":{"_0":[]}}]}}"#).decode(Shape.self)
        #expect(shape == .group([.circle(radius: 1.5), .group([])]))
    }

    @Test func decodesScalars_atTheRoot() throws {
        #expect(try value("[1,2,3]").decode([Int64].self) == [1, 2, 3])
        #expect(try value("3").decode(Int?.self) == 3)
        #expect(try ScriptValue.undefined.decode(Int?.self) == nil)
    }

    @Test func decodesNumbers_withoutJSONForm() throws {
        let types = #"{"/0":"number","/1":"number","/2":"number"}"#
        let numbers = try value(#"["NaN","-Infinity","-0",1e300]"#, types: types).decode([Double].self)
        #expect(numbers[0].isNaN && numbers[1] == -.infinity && numbers[2].sign == .minus)
        #expect(try value(#"["NaN","-Infinity","-0"]"#, types: types).decode([Float].self)[1] == -.infinity)
    }

    @Test func decodesDates_fromDateOrText() throws {
        let dates = try value(#"["1970-01-01T00:00:01.500Z","1970-01-01T00:00:02Z"]"#, types: #"{"/0":"date"}"#)
            .decode([Date].self)
        #expect(dates.map(\.timeIntervalSince1970) == [1.5, 2])
    }

    @Test func decodesInvalidDate_asNaNInterval() throws {
        let date = try value("null", types: #"{"":"date"}"#).decode(Date.self)
        #expect(date.timeIntervalSince1970.isNaN)
    }

    @Test func decodesFoundationTypes() throws {
        #expect(try value(#""https://a.test/x""#).decode(URL.self) == URL(string: "https://a.test/x"))
        #expect(try value("[1,255]").decode(Data.self) == Data([1, 255]))
    }

    @Test func omitsUndefined_andFollowsReferences() throws {
        let value = try value(
            #"{"a":{"x":1},"b":"/a","c":null}"#, types: #"{"/b":"ref","/c":"undefined"}"#)
        #expect(try value.decode([String: [String: Int]].self) == ["a": ["x": 1], "b": ["x": 1]])
    }

    @Test func passesUserInfo() throws {
        struct Reader: Decodable {
            let word: String
            init(from decoder: any Decoder) throws {
                word = CodingUserInfoKey(rawValue: "w").flatMap { decoder.userInfo[$0] as? String } ?? ""
            }
        }
        let key = try #require(CodingUserInfoKey(rawValue: "w"))
        #expect(try ScriptValue.null.decode(Reader.self, userInfo: [key: "hi"]).word == "hi")
    }

    @Test(arguments: [
        (#"{}"#, "/id: expected UInt8, found nothing"),
        (#"{"id":256}"#, "/id: expected UInt8, found number 256"),
        (#"{"id":1.5}"#, "/id: expected UInt8, found number 1.5"),
        (#"{"id":"1"}"#, #"/id: expected UInt8, found string "1""#),
        (#"{"id":null}"#, "/id: expected UInt8, found null"),
        (#"{"id":1,"note":3}"#, "/note: expected String, found number 3"),
        (#"{"id":1,"lines":{}}"#, "/lines: expected array, found object without keys"),
        (#"{"id":1,"lines":[3]}"#, "/lines/0: expected object, found number 3"),
        (#"{"id":1,"lines":[{"count":1},{"unit":"box"}]}"#, "/lines/1/count: expected Int, found nothing"),
        (#"{"id":1,"lines":[],"tags":{"a/b":1}}"#, "/tags/a~1b: expected Bool, found number 1"),
        ("[]", ": expected object, found array of 0"),
    ])
    func reportsPlace_whenValueIsWrong(json: String, text: String) throws {
        #expect(try failure(Order.self, json) == text)
    }

    @Test func reportsFoundValue_whenPlaceIsTyped() throws {
        #expect(
            try failure([String].self, #"["1970-01-01T00:00:00Z"]"#, types: #"{"/0":"date"}"#)
                == "/0: expected String, found date 1970-01-01T00:00:00Z")
        #expect(
            try failure([Int].self, #"["NaN"]"#, types: #"{"/0":"number"}"#) == "/0: expected Int, found number NaN")
    }

    @Test func throwsDataCorrupted_whenEnumHasNoSuchCase() throws {
        let error = #expect(throws: DecodingError.self) {
            try value(#"{"count":1,"unit":"crate"}"#).decode(Order.Line.self)
        }
        guard case .dataCorrupted(let context) = error else {
            Issue.record("found \(String(describing: error))")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["unit"])
    }

    @Test func carriesMismatch_asUnderlyingError() throws {
        let error = #expect(throws: DecodingError.self) { try value(#"{"a":1}"#).decode([String: String].self) }
        guard case .typeMismatch(_, let context) = error else {
            Issue.record("found \(String(describing: error))")
            return
        }
        #expect(context.underlyingError as? ValueMismatch == ValueMismatch(expected: "String", found: "number 1"))
    }

    @Test func throws_whenValueIsCyclic() throws {
        let text = try failure(Node.self, #"{"next":""}"#, types: #"{"/next":"ref"}"#)
        #expect(text.hasSuffix("The value is cyclic, or nested more than 512 levels deep"))
    }

    @Test func throws_whenNestedTooDeep() throws {
        let json = String(repeating: #"{"next":"#, count: 600) + "null" + String(repeating: "}", count: 600)
        #expect(try failure(Node.self, json).hasSuffix("nested more than 512 levels deep"))
    }

    @Test func throws_whenReferencesMultiply() throws {
        struct Tree: Decodable {
            let children: [Tree]
            init(from decoder: any Decoder) throws { children = try [Tree](from: decoder) }
        }
        // Each array holds the one before it twice over: 2^40 values in 40 lines.
        let levels = (1...40).map { #"["/\#($0 - 1)","/\#($0 - 1)"]"# }
        let entries = (1...40).flatMap { [#""/\#($0)/0":"ref""#, #""/\#($0)/1":"ref""#] }
        let text = try failure(
            Tree.self, "[[],\(levels.joined(separator: ","))]", types: "{\(entries.joined(separator: ","))}")
        #expect(text.hasSuffix("The value's references lead to too many values"))
    }

    @Test func throwsValueNotFound_pastTheEnd() throws {
        struct Pair: Decodable {
            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                _ = try container.decode(Int.self)
                _ = try container.decode(Int.self)
            }
        }
        #expect(try failure(Pair.self, "[1]") == "/1: expected Int, found nothing")
    }
}
