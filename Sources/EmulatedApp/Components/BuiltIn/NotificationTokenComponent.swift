import BridgeProtocol

/// The device's push token, for a page that registers it with its server.
final class NotificationTokenComponent: BridgeComponent {
    override class var name: String { "notification-token" }

    override class var profile: ComponentProfile {
        ComponentProfile(
            "The device's push token: that of `--push-token`.",
            events: [
                .init("connect", "Nothing shows."),
                .init(
                    "get",
                    "Replies with `{token}` as soon as the user allows it, and again when the token changes."
                ),
            ],
            state: "`{isWaiting}`: whether the page was told no token yet")
    }

    /// Nil for a page that did not ask.
    private(set) var isWaiting: Bool?

    override var state: JSONValue? { isWaiting.map { ["isWaiting": .bool($0)] } }

    override func onReceive(message: Message) {
        guard message.event == "get" else { return }
        isWaiting = true
        giveToken()
    }

    /// - Returns: whether the page has asked for one.
    @discardableResult
    func giveToken() -> Bool {
        guard isWaiting != nil else { return false }
        guard let tokens = app?.pushTokens, !tokens.isDenied else { return true }
        isWaiting = false
        reply(to: "get", with: ["token": tokens.token])
        return true
    }
}
