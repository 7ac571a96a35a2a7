import BridgeProtocol
import BridgeYAML

/// What an app's own Swift finds on the phone when it is launched: `phone` in `bridged.yml` (docs/run.md).
struct PhoneSettings {
    /// The value of `BRIDGED_PHONE`, which `AppHost` reads: an object of JSON.
    let environmentValue: String

    init(_ value: YAMLValue) throws(YAMLError) {
        let members = try value.members(["location", "biometry"])
        var phone: [JSONValue.Member] = []
        if let location = members["location"] { phone += try PhoneSettings.location(location) }
        if let biometry = members["biometry"] { phone += try PhoneSettings.biometry(biometry) }
        environmentValue = JSONValue.object(phone).text
    }

    private static func location(_ value: YAMLValue) throws(YAMLError) -> [JSONValue.Member] {
        let members = try value.members(["latitude", "longitude"])
        return [
            .init("latitude", .number(try degrees("latitude", in: members, of: value, upTo: 90))),
            .init("longitude", .number(try degrees("longitude", in: members, of: value, upTo: 180))),
        ]
    }

    private static func degrees(
        _ key: String, in members: [String: YAMLValue], of place: YAMLValue, upTo limit: Double
    ) throws(YAMLError) -> Double {
        guard let value = members[key] else {
            throw place.error("A place needs a latitude and a longitude, in degrees.")
        }
        guard let degrees = Double(try value.text()), abs(degrees) <= limit else {
            throw value.error(expected: "Expected a \(key) from -\(Int(limit)) to \(Int(limit))")
        }
        return degrees
    }

    /// `faceID` or `touchID`, or an object with that as its `type` and an `answer` to each question.
    private static func biometry(_ value: YAMLValue) throws(YAMLError) -> [JSONValue.Member] {
        guard case .mapping = value.content else { return [try sensor(value)] }
        let members = try value.members(["type", "answer"])
        guard let type = members["type"] else { throw value.error("Say who is enrolled: type: faceID, or touchID.") }
        let answer = try members["answer"]?.text()
        return [try sensor(type)] + (answer.map { [.init("answer", .string($0))] } ?? [])
    }

    private static func sensor(_ value: YAMLValue) throws(YAMLError) -> JSONValue.Member {
        let type = try value.text()
        guard ["faceID", "touchID"].contains(type) else { throw value.error(expected: "Expected faceID or touchID") }
        return .init("biometry", .string(type))
    }
}
