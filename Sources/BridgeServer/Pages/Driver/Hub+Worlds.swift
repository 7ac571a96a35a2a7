import BridgeProtocol

/// What only driven pages have: handlers in content worlds, and the settings of their web view as a message. (Other
/// pages get their settings within `bridge.js`.)
extension Hub {
    // MARK: Content worlds

    /// The handlers in content worlds, by the world's name and then by their own.
    private func handlersInWorlds(of webView: String?) -> [String: [String: MessageHandler]] {
        let scope = webView.map(scope) ?? defaultScope
        guard inherits(scope) else { return scope.handlersInWorlds }
        return defaultScope.handlersInWorlds.merging(scope.handlersInWorlds) { $0.merging($1) { $1 } }
    }

    func handlerInfoOfWorlds(of webView: String?) -> [HandlerInfo] {
        handlersInWorlds(of: webView).sorted { $0.key < $1.key }.flatMap { world, handlers in
            handlers.sorted { $0.key < $1.key }.map {
                HandlerInfo(name: $0.key, replies: $0.value.replies, world: world)
            }
        }
    }

    /// Finds the receiver of a message from a content world, and counts the message. Stubs are only in the page's own.
    func receiver(of message: PostMessage, in world: String, of page: Page) -> MessageHandler? {
        guard page.isDriven, let handler = handlersInWorlds(of: page.webView)[world]?[message.handler] else {
            return nil
        }
        messageCounts[message.handler, default: 0] += 1
        return handler
    }

    // MARK: Settings

    /// What the driver of a web view needs before it shows a document, apart from the handlers.
    func settings(of webView: String) -> WebViewSettings {
        let scope = scope(of: webView)
        let allowed = scope.allowedScripts()
        return WebViewSettings(
            userScripts: allowed == .none ? [] : userScripts(of: scope, isDriven: true),
            interfaces: interfaces(of: webView).sorted { $0.key < $1.key }.map {
                InterfaceInfo(name: $0.key, object: $0.value)
            },
            userAgent: scope.userAgent, applicationName: scope.applicationNameForUserAgent,
            contentScripts: allowed == .all, dialogs: answersDialogs(of: webView),
            faults: faults.all.filter { $0.applies(to: webView) })
    }
}

/// The settings of a web view, for the browser that is driven.
struct WebViewSettings: JSONObject {
    let userScripts: [UserScript]
    let interfaces: [InterfaceInfo]
    let userAgent: String?
    let applicationName: String?
    /// Whether the page's own scripts may run.
    let contentScripts: Bool
    /// Whether native code answers the page's dialogs.
    let dialogs: Bool
    let faults: [ActiveFault]

    var members: JSONMembers {
        [
            "userScripts": userScripts, "interfaces": interfaces.isEmpty ? nil : interfaces, "userAgent": userAgent,
            "applicationName": applicationName, "contentScripts": contentScripts ? nil : false,
            "dialogs": dialogs ? true : nil, "faults": faults.isEmpty ? nil : faults,
        ]
    }
}

/// The description from which an interface object is made in a page.
struct InterfaceInfo: JSONObject {
    let name: String
    let methods: [String]

    init(name: String, object: JavascriptInterface) {
        self.name = name
        methods = object.names
    }

    var members: JSONMembers { ["name": name, "methods": methods] }
}
