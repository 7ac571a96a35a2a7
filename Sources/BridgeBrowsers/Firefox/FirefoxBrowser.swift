import BridgeProtocol
import Foundation

/// Firefox, driven over WebDriver BiDi (https://w3c.github.io/webdriver-bidi/).
@MainActor package final class FirefoxBrowser: DrivenBrowser {
    let connection = BiDiConnection()
    let options: LaunchOptions
    /// The browser's own user agent.
    private(set) var userAgent = ""
    let scripts: FirefoxScripts
    private let executable: URL
    package let process: DrivenProcess
    /// Where it listens on the loopback.
    package private(set) var port = 0
    private var output: FirefoxOutput?
    let pausedRequests: FirefoxPausedRequests
    private var challenges = PasswordChallenges()
    private(set) var contexts: [String: FirefoxContext] = [:]
    private var realms = FirefoxRealms()
    /// Empty windows that the next web views take: at first that which the browser has opened itself.
    package internal(set) var spares: [String] = []
    /// What each window imitates.
    private var screen: EmulatedScreen

    convenience init(_ executable: URL, _ options: LaunchOptions) throws {
        try self.init(executable, options, DrivenProcess(.firefox))
    }

    /// Takes the process of another browser, which is used no more.
    private convenience init(of former: FirefoxBrowser) throws {
        try self.init(former.executable, former.options, former.process)
        (port, output) = (former.port, former.output)
    }

    private init(_ executable: URL, _ options: LaunchOptions, _ process: DrivenProcess) throws {
        (self.executable, self.options, self.process) = (executable, options, process)
        screen = EmulatedScreen(options.device)
        pausedRequests = FirefoxPausedRequests(connection)
        scripts = FirefoxScripts(script: try DrivenScript(), dismissesOpenPanels: options.isHeadless)
        process.onClose = { [weak self] in self?.letGo($0) }
    }

    package func start() async throws {
        let timeout = Task { [timeout = options.timeout] in
            try await Task.sleep(for: timeout)
            connection.end("Firefox did not answer within \(timeout).")
            output?.end("Firefox did not say within \(timeout) where it listens.")
        }
        defer { timeout.cancel() }
        port = try await run()
        try await begin()
    }

    /// Begins a session with the process.
    private func begin() async throws {
        connection.onEvent = { [weak self] in self?.handle($0) }
        connection.onEnd = { [weak self] in self?.process.connectionEnded() }
        try await connection.connect(port: port)
        let session = try await connection.call("session.new") { writer in
            writer.member("capabilities", FirefoxBrowser.capabilities(options))
        }
        try engine.check(version: session["capabilities"]?["browserVersion"]?.string)
        userAgent = session["capabilities"]?["userAgent"]?.string ?? ""
        try await connection.call("session.subscribe") { $0.member("events", FirefoxBrowser.events) }
        try await connection.call("network.addIntercept") { writer in
            writer.member("phases", ["beforeRequestSent", "responseStarted", "authRequired"])
        }
        let tree = try await connection.call("browsingContext.getTree") { $0.member("maxDepth", 0) }
        spares = tree["contexts"]?.elements.first?["context"]?.string.map { [$0] } ?? []
    }

    /// The driver answers the dialogs of pages, and leaving a page needs no confirmation. Without a window, Firefox closes its
    /// open panels, so that native code can choose.
    private static func capabilities(_ options: LaunchOptions) -> JSONValue {
        var behavior: [JSONValue.Member] = [.init("default", "ignore"), .init("beforeUnload", "accept")]
        if options.isHeadless { behavior.append(.init("file", "dismiss")) }
        return ["alwaysMatch": ["unhandledPromptBehavior": .object(behavior)]]
    }

    private static let events = [
        "script.message", "script.realmCreated", "script.realmDestroyed", "browsingContext.contextCreated",
        "browsingContext.contextDestroyed", "browsingContext.userPromptOpened", "input.fileDialogOpened",
        "browsingContext.navigationStarted",
        "browsingContext.navigationCommitted", "network.beforeRequestSent", "network.responseStarted",
        "network.responseCompleted", "network.fetchError", "network.authRequired",
    ]

    /// Starts the process.
    /// - Returns: the port on which it listens.
    private func run() async throws -> Int {
        var command = try LaunchCommand.firefox(options, profile: process.profile, isDriven: true)
        command.arguments.append("about:blank")
        let output = FirefoxOutput()
        self.output = output
        try process.run(executable, command, errors: output.pipe)
        return try await output.port()
    }

    /// Forgets what pages have left by a script with Firefox's own rights, because BiDi has no command for it, and begins
    /// another session.
    package func renewed() async throws -> any DrivenBrowser {
        for (_, context) in contexts.sorted(by: { $0.key < $1.key }) { context.end() }
        (contexts, spares) = ([:], [])
        connection.onEvent = { _ in }
        // Firefox closes with its last window, so the new one comes first. Its empty document has to be there, because a load
        // that is under way would seem to be one of the next web view.
        let tab = try await connection.call("browsingContext.create") { $0.member("type", "tab") }
        let made = tab["context"]?.string ?? ""
        try await connection.call("browsingContext.navigate") { writer in
            writer.member("context", made)
            writer.member("url", "about:blank")
            writer.member("wait", "complete")
        }
        // Their pages may have opened others meanwhile.
        for _ in 0..<5 {
            let tree = try await connection.call("browsingContext.getTree") { $0.member("maxDepth", 0) }
            let others = tree["contexts"]?.elements.compactMap { $0["context"]?.string }.filter { $0 != made } ?? []
            guard !others.isEmpty else { break }
            // One that has closed by itself is no mistake.
            for id in others { _ = try? await connection.call("browsingContext.close") { $0.member("context", id) } }
        }
        // These two last longer than a session.
        connection.send("browsingContext.setViewport") { writer in
            writer.member("viewport", JSONValue.null)
            writer.member("devicePixelRatio", JSONValue.null)
            writer.member("userContexts", ["default"])
        }
        try await connection.call("emulation.setUserAgentOverride") { writer in
            writer.member("userAgent", JSONValue.null)
            writer.member("userContexts", ["default"])
        }
        try await forget()
        // Firefox closes the connection with its answer, and goes on.
        connection.onEnd = {}
        try await connection.call("session.end")
        connection.end("The session of Firefox has ended.")
        let browser = try FirefoxBrowser(of: self)
        try await browser.begin()
        return browser
    }

    private func forget() async throws {
        guard let id = try await ownDocuments().first?["context"]?.string else {
            throw BrowserError("Firefox has no window of its own.")
        }
        let result = try await connection.call("script.evaluate") { writer in
            writer.member("expression", FirefoxBrowser.forgetScript)
            writer.member("target", object: { $0.member("context", id) })
            writer.member("awaitPromise", true)
        }
        guard result["type"]?.string == "success", result["result"]?["value"]?.number == 0 else {
            throw BrowserError("Firefox did not clear what pages have left: \(result.summary)")
        }
    }

    private static let forgetScript = """
        // The value has a bit for each kind of data that could not be deleted.
        new Promise((resolve) => {
          Services.clipboard.emptyClipboard(Services.clipboard.kGlobalClipboard)
          Services.clearData.deleteData(Ci.nsIClearDataService.CLEAR_ALL, { onDataDeleted: resolve })
        })
        """

    /// The documents of Firefox itself, in which scripts have its rights: one for each window.
    private func ownDocuments() async throws -> [JSON] {
        let tree = try await connection.call("browsingContext.getTree") { writer in
            writer.member("maxDepth", 0)
            writer.member("moz:scope", "chrome")
        }
        return tree["contexts"]?.elements ?? []
    }

    /// Takes a picture with so many pixels a point, by a script with Firefox's own rights. BiDi takes it with all pixels of
    /// the screen: nine a point for a phone, which takes five times as long (200 ms instead of 40).
    /// - Returns: the PNG in base64; nil if Firefox gives no such rights, or the window has several tabs.
    func picture(of window: FirefoxContext, scale: Double) async -> String? {
        guard options.isRenewable, let part = await window.shownPart() else { return nil }
        let tree = try? await connection.call("browsingContext.getTree") { $0.member("maxDepth", 0) }
        let contexts = tree?["contexts"]?.elements ?? []
        guard let number = contexts.first(where: { $0["context"]?.string == window.id })?["clientWindow"]?.string,
            contexts.count(where: { $0["clientWindow"]?.string == number }) == 1,
            let own = try? await ownDocuments().first(where: { $0["clientWindow"]?.string == number }),
            let id = own["context"]?.string
        else { return nil }
        let result = try? await connection.call("script.callFunction") { writer in
            writer.member("functionDeclaration", FirefoxBrowser.pictureScript)
            writer.member("arguments", [LocalValue.text(part), .text("\(scale)")])
            writer.member("target", object: { $0.member("context", id) })
            writer.member("awaitPromise", true)
        }
        return result?["result"]?["value"]?.string
    }

    private static let pictureScript = """
        async (part, scale) => {
          const [x, y, width, height, zoom] = JSON.parse(part)
          const document = gBrowser.selectedBrowser.browsingContext.currentWindowGlobal
          const image = await document.drawSnapshot(new DOMRect(x, y, width, height), scale * zoom, "white")
          const canvas = new OffscreenCanvas(image.width, image.height)
          canvas.getContext("2d").drawImage(image, 0, 0)
          image.close()
          const file = await canvas.convertToBlob()
          return new Uint8Array(await file.arrayBuffer()).toBase64()
        }
        """

    // MARK: Windows

    package func open(_ url: String?, in webView: DrivenWebView) async throws {
        webView.openWindow = { [weak self] in try await self?.open(nil, in: $0) }
        webView.closeWindow = { [weak self, weak webView] in webView.map { self?.close($0) } }
        let id = try await makeWindow()
        let window = contexts[id] ?? add(id, parent: nil, webView)
        window.webView = webView
        try await prepare(window, for: webView)
        if let url { window.load(url) } else { try await showEmptyDocument(in: window, webView) }
    }

    /// - Returns: the context of an empty window.
    private func makeWindow() async throws -> String {
        guard let spare = spares.popLast() else {
            let made = try await connection.call("browsingContext.create") { $0.member("type", "window") }
            return made["context"]?.string ?? ""
        }
        return spare
    }

    /// Loads the empty document again, because that which a window shows at first has no script of ours. As in WebKit, it
    /// has handlers, but runs no user scripts.
    private func showEmptyDocument(in window: FirefoxContext, _ webView: DrivenWebView) async throws {
        var settings = webView.settings
        settings.userScripts = []
        await scripts.install(settings, for: window.id, connection)
        try await connection.call("browsingContext.navigate") { writer in
            writer.member("context", window.id)
            writer.member("url", "about:blank")
            writer.member("wait", "interactive")
        }
        await scripts.install(webView.settings, for: window.id, connection)
    }

    func prepare(_ window: FirefoxContext, for webView: DrivenWebView) async throws {
        // The scripts of the first web view run in the windows that its pages open, too.
        if !webView.isPopup || scripts.isScoped {
            await scripts.install(webView.settings, for: window.id, connection)
        }
        if let userAgent = webView.userAgent(of: options.device?.userAgent ?? userAgent), userAgent != self.userAgent {
            try await connection.call("emulation.setUserAgentOverride") { writer in
                writer.member("userAgent", userAgent)
                // The first one applies to all windows, so that those which a page opens have it in their first request.
                if scripts.isScoped {
                    writer.member("contexts", [window.id])
                } else {
                    writer.member("userContexts", ["default"])
                }
            }
        }
        guard let size = screen.size else { return }
        show(size)
        // A hidden window never draws, so only the first one is waited for.
        if contexts.count == 1 { await waitToShow(size, in: window.id) }
    }

    /// Changes the screen of all windows, as a user turns a phone. Later ones get it, too.
    func emulate(_ emulation: PageEmulation) {
        screen.change(emulation)
        if let size = screen.size { show(size) }
    }

    /// Makes Firefox lay out again what a window shows. If a page that is wider than the phone loads while the processor is
    /// busy, Firefox shows it smaller, but looks for the target of a tap as if it did not.
    /// - Parameter window: its context.
    func correctZoom(in window: String) async {
        guard screen.device != nil, let size = screen.size else { return }
        await waitToShow(PageEmulation.Size(width: size.width, height: size.height - 1), in: window)
        await waitToShow(size, in: window)
    }

    /// Firefox 153 does it at once, but answers only when the windows draw, which a hidden one may never do. It did not
    /// answer at all for all windows (29 November 2026, headless).
    /// - Parameter window: the context of a window; nil for all windows, and later ones.
    private func show(
        _ size: PageEmulation.Size, in window: String? = nil, completion: BrowserCommands.Completion? = nil
    ) {
        let write: (inout JSONWriter) -> Void = { [scale = screen.device?.scale] writer in
            writer.member(
                "viewport",
                object: { writer in
                    writer.member("width", size.width)
                    writer.member("height", size.height)
                })
            if let scale { writer.member("devicePixelRatio", scale) }
            if let window { writer.member("context", window) } else { writer.member("userContexts", ["default"]) }
        }
        connection.send("browsingContext.setViewport", write, completion: completion)
    }

    private func waitToShow(_ size: PageEmulation.Size, in window: String) async {
        await withCheckedContinuation { continuation in
            let once = Once<Void> { continuation.resume() }
            show(size, in: window) { _ in once(()) }
            Task {
                try? await Task.sleep(for: .seconds(1))
                once(())
            }
        }
    }

    private func add(_ id: String, parent: String?, _ webView: DrivenWebView?) -> FirefoxContext {
        let context = FirefoxContext(id: id, parent: parent.flatMap { contexts[$0] }, webView: webView, browser: self)
        contexts[id] = context
        return context
    }

    // MARK: Events

    func handle(_ event: BrowserEvent) {
        let params = event.params
        switch event.method {
        case "network.authRequired": return challenged(params)
        case "network.responseCompleted", "network.fetchError":
            let fault = pausedRequests.takeApplied(to: params["request"]?["request"]?.string ?? "")
            // The record of a request needs a page, which a closed window no longer has.
            guard let context = contexts[params["context"]?.string ?? ""] else { return }
            if let opening = context.window.opening { return opening.hold(event) }
            return requestFinished(params, fault, in: context)
        case "script.message": return message(params)
        case "script.realmDestroyed": return realmDestroyed(params["realm"]?.string ?? "")
        case "browsingContext.contextCreated": return contextCreated(params)
        case "browsingContext.contextDestroyed": return contextDestroyed(params["context"]?.string ?? "")
        default: break
        }
        guard let context = contexts[params["context"]?.string ?? ""] else { return letGo(event, nil) }
        if let opening = context.window.opening { return opening.hold(event) }
        switch event.method {
        case "script.realmCreated": realmCreated(params, in: context)
        case "browsingContext.userPromptOpened": context.dialogOpened(params)
        case "input.fileDialogOpened": context.openPanelOpened(params)
        case "browsingContext.navigationStarted": context.loadStarted(params)
        case "browsingContext.navigationCommitted": context.loadCommitted(params)
        case "network.beforeRequestSent", "network.responseStarted": requestPaused(event, in: context)
        default: break
        }
    }

    private func contextCreated(_ params: JSON) {
        guard let id = params["context"]?.string, contexts[id] == nil else { return }
        if let parent = params["parent"]?.string {
            _ = add(id, parent: parent, contexts[parent]?.webView)
        } else if let opener = params["originalOpener"]?.string {
            windowOpened(id, by: contexts[opener])
        } else {
            _ = add(id, parent: nil, nil)
        }
    }

    /// A page has opened a window.
    /// - Parameter opener: nil if its window was closed already. Then no page can ask native code about the new one.
    private func windowOpened(_ id: String, by opener: FirefoxContext?) {
        let context = add(id, parent: nil, nil)
        guard let opener else { return closeContext(id) }
        guard opener.webView != nil || opener.window.opening != nil else { return }
        context.opening = FirefoxOpening(context, openedBy: opener.window.opening == nil ? opener : opener.window)
    }

    private func contextDestroyed(_ id: String) {
        guard let context = contexts.removeValue(forKey: id) else { return }
        spares.removeAll { $0 == id }
        context.end()
        scripts.forget(id, connection)
        for child in contexts.values.filter({ $0.parent === context }).map(\.id).sorted() { contextDestroyed(child) }
        // A window without a web view may be one of an earlier session, which has nothing to do with this one.
        let isLast = !contexts.values.contains { $0.isWindow && $0.webView?.isOpenedByApp == false }
        if isLast, context.webView != nil {
            process.windowsClosed()
        }
    }

    private func realmCreated(_ params: JSON, in context: FirefoxContext) {
        guard let id = params["realm"]?.string, params["type"]?.string == "window" else { return }
        // That of Firefox's own viewer of JSON is its own; the document has that of its URL.
        let origin = params["origin"]?.string.flatMap { $0.hasPrefix("resource:") ? nil : $0 }
        for params in realms.add(id, context.add(realm: id, world: params["sandbox"]?.string, origin: origin)) {
            message(params)
        }
    }

    private func realmDestroyed(_ id: String) {
        for context in contexts.values { context.opening?.forget(realm: id) }
        guard let realm = realms.remove(id), realm.name == nil else { return }
        (realm.document.frame as? FirefoxContext)?.lost(realm)
    }

    private func message(_ params: JSON) {
        guard let id = params["source"]?["realm"]?.string else { return }
        switch realms.receiver(of: params, from: id) {
        case .world(let realm): message(params, from: realm)
        case .none: break
        case .refused:
            contexts.sorted { $0.key < $1.key }.lazy.compactMap(\.value.webView).first?.report(
                "A message of Firefox was dropped: too many came from documents that it has not announced.")
        }
    }

    private func message(_ params: JSON, from realm: ScriptWorld) {
        let (channel, data) = (params["channel"]?.string, params["data"])
        if channel == FirefoxScripts.expose {
            if let handle = data?["handle"]?.string { realm.setBridge(handle) }
        } else if let text = data?["value"]?.string {
            let context = realm.document.frame as? FirefoxContext
            if channel == FirefoxScripts.act {
                context?.acted(text)
            } else {
                context?.receive(DrivenLine.read(text, world: realm.name), from: realm)
            }
        }
    }

    // MARK: The end

    private func letGo(_ reason: String) {
        for (_, context) in contexts.sorted(by: { $0.key < $1.key }) { context.end() }
        contexts = [:]
        realms = FirefoxRealms()
        output?.end(reason)
        connection.end(reason)
    }
}

