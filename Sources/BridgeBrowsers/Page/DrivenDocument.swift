import BridgeProtocol

/// A document of a browser in which `web/driven.js` runs: its content worlds, and its `DrivenPage`.
@MainActor final class DrivenDocument: ScriptRealm {
    /// Frame and document refer to each other, so a frame that ends must let go of its document.
    let frame: any BrowserFrame
    var delegate: (any PageDelegate)? { frame }
    let webView: DrivenWebView
    private(set) var hasLeft = false
    /// Whether the document may run scripts. In a sandbox without `allow-scripts` it may not.
    private(set) var runsScripts = true
    /// Whether the page listens to `pagehide`, and the driver has not heard yet that this has come.
    private(set) var hasUnheardListener = false
    private(set) var page: DrivenPage?
    /// The URL that the document has now: scripts change it, for example with `history.pushState`.
    private(set) var currentURL = ""
    /// Whether this is the empty document, and native code's HTML replaces its content soon. Until then it counts as loading.
    private(set) var isAwaitingContent: Bool
    private var worlds: [ScriptWorld] = []
    /// The worlds that it had when it left.
    private var left: [ScriptWorld] = []
    /// The document's name among the pages around it that share its handlers; nil if there are none.
    private var frameName: String?
    /// The messages that came before the document has introduced itself.
    private var early: [(message: ScriptMessage, end: @MainActor (MessageEnd) -> Void)] = []
    private var earlyBytes = 0
    private var hasUnknownLines = false
    private var awaiting: [(DrivenPage?) -> Void] = []
    /// The worlds that the browser is making, with those who wait for them.
    private var making: [String: [(ScriptWorld?) -> Void]] = [:]
    /// The page that the frame showed before; nil as soon as this document has its own.
    private var previous: DrivenPage?

    /// - Parameter previous: the document that the frame showed before.
    init(
        in frame: any BrowserFrame, _ webView: DrivenWebView, after previous: DrivenDocument?,
        isAwaitingContent: Bool = false
    ) {
        self.frame = frame
        self.webView = webView
        self.isAwaitingContent = isAwaitingContent
        self.previous = previous.flatMap { $0.page ?? $0.previous }
    }

    func add(_ world: ScriptWorld) {
        worlds.append(world)
        guard let name = world.name else { return }
        for use in making.removeValue(forKey: name) ?? [] { use(world) }
    }

    // MARK: From the page

    func receive(_ lines: [DrivenLine], from world: ScriptWorld) {
        var messages: [(message: ScriptMessage, end: @MainActor (MessageEnd) -> Void)] = []
        for line in lines {
            switch line {
            case .message(let id, let message):
                messages.append((message, { [weak world] end in world?.ended.append((id, end)) }))
            case .unreadable(let id, let handler, let reason):
                world.ended.append((id, .failed(.undelivered(handler, reason))))
            case .document(let introduction): world.document.introduce(checked(introduction, in: world))
            case .update(let update): self.update(update, from: world)
            case .console(let entry): world.document.page?.notify(entry)
            case .media(let id, let devices): decideMediaCapture(devices, id, in: world)
            case .location(let id): decideLocation(id, in: world)
            case .scriptsOff: runsScripts = false
            case .departure(let isNow): hasUnheardListener = !isNow
            case .script(let name, let source): runUserScript(source, name, in: world)
            case .unknown: reportUnknownLine()
            }
        }
        world.document.post(messages)
        world.document.endRound()
    }

    private func update(_ update: UpdatePage, from world: ScriptWorld) {
        var update = update
        if let url = update.url {
            if !isOwn(url, in: world) { update.url = nil } else if world.name == nil { world.document.moved(to: url) }
        }
        if world.document.isAwaitingContent { update.readyState = nil }
        world.document.page?.notify(update)
    }

    /// Notes the document's new URL. A popup's empty document runs no listeners while Chromium opens the popup, and its global
    /// object may be that of the document which follows.
    private func moved(to url: String) {
        if currentURL == "about:blank", !url.isSameDocument(as: currentURL) { runsScripts = true }
        currentURL = url
    }

    private func post(_ messages: [(message: ScriptMessage, end: @MainActor (MessageEnd) -> Void)]) {
        if let page { return page.post(messages) }
        for (message, end) in messages {
            let count = message.byteCount
            guard early.count < webView.limits.events, earlyBytes + count <= webView.limits.messageBytes else {
                end(.failed(.undelivered(message.handler, "too many messages wait for the document (-32006)")))
                webView.report("A message to \"\(message.handler)\" was not sent: too many wait for its document.")
                continue
            }
            earlyBytes += count
            early.append((message, end))
        }
    }

