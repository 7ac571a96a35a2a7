import CWebKitGTK

/// A message handler in the content world of this process's own scripts, where no page can post to it. WebKit fulfills the
/// promises of those scripts, which do not wait for them.
@MainActor final class HostMessageHandler {
    private let manager: GObject<WebKitUserContentManager>
    private let onText: @MainActor (String) -> Void

    /// - Parameter onText: is called with the text of each value that a script posts.
    init(
        _ name: String, in manager: GObject<WebKitUserContentManager>, onText: @escaping @MainActor (String) -> Void
    ) {
        (self.manager, self.onText) = (manager, onText)
        bridged_connect_reply(
            manager.pointer, "script-message-with-reply-received::\(name)",
            { _, value, _, data in
                guard let value, let data else { return 0 }
                // Not retained: this object disconnects before it goes.
                let handler = Unmanaged<HostMessageHandler>.fromOpaque(data).takeUnretainedValue()
                handler.onText(ScriptValueCodec.text(of: GObject(value)))
                return 0
            }, Unmanaged.passUnretained(self).toOpaque())
        webkit_user_content_manager_register_script_message_handler_with_reply(
            manager.pointer, name, HostedWebView.world)
    }

    isolated deinit { bridged_disconnect(manager.pointer, Unmanaged.passUnretained(self).toOpaque()) }
}
