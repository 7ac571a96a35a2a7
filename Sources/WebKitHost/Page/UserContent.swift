import BridgeBrowsers
import BridgeProtocol
import CWebKitGTK

/// The handlers and user scripts of a web view, as WebKit has them. They hold for the document that is shown, and for
/// those that follow.
@MainActor final class UserContent {
    typealias Handler = HandlerInfo

    let manager = GObject(adopting: webkit_user_content_manager_new())
    /// Called with the name of a handler, a value that a script has posted to it, and what to answer.
    private let onMessage: @MainActor (Handler, GObject<JSCValue>, PendingReply) -> Void
    /// Called with a sentence about something that WebKit refuses.
    private let report: @MainActor (String) -> Void
    private let frameMessages: FrameMessages
    private let uncaughtErrors: UncaughtErrors
    private var handlers: [Handler] = []
    private var signals: [String: Signal] = [:]
    private var userScripts: [UserScriptInfo] = []
    /// What WebKit has of `userScripts`. This object owns a reference to each.
    private var addedScripts: [OpaquePointer] = []
    /// The content worlds that native code has named so far.
    private var worlds: [String] = []

    init(
        report: @escaping @MainActor (String) -> Void,
        onMessage: @escaping @MainActor (Handler, GObject<JSCValue>, PendingReply) -> Void,
        onFrameMessage: @escaping @MainActor (String) -> Void, onError: @escaping @MainActor (ConsoleEntry) -> Void
    ) {
        self.report = report
        self.onMessage = onMessage
        frameMessages = FrameMessages(in: manager, onMessage: onFrameMessage)
        uncaughtErrors = UncaughtErrors(in: manager, onError: onError)
        refuseTag()
    }

    /// Registers and removes what differs from before.
    func apply(_ settings: WebViewSettings) {
        for handler in handlers where !settings.handlers.contains(handler) { remove(handler) }
        for handler in settings.handlers where !handlers.contains(handler) { add(handler) }
        guard let scripts = settings.userScripts, scripts != userScripts else { return }
        userScripts = scripts
        removeScripts()
        addedScripts = userScripts.compactMap { add($0) }
    }

    /// Removes everything. A page that is about to close may still post messages, and WebKitGTK would give them to a
    /// manager that is gone.
    func close() { apply(WebViewSettings(userScripts: [])) }

    isolated deinit { close() }

    /// Keeps a content world and its variables as long as the web view, as an app's `WKContentWorld` does.
    ///
    /// Since 2.52, WebKitGTK drops a world that no script and no handler names, as after each evaluation. An empty user
    /// script names it.
    func keep(_ world: String) {
        guard !worlds.contains(world) else { return }
        worlds.append(world)
        manager.add("", in: world, frames: WEBKIT_USER_CONTENT_INJECT_TOP_FRAME)
    }

    // MARK: Handlers

    /// WebKit's signal for the messages to the handlers of one name, in whatever world.
    @MainActor private final class Signal {
        let name: String
        private weak var content: UserContent?
        private let manager: GObject<WebKitUserContentManager>

        init(_ name: String, _ content: UserContent) {
            self.name = name
            self.content = content
            manager = content.manager
            bridged_connect_reply(
                manager.pointer, "script-message-with-reply-received::\(name)",
                { _, value, reply, data in
                    guard let value, let reply, let data else { return 0 }
                    let signal = Unmanaged<Signal>.fromOpaque(data).takeUnretainedValue()
                    signal.content?.received(signal.name, GObject(value), PendingReply(reply))
                    return 1
                }, Unmanaged.passUnretained(self).toOpaque())
        }

        isolated deinit { bridged_disconnect(manager.pointer, Unmanaged.passUnretained(self).toOpaque()) }
    }