/// How windows are closed.
extension FirefoxBrowser {
    package func close(_ webView: DrivenWebView) {
        for (id, context) in contexts.sorted(by: { $0.key < $1.key })
        where context.webView === webView && context.parent == nil {
            if keepsWindow(of: webView) { Task { await empty(id) } } else { closeContext(id) }
        }
    }

    private func closeContext(_ id: String) { connection.send("browsingContext.close") { $0.member("context", id) } }

    /// Whether the window of a web view stays for the next one. A user would see the empty window, and the process ends
    /// with the last web view. A popup is a tab in the window of the page that has opened it.
    private func keepsWindow(of webView: DrivenWebView) -> Bool {
        let windows = contexts.values.filter(\.isWindow)
        return options.isHeadless && spares.count < FirefoxBrowser.mostSpares
            && !windows.contains { $0.opening != nil || $0.webView?.isPopup == true }
            && windows.contains { $0.webView.map { $0 !== webView && !$0.isOpenedByApp } ?? false }
    }

    private static let mostSpares = 4

    /// Replaces the tab of a window by an empty one, for the next web view. Firefox 153 keeps 9 MB for each window that was
    /// closed, and takes longer for each new one.
    private func empty(_ id: String) async {
        // Firefox closes a window with its last tab, so the new one comes first.
        let made = try? await connection.call("browsingContext.create") { writer in
            writer.member("type", "tab")
            writer.member("referenceContext", id)
            writer.member("background", true)
        }
        closeContext(id)
        if let spare = made?["context"]?.string { spares.append(spare) }
    }
}