    /// Runs a user script that the page's policy forbids, if native code has it.
    private func runUserScript(_ source: String, _ name: String, in world: ScriptWorld) {
        let isKnown = webView.settings.userScripts?.contains { $0.source == source && $0.world == world.name }
        if isKnown == true { frame.runUserScript(source, name: name, in: world) } else { reportUnknownLine() }
    }

    /// Reports once that something other than `web/driven.js` has spoken to the driver.
    private func reportUnknownLine() {
        guard !hasUnknownLines, let page else { return }
        hasUnknownLines = true
        page.report("notOfDriver", "A script of the page has sent something to the driver, which was left out.")
    }

    private func introduce(_ introduction: DrivenPage.Introduction) {
        // The browser's own error page is no page of the app.
        guard !hasLeft, !introduction.url.hasPrefix("chrome-error:") else { return }
        if page == nil { frameName = introduction.frameName }
        guard let page else { return begin(introduction) }
        // Any other document introduces itself once.
        guard webView.engine == .firefox, page.url.isEmpty || page.url == "about:blank" else {
            return reportUnknownLine()
        }
        replace().introduce(introduction)
    }

    private func begin(_ introduction: DrivenPage.Introduction) {
        currentURL = introduction.url
        var introduction = introduction
        if isAwaitingContent { introduction.readyState = "loading" }
        let page = DrivenPage(introduction, after: previous?.asPrevious, in: webView, realm: self)
        self.page = page
        previous = nil
        page.post(early)
        (early, earlyBytes) = ([], 0)
        // They may have changed while it was in the cache.
        if introduction.isRestored { update(webView.settings) }
        callAwaiting()
    }

    // MARK: Claims. A page might speak to the driver in place of `web/driven.js`.

    /// What a document says about itself, beside what the browser knows.
    private func checked(_ claimed: DrivenPage.Introduction, in world: ScriptWorld) -> DrivenPage.Introduction {
        var introduction = claimed
        introduction.isMainFrame = frame.isMainFrame
        introduction.origin = world.origin ?? Origin.of(frame.url)
        if !isOwn(claimed.url, in: world) { introduction.url = frame.url }
        return introduction
    }

    /// Whether the document may have a URL: that which the browser shows, or another one of its origin (`pushState`).
    private func isOwn(_ url: String, in world: ScriptWorld) -> Bool {
        if url.isSameDocument(as: frame.url) { return true }
        // A long URL of an update was cut when it was read.
        if url == PageText.cut(frame.url, to: PageText.url) { return true }
        // A window has such a document before the browser says what it shows.
        if ["", "about:blank", "about:srcdoc"].contains(url) { return true }
        guard let origin = world.origin, origin.hasPrefix("http") else { return false }
        return url == origin || url.hasPrefix("\(origin)/")
    }

    // MARK: The device

    /// Decides about a call of `getUserMedia`, which waits for the answer as a message does.
    private func decideMediaCapture(_ devices: [CaptureDevice], _ id: Int, in world: ScriptWorld) {
        let answer = { @MainActor [weak world] (decision: MediaDecision) -> Void in
            world?.end(id, with: .string(decision.rawValue))
        }
        guard frame.asksAboutDialogs else { return answer(.prompt) }
        withPage { [frame] page in
            guard let page else { return answer(.deny) }
            page.decideMediaCapture(devices, hasUser: frame.hasUser) { decision in
                guard decision == .grant else { return answer(decision) }
                frame.allow(devices) { answer(.grant) }
            }
        }
    }

    /// Decides about a call of `navigator.geolocation`, which waits for the answer as a message does.
    private func decideLocation(_ id: Int, in world: ScriptWorld) {
        let answer = { @MainActor [weak world] (decision: LocationDecision) -> Void in
            world?.end(id, with: decision.json)
        }
        guard frame.asksAboutDialogs else { return answer(.prompt) }
        withPage { [frame] page in
            guard let page else { return answer(.deny) }
            page.decideLocation(hasUser: frame.hasUser, decided: answer)
        }
    }

    // MARK: The page

    /// Calls `use` with the page as soon as the document has introduced itself, or with nil if it has left before.
    func withPage(_ use: @escaping (DrivenPage?) -> Void) {
        if page != nil || hasLeft { use(page) } else { awaiting.append(use) }
    }

    private func callAwaiting() {
        let list = awaiting
        awaiting = []
        for use in list { use(page) }
    }

