public import BridgeProtocol
import BridgeServer
import Foundation

/// Handles the messages to `nativeApp` that the app itself understands.
extension EmulatedApp {
    /// The action button of the screen in each web view, by the web view's name. A screen has no button until its page
    /// posts `ActionButton`.
    public var actionButtons: [String: BarButton] {
        let buttons = allSessions.map(\.webView.bridgedName).compactMap { name in
            topScreen(in: name)?.barButtons.last.map { (name, $0) }
        }
        return Dictionary(buttons) { first, _ in first }
    }

    func show(_ message: ActionButton, _ context: ScriptMessageContext) throws {
        guard let base = configuration.rootURL ?? URL(string: context.url),
            let url = URL(string: message.path, relativeTo: base)
        else {
            throw UnresolvablePath(path: message.path, base: configuration.rootURL?.absoluteString ?? context.url)
        }
        guard let screen = topScreen(in: context.webView) else {
            throw DroppedMessage(.noScreen(context.webView))
        }
        let button = BarButton(url: url.absoluteString, icon: message.icon)
        updateScreen(screen.id) { $0.barButtons = [button] }
        server.traffic.app(
            "actionButton", [.init("opens", .string(button.url)), .init("icon", .string(button.icon))],
            page: server.page(context.page))
    }

    func register(_ context: ScriptMessageContext) throws {
        guard topScreen(in: context.webView) != nil else { throw DroppedMessage(.noScreen(context.webView)) }
        guard !pushTokens.isDenied else {
            server.traffic.app(
                "pushDenied", [.init("text", "The user has denied notifications, so the page gets no token.")],
                page: server.page(context.page))
            return
        }
        give(pushToken, to: context.evaluator, page: context.page)
    }

    /// Changes the device's token and gives it to the page that the user sees.
    func rotatePushToken(to token: String?) {
        pushTokens.rotate(to: token)
        givePushToken()
    }

    /// Gives the token to the page that the user sees: through the component `notification-token` if the page has asked
    /// that component for it, and otherwise through `window.bridge.register`.
    /// - Returns: whether there is such a page, and the user allows notifications.
    @discardableResult func givePushToken() -> Bool {
        if visibleTokenComponent?.giveToken() == true { return !pushTokens.isDenied }
        guard !pushTokens.isDenied, let page = session(of: navigation.visibleStack).flatMap(page) else { return false }
        give(pushToken, to: page, page: page.id)
        return true
    }

    private func give(_ token: String, to evaluator: any ScriptEvaluator, page: String) {
        let action = ActionResult.current
        action?.begin()
        evaluator.evaluate(JavaScriptCall("window.bridge.register", token)) { [weak self] result in
            // A result of an unsupported type shows that the function was called: an async function returns a promise.
            guard case .failure(let error) = result, !error.isResultType else {
                action?.end()
                return
            }
            action?.end("the push token did not reach the page: \(error)")
            guard let server = self?.server else { return }
            server.traffic.problem(
                "scriptFailed", "The push token did not reach \(page): \(error)",
                hint: "Define window.bridge.register(token) before posting RegisterPushToken.",
                page: server.page(page))
        }
    }
}

/// The error for a page's message with a path that cannot be resolved.
struct UnresolvablePath: Error, CustomStringConvertible {
    let path: String
    let base: String

    var description: String {
        "'\(path)' cannot be resolved against '\(base)'. Give the app's address with \(setting("root-url", "rootURL"))."
    }
}

/// A page's request for a bar button on its screen. A tap on the button visits the path.
public struct ActionButton: ScriptMessage, Equatable {
    public static let name = "ActionButton"
    /// The path to visit, resolved against the app's root URL.
    public let path: String
    /// The name of an SF Symbol.
    public let icon: String

    public init(path: String, icon: String) {
        self.path = path
        self.icon = icon
    }
}

/// A page's request for the device's push token. The app calls `window.bridge.register("<token>")` with it.
public struct RegisterPushToken: ScriptMessage, Equatable {
    public static let name = "RegisterPushToken"

    public init() {}
}
