public import BridgeProtocol
public import BridgeServer
public import Foundation

/// The emulated app, as far as it needs no screen: it keeps what pages ask of it, and answers as the app would. On
/// the main actor.
@MainActor public final class Shell {
    /// A button in the bar of the screen that a web view shows.
    public struct BarButton: Sendable, Equatable {
        /// What a tap visits: the page's path, resolved.
        public let url: String
        /// The name of an SF Symbol.
        public let icon: String
    }

    /// The button of each web view's screen, by the web view's name. A new screen has none until its page asks for one.
    public private(set) var actionButtons: [String: BarButton] = [:]
    /// The device token that pages get.
    public let pushToken: String
    /// Decodes the handler `nativeApp`. An app's own message types go here.
    public let dispatcher: ScriptMessageDispatcher

    let server: BridgeServer
    private let rootURL: URL?

    /// - Parameters:
    ///   - rootURL: what paths are resolved against; nil for each page's own URL.
    ///   - pushToken: nil makes one up: 32 bytes in hexadecimal digits, as Apple's are.
    public init(server: BridgeServer, rootURL: URL? = nil, pushToken: String? = nil) {
        self.server = server
        self.rootURL = rootURL
        dispatcher = ScriptMessageDispatcher(discriminator: server.configuration.discriminator)
        self.pushToken = pushToken ?? (0..<32).map { _ in Shell.hexadecimal(.random(in: 0...255)) }.joined()
        dispatcher.on(ActionButton.self) { [weak self] message, context in try self?.show(message, context) }
        dispatcher.on(RegisterPushToken.self) { [weak self] _, context in self?.register(context) }
        server.addHandler("nativeApp", .dispatcher(dispatcher))
        server.shell = self
        server.observePages { [weak self] event, page in
            if event == .attached, page.frame.isMainFrame { self?.actionButtons[page.webView] = nil }
        }
    }

    private func show(_ message: ActionButton, _ context: ScriptMessageContext) throws {
        guard let base = rootURL ?? URL(string: context.url), let url = URL(string: message.path, relativeTo: base)
        else {
            throw UnresolvablePath(path: message.path, base: rootURL?.absoluteString ?? context.url)
        }
        let button = BarButton(url: url.absoluteString, icon: message.icon)
        actionButtons[context.webView] = button
        server.traffic.shell(
            "actionButton", [.init("opens", .string(button.url)), .init("icon", .string(button.icon))],
            page: server.page(context.page))
    }

    private func register(_ context: ScriptMessageContext) {
        context.evaluator.evaluate(JavaScriptCall("window.bridge.register", pushToken)) { [weak self] result in
            guard case .failure(let error) = result, let server = self?.server else { return }
            // The function may be async, and a promise has no value to bring back: it was called all the same.
            if case .resultTypeUnsupported = error { return }
            server.traffic.problem(
                "scriptFailed", "The push token did not reach \(context.page): \(error)",
                hint: "Define window.bridge.register(token) before posting RegisterPushToken.",
                page: server.page(context.page))
        }
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16)
        return digits.count == 1 ? "0\(digits)" : digits
    }
}

/// A page named a path that leads nowhere.
struct UnresolvablePath: Error, CustomStringConvertible {
    let path: String
    let base: String

    var description: String { "'\(path)' can't be resolved against '\(base)'; give --root-url the app's address" }
}
