import BridgeProtocol
import BridgeServer

/// Where the device is.
final class LocationComponent: BridgeComponent {
    override class var name: String { "location" }

    override class var profile: ComponentProfile {
        ComponentProfile(
            "Where the device is: in Berlin, unless it is moved.",
            events: [
                .init("get", "Replies with `{latitude, longitude}`, or with `{}` where the user does not allow it.")
            ],
            actions: [
                .init(
                    "move", "The device is there from now on, in degrees.", required: ["latitude", "longitude"],
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
                "the latitude is a number of degrees from -90 to 90, the longitude one from -180 to 180.")
        }
        app.device.location = ["latitude": latitude, "longitude": longitude]
    }
}