    /// Registers every handler as one that replies: the promise of a handler that does not reply is fulfilled when the
    /// daemon has handled the message.
    private func add(_ handler: Handler) {
        if signals[handler.name] == nil { signals[handler.name] = Signal(handler.name, self) }
        handlers.append(handler)
        if let world = handler.world { keep(world) }
        let isRegistered = webkit_user_content_manager_register_script_message_handler_with_reply(
            manager.pointer, handler.name, handler.world)
        if handler.world == nil { frameMessages.watch(handler.name) }
        if isRegistered == 0 { report("WebKit refuses a handler with the name “\(handler.name)”.") }
    }

    private func remove(_ handler: Handler) {
        if let world = handler.world {
            webkit_user_content_manager_unregister_script_message_handler_in_world(manager.pointer, handler.name, world)
        } else {
            webkit_user_content_manager_unregister_script_message_handler(manager.pointer, handler.name)
        }
        handlers.removeAll { $0 == handler }
        if !handlers.contains(where: { $0.name == handler.name }) { signals[handler.name] = nil }
    }

    private func received(_ name: String, _ value: GObject<JSCValue>, _ reply: PendingReply) {
        let handlers = handlers.filter { $0.name == name }
        // The page's own world comes first: WebKitGTK does not say to which world's handler a script has posted.
        guard let handler = handlers.first(where: { $0.world == nil }) ?? handlers.first else { return }
        onMessage(handler, value, reply)
    }

    // MARK: User scripts

    /// Keeps `bridge.js`, whose tag the page may have as well, from attaching the page a second time.
    private func refuseTag() {
        manager.add(#"addEventListener("bridged:start", (event) => event.preventDefault())"#, in: nil)
    }

    /// - Returns: WebKit's script, with a reference that the caller owns.
    private func add(_ script: UserScriptInfo) -> OpaquePointer? {
        if let world = script.world { keep(world) }
        let frames = script.mainFrameOnly ? WEBKIT_USER_CONTENT_INJECT_TOP_FRAME : WEBKIT_USER_CONTENT_INJECT_ALL_FRAMES
        let time =
            script.atDocumentEnd
            ? WEBKIT_USER_SCRIPT_INJECT_AT_DOCUMENT_END : WEBKIT_USER_SCRIPT_INJECT_AT_DOCUMENT_START
        let made = withPatterns(script.include) { allowed in
            withPatterns(script.exclude) { blocked in
                if let world = script.world {
                    webkit_user_script_new_for_world(script.source, frames, time, world, allowed, blocked)
                } else {
                    webkit_user_script_new(script.source, frames, time, allowed, blocked)
                }
            }
        }
        webkit_user_content_manager_add_script(manager.pointer, made)
        return made
    }

    private func removeScripts() {
        for script in addedScripts {
            webkit_user_content_manager_remove_script(manager.pointer, script)
            webkit_user_script_unref(script)
        }
        addedScripts = []
    }

    /// Calls `body` with a list that ends with nil, or with nil if there are no patterns.
    private func withPatterns<Result>(
        _ expressions: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
    ) -> Result {
        guard !expressions.isEmpty else { return body(nil) }
        let patterns = expressions.map { strdup(UserContentPattern(expression: $0).text) }
        defer { for pattern in patterns { free(pattern) } }
        return (patterns.map { $0.map { UnsafePointer($0) } } + [nil]).withUnsafeBufferPointer {
            body($0.baseAddress)
        }
    }
}

extension GObject where Object == WebKitUserContentManager {
    /// Adds a script for good, which runs at the start of each document.
    /// - Parameter world: nil for the page's own.
    func add(
        _ source: String, in world: String?,
        frames: WebKitUserContentInjectedFrames = WEBKIT_USER_CONTENT_INJECT_ALL_FRAMES
    ) {
        let time = WEBKIT_USER_SCRIPT_INJECT_AT_DOCUMENT_START
        let script =
            if let world {
                webkit_user_script_new_for_world(source, frames, time, world, nil, nil)
            } else {
                webkit_user_script_new(source, frames, time, nil, nil)
            }
        // The manager keeps a reference of its own.
        webkit_user_content_manager_add_script(pointer, script)
        webkit_user_script_unref(script)
    }
}
