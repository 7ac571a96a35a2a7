import BridgeProtocol
import CWebKitGTK

/// Notices when a frame within a page posts a message. WebKitGTK gives all messages of a web view alike, so that an app
/// cannot tell by `frameInfo` who has sent one.
///
/// In frames, `postMessage` first fires an event, which a script in a content world of this process tells to a handler
/// there. Both run before the message itself is posted.
@MainActor final class FrameMessages {
    private let manager: GObject<WebKitUserContentManager>
    /// Called with the origin of the frame.
    private let onMessage: @MainActor (String) -> Void
    private var isWatching = false
    private static let handler = "bridgedFrame"

    init(in manager: GObject<WebKitUserContentManager>, onMessage: @escaping @MainActor (String) -> Void) {
        self.manager = manager
        self.onMessage = onMessage
        bridged_connect_reply(
            manager.pointer, "script-message-with-reply-received::\(FrameMessages.handler)",
            { _, value, _, data in
                guard let value, let data else { return 0 }
                let messages = Unmanaged<FrameMessages>.fromOpaque(data).takeUnretainedValue()
                messages.onMessage(ScriptValueCodec.text(of: GObject(value)))
                // WebKit fulfills the promise, for which nobody waits.
                return 0
            }, Unmanaged.passUnretained(self).toOpaque())
        webkit_user_content_manager_register_script_message_handler_with_reply(
            manager.pointer, FrameMessages.handler, HostedWebView.world)
        manager.add(FrameMessages.listener, in: HostedWebView.world)
    }

    isolated deinit { bridged_disconnect(manager.pointer, Unmanaged.passUnretained(self).toOpaque()) }

    /// Lets frames tell of their messages, once the page has a handler: by it a script finds the class of handlers.
    func watch(_ name: String) {
        guard !isWatching else { return }
        isWatching = true
        var text = JSONWriter(escaping: .html)
        text.string(name)
        manager.add("(\(FrameMessages.teller))(\(text.text))", in: nil)
    }

    private static let listener = """
        if (self !== top) addEventListener("bridged:frame", () => webkit.messageHandlers.\(handler).postMessage(origin))
        """

    private static let teller = """
        (name) => {
          if (self === top || !webkit.messageHandlers[name]) return
          const prototype = Object.getPrototypeOf(webkit.messageHandlers[name])
          const { postMessage } = prototype
          const { apply } = Reflect
          const tell = dispatchEvent.bind(self)
          const event = new Event("bridged:frame")
          prototype.postMessage = { postMessage(body) {
            tell(event)
            return apply(postMessage, this, arguments)
          } }.postMessage
        }
        """
}