/// The requests of Firefox, which belong to its windows and frames.
extension FirefoxBrowser {
    func requestFinished(_ params: JSON, _ fault: RequestFault?, in context: FirefoxContext) {
        if let error = params["errorText"]?.string { context.loadFailed(fault?.error ?? error, params) }
        guard let request = FinishedRequest(firefox: params, fault: fault?.id) else { return }
        context.webView?.tell(request, from: context.document?.page)
    }

    /// A request of a document waits for native code. All others go on at once.
    func requestPaused(_ event: BrowserEvent, in context: FirefoxContext) {
        let params = event.params
        guard params["isBlocked"]?.bool == true, let id = params["request"]?["request"]?.string else { return }
        guard params["navigation"]?.string != nil else { return letGo(event, context.webView) }
        if event.method == "network.beforeRequestSent" {
            context.requestPaused(id, params)
        } else {
            context.responsePaused(id, params)
        }
    }

    func letGo(_ event: BrowserEvent, _ webView: DrivenWebView?) {
        let request = event.params["request"]
        guard event.params["isBlocked"]?.bool == true, let id = request?["request"]?.string else { return }
        if event.method == "network.beforeRequestSent" {
            pausedRequests.proceed(id, to: request?["url"]?.string ?? "", in: webView)
        } else {
            pausedRequests.proceedWithResponse(id)
        }
    }
}

