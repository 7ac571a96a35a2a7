public import BridgeProtocol
public import BridgeServer

/// What tools see of the app, and do to it.
extension Shell: ControllableShell {
    public var state: [JSONLiteral.Member] {
        let names = Set(server.pages.filter(\.frame.isMainFrame).map(\.webView)).union(actionButtons.keys).sorted()
        return [
            .init("pushToken", .string(pushToken)),
            .init("webViews", .object(names.map { .init($0, state(of: $0)) })),
        ]
    }

    private func state(of webView: String) -> JSONLiteral {
        let page = page(of: webView)
        let button = actionButtons[webView]
        return [
            "page": page.map { .string($0.id) } ?? .null,
            "url": page.map { .string($0.frame.url) } ?? .null,
            "title": page.map { .string($0.title) } ?? .null,
            "actionButton": button.map { ["url": .string($0.url), "icon": .string($0.icon)] } ?? .null,
        ]
    }

    public var actions: [ShellAction] {
        [
            ShellAction("tapActionButton", optional: ["webView"]) { [weak self] in try self?.tapActionButton($0) },
            ShellAction("visit", required: ["url"], optional: ["webView"]) { [weak self] arguments in
                try self?.navigate(.url(arguments["url", default: ""]), arguments)
            },
            ShellAction("back", optional: ["webView"]) { [weak self] in try self?.navigate(.delta(-1), $0) },
            ShellAction("pullToRefresh", optional: ["webView"]) { [weak self] in try self?.navigate(.reload, $0) },
        ]
    }

    private func tapActionButton(_ arguments: ShellAction.Arguments) throws {
        let webView = arguments["webView", default: "main"]
        guard let button = actionButtons[webView] else {
            throw ShellRefusal(
                "the screen of '\(webView)' has no action button. Its page posts ActionButton to get one.")
        }
        try navigate(.url(button.url), arguments)
    }

    private func navigate(_ navigation: PageNavigation, _ arguments: ShellAction.Arguments) throws {
        let webView = arguments["webView", default: "main"]
        guard let page = page(of: webView) else {
            throw ShellRefusal("the web view '\(webView)' shows no page. Open one first.")
        }
        page.navigate(navigation)
    }

    private func page(of webView: String) -> Page? {
        server.pages.last { $0.isAttached && $0.frame.isMainFrame && $0.webView == webView }
    }
}
