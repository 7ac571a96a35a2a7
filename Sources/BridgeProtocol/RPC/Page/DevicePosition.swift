/// Where a device is, in degrees, and how exactly that is known, in metres.
public struct DevicePosition: JSONWritable, Sendable, Equatable {
    /// Berlin, where the emulated app's component `location` is, too.
    public static let standard = DevicePosition(latitude: 52.52, longitude: 13.405)

    public let latitude: Double
    public let longitude: Double
    public let accuracy: Double

    public init(latitude: Double, longitude: Double, accuracy: Double = 10) {
        (self.latitude, self.longitude, self.accuracy) = (latitude, longitude, accuracy)
    }

    /// Reads `{latitude, longitude, accuracy}`; the accuracy may be missing.
    package init?(_ json: JSON) {
        guard let latitude = json["latitude"]?.number, abs(latitude) <= 90,
            let longitude = json["longitude"]?.number, abs(longitude) <= 180
        else { return nil }
        self.init(latitude: latitude, longitude: longitude, accuracy: json["accuracy"]?.number ?? 10)
    }

    package var json: JSONValue {
        ["latitude": .number(latitude), "longitude": .number(longitude), "accuracy": .number(accuracy)]
    }

    public func write(to writer: inout JSONWriter) { json.write(to: &writer) }
}
