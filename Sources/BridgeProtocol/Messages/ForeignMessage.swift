/// A message of another framework that has its own protocol on the bridge. A handler for our types cannot decode it, so
/// advice about their members would not help.
package struct ForeignMessage: Sendable, Equatable {
    /// The framework's name, such as `Capacitor`.
    package let framework: String
    /// The handler that the framework's script posts to.
    package let handler: String
    /// A member that tells its messages apart, for the match of a stub; nil if the body is no object.
    private let member: String?

    /// The shapes that the frameworks' own scripts post.
    private static let objects: [(framework: String, handler: String, members: [String])] = [
        ("Capacitor", "bridge", ["callbackId", "pluginId", "methodName"]),
        ("Cordova", "bridge", ["callbackId", "service", "action"]),
        ("flutter_inappwebview", "callHandler", ["_callHandlerID"]),
        ("Tauri", "ipc", ["cmd", "callback", "error"]),
    ]

    /// Handlers that only the script of one framework posts to.
    private static let handlers = [
        "ReactNativeWebView": "React Native WebView", "cordova": "Cordova", "cordova_iab": "Cordova's InAppBrowser",
        "flutter_inappwebview": "flutter_inappwebview", "androidBridge": "Capacitor",
    ]

    /// - Parameter handler: the one that got the message; nil if it is not known.
    /// - Returns: nil if the message is not known to be of another framework.
    package init?(_ body: ScriptValue, to handler: String?) {
        let value = body.parsedText ?? body
        if value.kind == .object,
            let found = Self.objects.first(where: { $0.members.allSatisfy { value.child($0) != nil } })
        {
            // The second member names the plugin or the command.
            let named = found.members.dropFirst(found.members.count > 1 && found.framework != "Tauri" ? 1 : 0).first
            self.init(framework: found.framework, handler: handler ?? found.handler, member: named)
        } else if let handler, let framework = Self.handlers[handler] {
            self.init(framework: framework, handler: handler, member: nil)
        } else {
            return nil
        }
    }

    private init(framework: String, handler: String, member: String?) {
        self.framework = framework
        self.handler = handler
        self.member = member
    }

    /// Advice for a page that speaks the framework's protocol.
    package var hint: String {
        let match = member.map { "; --match '{\"\($0)\": …}' answers some of them only" } ?? ""
        return
            "This is a message of \(framework), whose native half is not here. \(HandlerAdvice.stub(of: handler))\(match). "
            + "In Swift, a WKScriptMessageHandler gets the body as it is."
    }
}

/// Advice on how to receive a handler's messages: on the command line, in a flow or in Swift.
package enum HandlerAdvice {
    /// Advice for the command line and for flows.
    package static func stub(of handler: String) -> String {
        let isPlain = handler.utf8.allSatisfy {
            $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A || "0123456789_.-".utf8.contains($0)
        }
        let name = isPlain && !handler.isEmpty ? handler : "HANDLER"
        return "Answer it with a stub: bridged stub \(name) --none; "
            + "in a flow, - stub: {handler: \(name), reply: {none: true}}"
    }

    /// Advice that also names the handler of an app's own code.
    package static func receive(_ handler: String) -> String {
        "\(stub(of: handler)). In Swift, register a handler named '\(handler)'."
    }
}
