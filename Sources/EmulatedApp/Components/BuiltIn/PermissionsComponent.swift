import BridgeProtocol
import BridgeServer

/// The permissions that the user has given the app.
final class PermissionsComponent: BridgeComponent, EmulatedComponent {
    private struct Status: Encodable {
        let code: Int
        let text: String
    }

    override class var name: String { "permissions" }

    class var profile: ComponentProfile {
        let status = "Replies with `{code, text}`: 1 and `authorized`, or 0 and `denied`."
        return ComponentProfile(
            "The user's permissions, all given at first. `denyPush` and `allowPush` change `notifications`, too.",
            events: Device.Permission.allCases.map { .init($0.rawValue, status) },
            state: "`{camera, location, notifications}`",
            actions: [
                .init(
                    "deny", "Denies a permission.", required: ["permission"],
                    app: { app, arguments in try set(app, arguments, isAllowed: false) }),
                .init(
                    "allow", "Gives a permission.", required: ["permission"],
                    app: { app, arguments in try set(app, arguments, isAllowed: true) }),
            ])
    }

    var state: JSONValue? {
        .object(Device.Permission.allCases.map { .init($0.rawValue, .bool(app?.allows($0) ?? false)) })
    }

    override func onReceive(message: Message) {
        guard let permission = Device.Permission(rawValue: message.event), let app else { return }
        let isAllowed = app.allows(permission)
        reply(to: message.event, with: Status(code: isAllowed ? 1 : 0, text: isAllowed ? "authorized" : "denied"))
    }

    private static func set(_ app: EmulatedApp, _ arguments: Action.Arguments, isAllowed: Bool) throws {
        let name = arguments["permission", default: ""]
        guard let permission = Device.Permission(rawValue: name) else {
            let names = Device.Permission.allCases.map(\.rawValue).joined(separator: ", ")
            throw ActionRefusal("there is no permission '\(name)'. The permissions are: \(names).")
        }
        app.allow(permission, isAllowed)
    }
}
