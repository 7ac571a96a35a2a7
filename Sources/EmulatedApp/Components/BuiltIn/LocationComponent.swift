import BridgeServer

/// The device's location.
final class LocationComponent: BridgeComponent, EmulatedComponent {
    override class var name: String { "location" }

    class var profile: ComponentProfile {
        ComponentProfile(
            "The device's location: Berlin, unless `move` changes it.",
            events: [
                .init("get", "Replies with `{latitude, longitude}`, or with `{}` if the user has denied it.")
            ],
            actions: [
                .init(
                    "move", "Moves the device to a place given in degrees.", required: ["latitude", "longitude"],
                    app: { app, arguments in try move(app, arguments) })
            ])
    }

    override func onReceive(message: Message) {
        guard let device = app?.device else { return }
        reply(to: "get", with: device.allows(.location) ? device.location : [:])
    }

    private static func move(_ app: EmulatedApp, _ arguments: Action.Arguments) throws {
        guard let latitude = arguments["latitude"].flatMap(Double.init), abs(latitude) <= 90,
            let longitude = arguments["longitude"].flatMap(Double.init), abs(longitude) <= 180
        else {
            throw ActionRefusal(
                "the latitude must be a number from -90 to 90, and the longitude one from -180 to 180.")
        }
        app.device.location = ["latitude": latitude, "longitude": longitude]
    }
}
