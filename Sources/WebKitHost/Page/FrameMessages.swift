import BridgeProtocol
import CWebKitGTK

/// Notices when a frame within a page posts a message. WebKitGTK gives all messages of a web view alike, so that an app
/// cannot tell by `frameInfo` who has sent one.
///
/// In frames, `postMessage` first fires an event, which a script in a content world of this process tells to a handler
/// there. Both run before the message itself is posted.
@MainActor final class FrameMessages {
    private let manager: GObject<WebKitUserContentManager>
    private let handler: HostMessageHandler
    private var isWatching = false
    private static let handlerName = "bridgedFrame"

    /// - Parameter onMessage: is called with the origin of the frame.
    init(in manager: GObject<WebKitUserContentManager>, onMessage: @escaping @MainActor (String) -> Void) {
        self.manager = manager
        handler = HostMessageHandler(FrameMessages.handlerName, in: manager, onText: onMessage)
        manager.add(FrameMessages.listener, in: HostedWebView.world)
    }

    /// Lets frames tell of their messages, once the page has a handler: by it a script finds the class of handlers.
    func watch(_ name: String) {
        guard !isWatching else { return }
        isWatching = true
        var text = JSONWriter(escaping: .html)
        text.string(name)
        manager.add("(\(FrameMessages.teller))(\(text.text))", in: nil)
    }

    private static let listener = """
        if (self !== top) addEventListener("bridged:frame", () => webkit.messageHandlers.\(handlerName).postMessage(origin))
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