    /// A browser gives the window of an empty document to the next document of the same origin.
    private func replace() -> DrivenDocument {
        let next = DrivenDocument(in: frame, webView, after: self)
        frame.document = next
        for world in worlds { world.move(to: next) }
        worlds = []
        leave()
        return next
    }

    func leave() {
        guard !hasLeft else { return }
        hasLeft = true
        let left = worlds
        worlds = []
        if frameName != nil, around != nil {
            self.left = left
            page?.leave { self.left = [] }
        } else {
            page?.leave()
        }
        callAwaiting()
        for world in left { world.finishWaiting() }
        for (_, list) in making.sorted(by: { $0.key < $1.key }) { for use in list { use(nil) } }
        making = [:]
    }

    // MARK: From the daemon

    func endRound() {
        for world in worlds + left where !world.ended.isEmpty {
            let ended = world.ended
            world.ended = []
            let write = { (writer: inout JSONWriter) in
                writer.array { writer in
                    for (id, end) in ended { end.write(id: id, to: &writer) }
                }
            }
            var writer = JSONWriter()
            // The page may have removed the frame without the driver knowing it yet. The document around it can settle the
            // frame's promises in either case.
            guard hasLeft || webView.engine == .chromium, world.name == nil, let frameName,
                let (around, worldAround) = around
            else {
                write(&writer)
                if !hasLeft { tell("settle", writer.text, in: world) }
                continue
            }
            writer.object { writer in
                writer.member("name", frameName)
                writer.key("list")
                write(&writer)
            }
            around.tell("settleFrame", writer.text, in: worldAround)
        }
    }

    /// The nearest document around this one that is still there, with its page's own world.
    private var around: (document: DrivenDocument, world: ScriptWorld)? {
        var frame = frame.parentFrame
        while let next = frame {
            if let document = next.document, let world = document.worlds.first(where: { $0.name == nil }) {
                return (document, world)
            }
            frame = next.parentFrame
        }
        return nil
    }

    /// The parser has finished, or the document has loaded. A document that may not run scripts doesn't notice itself.
    func advance() {
        guard !runsScripts else { return }
        for world in worlds { tell("advance", "", in: world) }
    }

    /// The HTML is there. Its writing has removed the listeners of the document's scripts.
    func contentIsWritten() {
        isAwaitingContent = false
        for world in worlds where world.name == nil { tell("rewritten", "", in: world) }
    }

    /// Tells the document's scripts by what type of navigation (as in the Navigation API) native code leaves it.
    func expectLeaving(by type: String) {
        for world in worlds where world.name == nil { tell("leave", type, in: world) }
    }

    /// Calls a method of `web/driven.js` that returns nothing, as soon as it is there.
    private func tell(_ method: StaticString, _ text: String, in world: ScriptWorld) {
        world.withBridge { [frame] bridge in
            guard let bridge else { return }
            frame.call(method, of: bridge, [.text(text)], in: world, awaits: false, completion: nil)
        }
    }

    func update(_ settings: WebViewSettings) {
        frame.install(settings)
        for name in settings.worlds {
            withWorld(name) { [weak self] world in
                guard let self, let world else { return }
                let (handlers, scripts) = WorldSettings(settings: settings, world: name).texts
                tell("setHandlers", handlers, in: world)
                tell("setUserScripts", scripts, in: world)
            }
        }
    }

    // MARK: Worlds

    /// Calls `use` with the document's world of this name, which the browser makes if there is none; with nil if the
    /// document has left.
    func withWorld(_ name: String?, _ use: @escaping (ScriptWorld?) -> Void) {
        guard !hasLeft else { return use(nil) }
        if let world = worlds.first(where: { $0.name == name }) { return use(world) }
        guard let name else { return use(nil) }
        let isFirst = making[name] == nil
        making[name, default: []].append(use)
        guard isFirst else { return }
        frame.makeWorld(name, webView.settings) { [weak self] in
            for use in self?.making.removeValue(forKey: name) ?? [] { use(nil) }
        }
    }
}

extension ScriptWorld {
    /// Answers what the document's script has asked the driver.
    fileprivate func end(_ id: Int, with value: JSONValue) {
        guard let reply = try? JSON.parse(JSONValue.object([.init("value", value)]).text) else { return }
        ended.append((id, .reply(reply)))
        document.endRound()
    }
}

extension LocationDecision {
    /// What `web/bridge/geolocation.js` takes.
    fileprivate var json: JSONValue {
        switch self {
        case .prompt: "prompt"
        case .deny: "deny"
        case .grant(let place):
            .array([.number(place.latitude), .number(place.longitude), .number(place.accuracy)])
        }
    }
}