/// Servers that ask for a user name and a password.
extension FirefoxBrowser {
    func challenged(_ params: JSON) {
        guard params["isBlocked"]?.bool == true, let id = params["request"]?["request"]?.string else { return }
        guard let context = contexts[params["context"]?.string ?? ""], context.asksAboutDialogs,
            let webView = context.webView
        else { return answerChallenge(id, options.isHeadless ? "cancel" : "default") }
        let url = params["request"]?["url"]?.string.flatMap { URLComponents(string: $0) }
        let first = params["response"]?["authChallenges"]?.elements.first
        let challenge = AuthenticationChallenge(
            host: url?.host ?? "", port: url?.port, scheme: first?["scheme"]?.string ?? "",
            realm: first?["realm"]?.string ?? "")
        let page = context.page.flatMap { $0.hasLeft ? nil : $0 }
        challenges.ask(challenge, of: id, page, in: webView) { [weak self] credentials in
            self?.answerChallenge(id, credentials == nil ? "cancel" : "provideCredentials", credentials)
        }
    }

    private func answerChallenge(
        _ request: String, _ action: String, _ credentials: (user: String, password: String)? = nil
    ) {
        connection.send("network.continueWithAuth") { writer in
            writer.member("request", request)
            writer.member("action", action)
            guard let (user, password) = credentials else { return }
            writer.member(
                "credentials",
                object: { writer in
                    writer.member("type", "password")
                    writer.member("username", user)
                    writer.member("password", password)
                })
        }
    }
}
