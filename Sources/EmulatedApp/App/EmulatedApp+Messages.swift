import BridgeProtocol
import BridgeServer
import Foundation

/// The built-in messages of `nativeApp`.
extension EmulatedApp {
    /// The button of each web view's screen, by the web view's name. A new screen has none until its page asks for one.
    public var actionButtons: [String: BarButton] {
        let buttons = sessions.keys.compactMap { stack in
            topScreen(in: stack.rawValue)?.barButtons.last.map { (stack.rawValue, $0) }
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
            throw NoScreen(webView: context.webView)
        }
        let button = BarButton(url: url.absoluteString, icon: message.icon)
        updateScreen(screen.id) { $0.barButtons = [button] }
        server.traffic.app(
            "actionButton", [.init("opens", .string(button.url)), .init("icon", .string(button.icon))],
            page: server.page(context.page))
    }

    func register(_ context: ScriptMessageContext) {
        guard !pushTokens.isDenied else {
            return server.traffic.app(
                "pushDenied", [.init("text", "The user does not allow notifications: the page gets no token.")],
                page: server.page(context.page))
        }
        give(pushToken, to: context.evaluator, page: context.page)
    }

    /// A token that changed goes to the page that the user sees.
    func rotatePushToken(to token: String?) {
        pushTokens.rotate(to: token)
        givePushToken()
    }

    /// To the page that the user sees, by the component that it has asked for one, or as to `RegisterPushToken`.
    func givePushToken() {
        guard visibleTokenComponent?.giveToken() != true, !pushTokens.isDenied,
            let page = session(of: navigation.visibleStack).flatMap(page)
        else { return }
        give(pushToken, to: page, page: page.id)
    }

    private func give(_ token: String, to evaluator: any ScriptEvaluator, page: String) {
        evaluator.evaluate(JavaScriptCall("window.bridge.register", token)) { [weak self] result in
            guard case .failure(let error) = result, let server = self?.server else { return }
            // The function may be async, and a promise has no value to bring back: it was called all the same.
            if case .resultTypeUnsupported = error { return }
            server.traffic.problem(
                "scriptFailed", "The push token did not reach \(page): \(error)",
                hint: "Define window.bridge.register(token) before posting RegisterPushToken.",
                page: server.page(page))
        }
    }
}

/// A page named a path that leads nowhere.
struct UnresolvablePath: Error, CustomStringConvertible {
    let path: String
    let base: String

    var description: String { "'\(path)' can't be resolved against '\(base)'; give --root-url the app's address" }
}

/// A page asked for something on its screen, and has none.
struct NoScreen: Error, CustomStringConvertible {
    let webView: String

    var description: String {
        "the app shows no screen in the web view '\(webView)'; its screens are in main, and in modal while one is up"
    }
}
