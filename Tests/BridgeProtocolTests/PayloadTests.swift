import Foundation
import TestSupport
import Testing

@testable import BridgeProtocol

/// The types that Swift developers put into messages, in both directions (docs/write-a-handler.md has the table).
@Suite struct PayloadTests {
    private struct Order: Codable, Equatable {
        var placed: Date
        var photo: Data
        var link: URL
        var id: UUID
        var price: Decimal
        var note: String??
        var extra: ScriptValue
    }

    private let order = Order(
        placed: Date(timeIntervalSince1970: 1_767_323_045.25), photo: Data([0xff, 0, 0x61]),
        link: URL(fileURLWithPath: "/a"), id: UUID(), price: Decimal(string: "19.99") ?? 0, note: nil,
        extra: ["at": .date(Date(timeIntervalSince1970: 5)), "tags": ["new", 3, true, nil], "nan": .number(.nan)])

    @Test func returnsEachType_asItWas() throws {
        let value = try ScriptValue(encoding: order)
        #expect(try value.decode(Order.self) == order)
        #expect(value["placed"]?.kind == .date && value["photo"]?.string == "/wBh")
        #expect(value["price"]?.number == 19.99 && value["id"]?.string == order.id.uuidString)
    }

    @Test func readsTheFormsOfJSON() throws {
        let text = #"["2026-01-02T03:04:05Z", "aGk=", "https://a.test/x", "0.1", "-1.5e3"]"#
        let value = try value(text)
        #expect(try value[0]?.decode(Date.self) == Date(timeIntervalSince1970: 1_767_323_045))
        #expect(try value[1]?.decode(Data.self) == Data("hi".utf8))
        #expect(try value[2]?.decode(URL.self) == URL(string: "https://a.test/x"))
        #expect(try value[3]?.decode(Decimal.self) == Decimal(string: "0.1"))
        #expect(try value[4]?.decode(Decimal.self) == -1500)
        #expect(try ScriptValue.number(0.1).decode(Decimal.self) == Decimal(string: "0.1"))
    }

    @Test func saysWhatItExpected() throws {
        func expectation<T: Decodable>(_ type: T.Type, _ value: ScriptValue) -> String? {
            guard let error = #expect(throws: DecodingError.self, performing: { try value.decode(type) }) else {
                return nil
            }
            return Verdict.undecodable(error, value, as: type).description
        }
        #expect(expectation(Data.self, "%%")?.contains("expected Data in base64, found string \"%%\"") == true)
        #expect(expectation(UUID.self, "x")?.contains("expected UUID, found string \"x\"") == true)
        #expect(expectation(Decimal.self, "12 apples")?.contains("expected Decimal, found string") == true)
        #expect(expectation(Decimal.self, .number(.infinity))?.contains("expected Decimal") == true)
    }

    // MARK: Free-form values

    private struct Event: Codable, Equatable {
        let payload: ScriptValue
        var more: JSONValue?
    }

    @Test func keepsTheTypesOfFreeFormValues() throws {
        let json = #"{"payload":{"at":"2026-01-02T03:04:05.000Z","none":null,"n":"-0"},"more":{"b":[1],"a":null}}"#
        let types = #"{"/payload/at":"date","/payload/n":"number","/payload/none":"undefined"}"#
        let event = try value(json, types: types).decode(Event.self)
        #expect(event.payload["at"]?.date == Date(timeIntervalSince1970: 1_767_323_045))
        #expect(event.payload["n"]?.number?.sign == .minus && event.payload["none"]?.kind == .undefined)
        #expect(event.more == ["a": nil, "b": [1]])
        let again = try ScriptValue(encoding: event)
        #expect(again["payload"] == event.payload)
        #expect(try again.decode(Event.self) == event)
    }

    @Test func copiesWhatReferencesLeadTo() throws {
        let shared = try value(
            #"{"shared":{"x":1},"payload":[{"again":"/shared"}]}"#, types: #"{"/payload/0/again":"ref"}"#)
        #expect(try shared.decode(Event.self).payload == [["again": ["x": 1]]])
        let cycle = try value(#"{"payload":{"self":"/payload"}}"#, types: #"{"/payload/self":"ref"}"#)
        #expect(throws: DecodingError.self) { try cycle.decode(Event.self) }
    }

    @Test func partsOfLiterals_keepTheirReferences() throws {
        let cycle = try value(#"{"self":""}"#, types: #"{"/self":"ref"}"#)
        let whole: ScriptValue = ["part": cycle]
        #expect(whole["part"]?["self"]?.referenceTarget == JSONPointer("/part"))
    }

    @Test func otherCodersReadAndWriteFreeFormValues() throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        let value: ScriptValue = [
            "at": .date(Date(timeIntervalSince1970: 5)), "list": [1, nil, "x", true, .undefined],
        ]
        let data = try encoder.encode(value)
        #expect(try JSONDecoder().decode(ScriptValue.self, from: data) == ["at": 5, "list": [1, nil, "x", true, nil]])
    }

    @Test func literalsPrintAndCompare() {
        let value: ScriptValue = ["name": "Zoe", "count": 2, "price": 1.5, "on": false]
        #expect("\(value)" == #"{"name":"Zoe","count":2,"price":1.5,"on":false}"#)
        #expect("\(ScriptValue.undefined)" == "undefined")
        #expect(value["count"]?.number == 2 && value["nothing"] == nil && value[0] == nil)
        #expect(value != ["name": "Zoe"] && ScriptValue.number(.nan) == .number(.nan))
    }

    // MARK: Enums

    private struct Button: Decodable {
        enum Icon: String, Decodable, CaseIterable { case plus, minus }
        enum Size: Int, Decodable { case small = 1 }
        let icon: Icon
        var size: Size?
    }

    @Test(arguments: [
        (#"{"icon":"times"}"#, #"undecodable at /icon: expected one of "plus", "minus", found string "times""#),
        (#"{"icon":7}"#, #"undecodable at /icon: expected one of "plus", "minus", found number 7"#),
        (#"{"icon":"plus","size":2}"#, #"undecodable at /size: found number 2"#),
    ])
    func listsTheCases_ofAnEnumThatDoesNotFit(json: String, text: String) throws {
        let body = try value(json)
        let error = #expect(throws: DecodingError.self) { try body.decode(Button.self) }
        #expect(Verdict.undecodable(try #require(error), body, as: Button.self).description == "dropped: \(text)")
    }
}
