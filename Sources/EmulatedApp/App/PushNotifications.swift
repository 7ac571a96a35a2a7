import BridgeProtocol
import BridgeServer

/// The phone's push notifications: the device's token, and whether the user allows notifications. On the main actor.
@MainActor final class PushNotifications {
    private(set) var token: String
    var isDenied = false
    private unowned let app: EmulatedApp

    init(of app: EmulatedApp) {
        self.app = app
        token = app.configuration.pushToken ?? PushNotifications.makeToken()
    }

    /// Changes the device's token and gives it to the page that the user sees.
    /// - Parameter token: nil for a random one.
    func rotate(to token: String?) {
        self.token = token ?? PushNotifications.makeToken()
        give()
    }

    /// Answers a page that posts `RegisterPushToken`.
    func register(_ context: ScriptMessageContext) throws {
        guard app.tabs.topScreen(in: context.webView) != nil else { throw DroppedMessage(.noScreen(context.webView)) }
        guard !isDenied else {
            app.server.traffic.app(
                "pushDenied", [.init("text", "The user has denied notifications, so the page gets no token.")],
                page: app.server.page(context.page))
            return
        }
        give(to: context.evaluator, page: context.page)
    }

    /// Gives the token to the page that the user sees: through the component `notification-token` if the page has asked
    /// that component for it, and otherwise through `window.bridge.register`.
    /// - Returns: whether there is such a page, and the user allows notifications.
    @discardableResult func give() -> Bool {
        if component?.giveToken() == true { return !isDenied }
        guard !isDenied, let page = app.visibleSession.flatMap(app.page) else { return false }
        give(to: page, page: page.id)
        return true
    }

    /// Gives the token to a component that waits for it.
    func giveToWaitingComponent() { if component?.isWaiting == true { component?.giveToken() } }

    private var component: NotificationTokenComponent? { app.visibleComponent(NotificationTokenComponent.self) }

    private func give(to evaluator: any ScriptEvaluator, page: String) {
        let action = ActionResult.current
        action?.begin()
        evaluator.evaluate(JavaScriptCall("window.bridge.register", token)) { [weak server = app.server] result in
            // A result of an unsupported type shows that the function was called: an async function returns a promise.
            guard case .failure(let error) = result, !error.isResultType else {
                action?.end()
                return
            }
            action?.end("the push token did not reach the page: \(error)")
            server?.traffic.problem(
                .scriptFailed, "The push token did not reach \(page): \(error)",
                hint: "Define window.bridge.register(token) before posting RegisterPushToken.",
                page: server?.page(page))
        }
    }

    /// Makes 32 random bytes in hexadecimal digits, as Apple's tokens have.
    private static func makeToken() -> String {
        (0..<32).map { _ in UInt8.random(in: 0...255).hexadecimal }.joined()
    }
}
