import BridgeProtocol

/// The device's push token, for a page that registers it with its server.
final class NotificationTokenComponent: BridgeComponent, EmulatedComponent {
    override class var name: String { "notification-token" }

    class var profile: ComponentProfile {
        ComponentProfile(
            "The device's push token, which `--push-token` sets.",
            events: [
                .init("connect", "Shows nothing."),
                .init(
                    "get",
                    "Replies with `{token}` when the user allows notifications, and again when the token changes."
                ),
            ],
            state: "`{isWaiting}`")
    }

    /// Whether the page has asked for a token and got none yet; nil if it has not asked.
    private(set) var isWaiting: Bool?

    var state: JSONValue? { isWaiting.map { ["isWaiting": .bool($0)] } }

    override func onReceive(message: Message) {
        guard message.event == "get" else { return }
        isWaiting = true
        giveToken()
    }

    /// Replies with the token if the page has asked for one and the user allows notifications.
    /// - Returns: whether the page has asked.
    @discardableResult
    func giveToken() -> Bool {
        guard isWaiting != nil else { return false }
        guard let tokens = app?.pushNotifications, !tokens.isDenied else { return true }
        isWaiting = false
        reply(to: "get", with: ["token": tokens.token])
        return true
    }
}
