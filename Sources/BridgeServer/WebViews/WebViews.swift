import BridgeProtocol

/// Knows what each web view has: the handlers, interface objects, user scripts and settings of its scope, and the stubs
/// and faults of tools. Sends every change to the pages. On the main actor.
@MainActor package final class WebViews {
    /// The scope of web views that have none of their own in `scopes`.
    package let defaultScope = WebViewScope()
    // These are read for each message. Unchecked for overlapping accesses: no change of them releases what calls back.
    @exclusivity(unchecked) private(set) var scopes: [String: WebViewScope] = [:]
    @exclusivity(unchecked) private(set) var stubs = ToolRules<Stub>()
    private(set) var faults = ToolRules<Fault>()
    /// Answers for what it has, in place of handlers. Stubs come before it.
    @exclusivity(unchecked) private var player: CassettePlayer?
    /// The interface objects that the cassette has.
    private var recordedObjects: [String: [String: JavascriptInterface.Method]] = [:]
    /// How many messages each handler has received.
    let messageCounts = Counter<String>()
    /// Calls its argument with each page that has a connection, and with the connection's channel.
    var forEachConnectedPage: @MainActor (_ body: (Page, Channel) -> Void) -> Void = { _ in }

    init() { defaultScope.webViews = self }

    // MARK: Scopes

    /// The scope of a web view. A window that a page opened (`main.popup`) has the scope of its opener.
    func scope(of webView: String) -> WebViewScope {
        guard !scopes.isEmpty else { return defaultScope }
        return scopes[webView] ?? WebViews.opener(of: webView).flatMap { scopes[$0] } ?? defaultScope
    }

    /// The web view whose page opened a window: `main` for `main.popup`. Nil if the web view is no such window.
    nonisolated static func opener(of webView: String) -> String? {
        webView.hasSuffix(".popup") ? String(webView.dropLast(".popup".count)) : nil
    }

    func setScope(_ scope: WebViewScope?, for webView: String) {
        scope?.webViews = self
        // The old scope is released after the assignment: what it releases may ask for a scope.
        let old = scopes[webView]
        scopes[webView] = scope
        withExtendedLifetime(old) {}
        sendHandlers { $0.webView == webView }
    }

    /// The web views that have handlers or stubs of their own.
    var namedWebViews: [String] { Set(scopes.keys).union(stubs.all.compactMap(\.webView)).sorted() }

    /// The handlers that a web view's pages may post to.
    /// - Parameter webView: nil for web views without a scope or stubs of their own. The same holds for the other
    ///   methods here with an optional web view.
    func handlers(of webView: String?) -> [String: MessageHandler] { merged(webView, \.handlers) { $1 } }

    /// The handlers in content worlds, by the world's name and then by their own.
    private func handlersInWorlds(of webView: String?) -> [String: [String: MessageHandler]] {
        merged(webView, \.handlersInWorlds) { $0.merging($1) { $1 } }
    }

    /// The objects whose methods a web view's pages may call.
    func interfaces(of webView: String?) -> [String: JavascriptInterface] {
        let objects = merged(webView, \.javascriptInterfaces) { $1 }
        guard !recordedObjects.isEmpty else { return objects }
        return recordedObjects.reduce(into: objects) { objects, recorded in
            objects[recorded.key, default: JavascriptInterface()].replace(recorded.value)
        }
    }

    /// The members of a web view's scope, together with those that it inherits from the default scope.
    private func merged<Value>(
        _ webView: String?, _ member: KeyPath<WebViewScope, [String: Value]>, _ combine: (Value, Value) -> Value
    ) -> [String: Value] {
        let scope = webView.map(scope) ?? defaultScope
        guard inherits(scope) else { return scope[keyPath: member] }
        return defaultScope[keyPath: member].merging(scope[keyPath: member], uniquingKeysWith: combine)
    }

    /// The user scripts that a web view's pages run. Only driven pages have those of content worlds.
    func userScripts(of scope: WebViewScope, isDriven: Bool = false) -> [UserScript] {
        let scripts = inherits(scope) ? defaultScope.userScripts + scope.userScripts : scope.userScripts
        return isDriven ? scripts : scripts.filter { $0.world == nil }
    }

    private func inherits(_ scope: WebViewScope) -> Bool { scope.inheritsDefaults && scope !== defaultScope }

    /// The function that answers a web view's dialogs.
    func dialogHandler(of webView: String?) -> (@MainActor (Dialog) -> Void)? {
        webView.flatMap { scope(of: $0).dialogHandler } ?? defaultScope.dialogHandler
    }

    /// Whether native code answers a web view's dialogs. Otherwise the browser shows them.
    func answersDialogs(of webView: String?) -> Bool {
        dialogHandler(of: webView) != nil || stubs.applying(to: webView).contains(where: \.rule.answersDialogs)
    }

    /// The settings that a page gets. A page with the script tag has read the others in that script.
    func settings(of webView: String, isDriven: Bool) -> WebViewSettings {
        let handlers = handlerInfo(of: webView, isDriven: isDriven)
        guard isDriven else { return WebViewSettings(handlers: handlers) }
        let scope = scope(of: webView)
        let allowed = scope.allowedScripts()
        return WebViewSettings(
            handlers: handlers,
            userScripts: allowed == .none ? [] : userScripts(of: scope, isDriven: true).map(\.info),
            interfaces: interfaceInfo(of: webView), userAgent: scope.userAgent,
            applicationName: scope.applicationNameForUserAgent, allowsContentScripts: allowed == .all,
            answersDialogs: answersDialogs(of: webView),
            faults: faults.applying(to: webView).map { RequestFault(id: $0.id, $0.rule) }, schemes: scope.urlSchemes)
    }

    func interfaceInfo(of webView: String?) -> [InterfaceInfo] {
        interfaces(of: webView).sorted { $0.key < $1.key }.map { InterfaceInfo(name: $0.key, methods: $0.value.names) }
    }

    // MARK: Handlers as pages and tools see them

    /// The handlers that a web view's pages find in `webkit.messageHandlers`: those of its scope, and those that exist
    /// only as stubs. For driven pages, those of other content worlds follow.
    ///
    /// Stubs that answer dialogs are not among them: they may contain what a page must not see, such as a password.
    func handlerInfo(of webView: String?, isDriven: Bool = false) -> [HandlerInfo] {
        let own = handlerInfo(of: webView) { !$0.answersDialogs }
        return isDriven ? own + handlerInfoOfWorlds(of: webView) : own
    }

    /// The handlers of a web view as tools see them, with everything that has a stub.
    func handlerInfoForTools(of webView: String?) -> [HandlerInfo] {
        handlerInfo(of: webView) { _ in true }
    }

    /// A handler replies if native code or any of its stubs does.
    private func handlerInfo(of webView: String?, with isIncluded: (Stub) -> Bool) -> [HandlerInfo] {
        var replies = handlers(of: webView).mapValues(\.replies)
        if let player { replies.merge(player.handlers) { $1 } }
        for stub in stubs.applying(to: webView).map(\.rule) where isIncluded(stub) {
            replies[stub.handler] = replies[stub.handler, default: false] || stub.reply.answers
        }
        return replies.map { HandlerInfo(name: $0.key, replies: $0.value) }.sorted { $0.name < $1.name }
    }

    private func handlerInfoOfWorlds(of webView: String?) -> [HandlerInfo] {
        handlersInWorlds(of: webView).sorted { $0.key < $1.key }.flatMap { world, handlers in
            handlers.sorted { $0.key < $1.key }.map {
                HandlerInfo(name: $0.key, replies: $0.value.replies, world: world)
            }
        }
    }

    // MARK: Changes

    /// Whether a change of a scope affects a page.
    private func affects(_ scope: WebViewScope, _ page: Page) -> Bool {
        let own = self.scope(of: page.webView)
        return own === scope || scope === defaultScope && inherits(own)
    }

    func handlersChanged(in scope: WebViewScope) {
        sendHandlers { affects(scope, $0) }
    }

    /// Sends the settings to driven pages.
    func settingsChanged(in scope: WebViewScope) {
        sendHandlers { $0.isDriven && affects(scope, $0) }
    }

    /// Sends the user scripts to documents that are still loading, which run the new ones when they have been parsed; and
    /// to driven pages, whose drivers need them for the next document.
    func userScriptsChanged(in scope: WebViewScope) {
        settingsChanged(in: scope)
        forEachConnectedPage { page, channel in
            guard !page.isDriven, page.readyState != "complete", affects(scope, page) else { return }
            let info = handlerInfo(of: page.webView)
            let scripts = userScripts(of: self.scope(of: page.webView)).map(\.info)
            channel.send {
                $0.call(DaemonMessage.handlersChanged(WebViewSettings(handlers: info, userScripts: scripts)))
            }
        }
    }

    /// Sends the current handlers, and the settings of driven pages, to the pages for which `isAffected` returns true.
    private func sendHandlers(where isAffected: (Page) -> Bool) {
        // Many pages of one web view get the same message.
        var messages: [Bool: [String: [UInt8]]] = [:]
        forEachConnectedPage { page, channel in
            guard isAffected(page) else { return }
            let (webView, isDriven) = (page.webView, page.isDriven)
            let message = messages[isDriven]?[webView] ?? handlersChanged(of: webView, isDriven: isDriven)
            messages[isDriven, default: [:]][webView] = message
            channel.send { $0.raw(message) }
        }
    }

    private func handlersChanged(of webView: String, isDriven: Bool) -> [UInt8] {
        var writer = JSONWriter()
        writer.call(DaemonMessage.handlersChanged(settings(of: webView, isDriven: isDriven)))
        return writer.bytes
    }

    // MARK: Receivers of a message

    /// The receiver of a message.
    enum Receiver {
        case handler(MessageHandler)
        case stub(ToolRules<Stub>.Entry)
        /// The cassette answers for the handler, and does not have the message.
        case missing(CassettePlayer.Miss, Cassette.Message)
    }

    /// Finds the receiver of a message: the newest stub that fits it, or else the cassette, or else its handler. Counts the
    /// message. Stubs that answer dialogs receive none, and there are stubs and the cassette only in the page's own world.
    func receiver(of message: PostMessage, from page: Page) -> Receiver? {
        let found: Receiver? =
            if let world = message.world {
                page.isDriven
                    ? handlersInWorlds(of: page.webView)[world]?[message.handler].map(Receiver.handler) : nil
            } else if Dialog.Kind(handler: message.handler) == nil,
                let stub = useStub(message.handler, message.body, page.webView)
            {
                passed(Cassette.Message(.handler(message.handler), message.body), by: stub)
            } else if let recorded = recordedReceiver(of: message) {
                recorded
            } else {
                handler(message.handler, of: page.webView).map(Receiver.handler)
            }
        if found != nil { messageCounts.add(message.handler) }
        return found
    }

    // MARK: The cassette

    /// Lets a cassette answer for the handlers, components and interface objects that it has.
    /// - Parameter objects: the methods of the objects.
    func play(_ player: CassettePlayer, objects: [String: [String: JavascriptInterface.Method]]) {
        (self.player, recordedObjects) = (player, objects)
        sendHandlers { _ in true }
    }

    var cassette: Cassette? { player?.cassette }

    func isRecorded(_ handler: String) -> Bool { player?.handlers[handler] != nil }

    /// Finds the cassette's entry for a message, and counts its use.
    func play(_ message: Cassette.Message) -> CassettePlayer.Outcome { player?.take(message) ?? .missing(.unknown) }

    /// Notes that something else than the cassette answers a message.
    func pass(_ message: Cassette.Message) { player?.pass(message) }

    private func passed(_ message: Cassette.Message, by stub: ToolRules<Stub>.Entry) -> Receiver {
        pass(message)
        return .stub(stub)
    }

    /// Lets the cassette begin again.
    func rewindCassette() { player?.rewind() }

    func verdict(on message: Cassette.Message, _ miss: CassettePlayer.Miss) -> Verdict {
        player?.verdict(on: message, miss) ?? .handled
    }

    private func recordedReceiver(of message: PostMessage) -> Receiver? {
        guard let player, player.handlers[message.handler] != nil else { return nil }
        let recorded = Cassette.Message(.handler(message.handler), message.body)
        switch play(recorded) {
        case .entry(let number, let entry):
            let stub = Stub(entry, of: message.handler, at: player.cassette.timing)
            return .stub(ToolRules<Stub>.Entry(id: "c\(number)", rule: stub, webView: nil))
        case .missing(let miss): return .missing(miss, recorded)
        }
    }

    // MARK: Stubs that answer

    /// Finds the newest stub that answers a dialog of a page, and counts the dialog.
    func stub(answering kind: Dialog.Kind, _ body: ScriptValue, of webView: String) -> ToolRules<Stub>.Entry? {
        let stub = useStub(kind.handler, body, webView)
        if stub != nil { messageCounts.add(kind.handler) }
        return stub
    }

    private func useStub(_ handler: String, _ body: ScriptValue, _ webView: String) -> ToolRules<Stub>.Entry? {
        stubs.newest(for: webView) { $0.fits(handler, body) }.flatMap { stubs.use($0.id) }
    }

    /// Whether a stub fits a message or a dialog.
    func hasStub(of handler: String, for body: ScriptValue, in webView: String) -> Bool {
        stubs.newest(for: webView) { $0.fits(handler, body) } != nil
    }

    func handler(_ name: String, of webView: String) -> MessageHandler? {
        let scope = scope(of: webView)
        return scope.handler(named: name) ?? (inherits(scope) ? defaultScope.handler(named: name) : nil)
            ?? interfaces(of: webView)[name]?.messageHandler
    }

    /// Finds the interface object that a page calls, and counts the call.
    func interfaceObject(for message: PostMessage, in webView: String) -> JavascriptInterface? {
        let object = interfaces(of: webView)[message.handler]
        if object != nil { messageCounts.add(message.handler) }
        return object
    }

    // MARK: Rules of tools

    /// - Returns: the stub's id.
    func add(_ stub: Stub, webView: String?) -> String {
        let entry = stubs.add(stub, webView: webView)
        sendHandlers { entry.applies(to: $0.webView) }
        return entry.id
    }

    /// - Returns: false if there is no such stub.
    func removeStub(_ id: String) -> Bool {
        guard stubs.remove(id) != nil else { return false }
        sendHandlers { _ in true }
        return true
    }

    /// - Returns: the fault's id.
    func add(_ fault: Fault, webView: String?) -> String {
        let entry = faults.add(fault, webView: webView)
        sendSettings(for: entry)
        return entry.id
    }

    /// - Returns: false if there is no such fault.
    func removeFault(_ id: String) -> Bool {
        guard let removed = faults.remove(id) else { return false }
        sendSettings(for: removed)
        return true
    }

    /// Counts a request that a driver has applied a fault to. The fault is removed after the last of its requests.
    func countFault(_ id: String) {
        guard let fault = faults.use(id), fault.hits == fault.rule.times else { return }
        _ = removeFault(id)
    }

    private func sendSettings(for fault: ToolRules<Fault>.Entry) {
        sendHandlers { $0.isDriven && fault.applies(to: $0.webView) }
    }
}
