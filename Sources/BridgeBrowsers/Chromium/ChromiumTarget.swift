import BridgeProtocol

/// A window of Chromium, or a frame of it that has a process of its own, with one DevTools session.
@MainActor final class ChromiumTarget {
    let session: String
    /// The browser forgets its targets when it ends.
    let browser: ChromiumBrowser
    private(set) var webView: DrivenWebView?
    /// Whether this is a window, and not a frame.
    private(set) var isWindow = false
    private var mainFrame = ""
    /// The documents' global objects, by the numbers that Chromium gives them.
    private var worlds: [Int: ScriptWorld] = [:]
    private(set) var frames: [String: ChromiumFrame] = [:]
    /// The settings in the installed scripts, and Chromium's names of those scripts.
    private var installed: WebViewSettings?
    private var scriptIDs: [String] = []
    /// The documents that native code gives to the next request of a frame.
    private var given: [String: (url: String, html: String)] = [:]
    /// The navigations that scripts and the user have asked for, by frame.
    private var requested: [String: (url: String, type: String)] = [:]
    /// The windows that pages of this one open, the oldest first, until Chromium has announced them.
    private var opening: [String] = []
    /// The documents that native code gives to the next about:blank of a frame, which makes no request.
    private var givenToBlank: [String: String] = [:]

    var requests = ChromiumRequests()
    /// The requests whose responses have to be lost.
    var cut: Set<String> = []

    init(session: String, browser: ChromiumBrowser) {
        self.session = session
        self.browser = browser
    }

    var mainDocument: DrivenDocument? { frames[mainFrame]?.document }
    var mainPage: DrivenPage? { mainDocument?.page }

    func shows(_ target: String) -> Bool { mainFrame == target }

    // MARK: Commands

    func send(
        _ method: String, _ params: (inout JSONWriter) -> Void = { _ in },
        completion: ((Result<JSON, BrowserError>) -> Void)? = nil
    ) {
        browser.pipe.send(method, in: session, params, completion: completion)
    }

    func call(_ method: String, _ params: (inout JSONWriter) -> Void = { _ in }) async throws -> JSON {
        try await browser.pipe.call(method, in: session, params)
    }

    // MARK: Beginning

    /// Prepares the window for a web view, and lets its first document go on. Chromium handles the commands in order.
    /// - Parameters:
    ///   - webView: nil leaves the window alone.
    ///   - loads: whether the window loads a page at once, so that its empty document does not count.
    func begin(_ webView: DrivenWebView?, loads: Bool = false) {
        self.webView = webView
        guard let webView else { return resume() }
        send("Page.enable")
        send("Network.enable")
        send("Page.getFrameTree", completion: { [weak self] in self?.identify($0) })
        send("Page.setLifecycleEventsEnabled") { $0.member("enabled", true) }
        send("Runtime.enable")
        send("Runtime.addBinding") { $0.member("name", browser.bindingName) }
        install(webView.settings)
        if !loads { prepareEmptyDocument(webView.settings) }
        emulate(webView)
        if !webView.settings.allowsContentScripts {
            send("Emulation.setScriptExecutionDisabled") { $0.member("value", true) }
        }
        pauseRequests()
        interceptOpenPanels(asksAboutDialogs)
        send("Target.setAutoAttach") { writer in
            writer.member("autoAttach", true)
            writer.member("waitForDebuggerOnStart", true)
            writer.member("flatten", true)
            writer.member("filter", [TargetFilter(type: "iframe")])
        }
        resume()
    }

    func resume() { send("Runtime.runIfWaitingForDebugger") }

    /// Whether native code answers dialogs, and not the user. A browser without a window has no user.
    var asksAboutDialogs: Bool { browser.options.isHeadless || webView?.settings.answersDialogs == true }

    private func identify(_ result: Result<JSON, BrowserError>) {
        guard case .success(let json) = result, let frame = json["frameTree"]?["frame"] else { return }
        mainFrame = frame["id"]?.string ?? ""
        isWindow = frame["parentId"] == nil
    }

    private func emulate(_ webView: DrivenWebView) {
        let device = browser.options.device
        if let userAgent = webView.userAgent(of: device?.userAgent ?? browser.userAgent), userAgent != browser.userAgent
        {
            send("Emulation.setUserAgentOverride") { $0.member("userAgent", userAgent) }
        }
        guard let device else { return }
        send("Emulation.setDeviceMetricsOverride") { writer in
            writer.member("width", device.width)
            writer.member("height", device.height)
            writer.member("deviceScaleFactor", device.scale)
            writer.member("mobile", true)
        }
        send("Emulation.setTouchEmulationEnabled") { $0.member("enabled", true) }
    }

    /// The empty document of a new window exists already. As in WebKit, it has handlers, but runs no user scripts.
    private func prepareEmptyDocument(
        _ settings: WebViewSettings, completion: BrowserCommands.Completion? = nil
    ) {
        var settings = settings
        settings.userScripts = []
        let source = source(settings, world: nil)
        send("Runtime.evaluate", { $0.member("expression", source) }, completion: completion)
    }

    /// Calls `use` with the page of the main frame. A window whose first load has failed shows its empty document.
    func withMainPage(_ use: @escaping (DrivenPage?) -> Void) {
        guard mainPage == nil, let webView else { return use(mainPage) }
        prepareEmptyDocument(webView.settings) { [weak self] _ in use(self?.mainPage) }
    }

    /// Installs the script for new documents in all worlds, instead of the one that is installed.
    func install(_ settings: WebViewSettings) {
        guard settings != installed else { return }
        if let installed, installed.faults != settings.faults { pauseRequests() }
        if let installed, installed.answersDialogs != settings.answersDialogs { interceptOpenPanels(asksAboutDialogs) }
        installed = settings
        for id in scriptIDs { send("Page.removeScriptToEvaluateOnNewDocument") { $0.member("identifier", id) } }
        scriptIDs = []
        for world in settings.worlds {
            send(
                "Page.addScriptToEvaluateOnNewDocument",
                { writer in
                    writer.member("source", source(settings, world: world))
                    if let world { writer.member("worldName", world) }
                },
                completion: { [weak self] result in
                    if case .success(let json) = result, let id = json["identifier"]?.string {
                        self?.scriptIDs.append(id)
                    }
                })
        }
    }

    /// The script for one world. It does nothing in a document that has it already.
    func source(_ settings: WebViewSettings, world: String?) -> String {
        let name = browser.bindingName
        let script = browser.script.source(
            settings, world: world, send: "send", expose: "(bridge) => console.debug(\"\(name)\", bridge)")
        return "{ const send = globalThis.\(name); if (send) { delete globalThis.\(name); \(script) } }"
    }

    func load(_ url: String) async throws {
        frames[mainFrame]?.document?.expectLeaving(by: "push")
        let result = try await call("Page.navigate") { $0.member("url", url) }
        if let text = result["errorText"]?.string { navigationFailed(url, text, mainPage) }
    }

    func isMainFrame(_ frame: String) -> Bool { frame == mainFrame }

    func giveDocument(_ html: String, for url: String, _ frame: String) { given[frame] = (url, html) }

    func giveBlankDocument(_ html: String, _ frame: String) { givenToBlank[frame] = html }

    func expect(_ type: String, of url: String, _ frame: String) { requested[frame] = (url, type) }

    /// The type of the navigation that has asked for a URL, once.
    func takeType(of url: String, _ frame: String) -> String? {
        guard let last = requested.removeValue(forKey: frame), last.url == url else { return nil }
        return last.type
    }

    /// The URL of the window that a page has opened.
    func takeOpening() -> String { opening.isEmpty ? "" : opening.removeFirst() }

    /// The document that native code has given for a URL, once. A fragment is no part of a request.
    func takeDocument(for url: String, _ frame: String) -> String? {
        guard let next = given[frame], next.url.prefix(while: { $0 != "#" }) == url.prefix(while: { $0 != "#" }) else {
            return nil
        }
        given[frame] = nil
        return next.html
    }

    // MARK: Events

    func handle(_ event: BrowserEvent) {
        let params = event.params
        switch event.method {
        case "Runtime.bindingCalled": bindingCalled(params)
        case "Runtime.consoleAPICalled": consoleCalled(params)
        case "Runtime.executionContextCreated": if let json = params["context"] { contextCreated(json) }
        case "Runtime.executionContextDestroyed": contextDestroyed(params["executionContextId"]?.wholeNumber ?? 0)
        case "Runtime.executionContextsCleared": for id in worlds.keys.sorted() { contextDestroyed(id) }
        case "Page.javascriptDialogOpening": dialogOpening(params)
        case "Fetch.requestPaused": requestPaused(params)
        case "Page.frameRequestedNavigation": navigationRequested(params)
        case "Page.windowOpen": opening.append(params["url"]?.string ?? "")
        case "Page.frameNavigated": frameNavigated(params["frame"] ?? .null)
        case "Page.navigatedWithinDocument": if isMainFrame(params["frameId"]?.string ?? "") { tellHistory() }
        case "Page.fileChooserOpened": openPanelOpened(params)
        case "Page.lifecycleEvent":
            guard ["DOMContentLoaded", "load"].contains(params["name"]?.string) else { break }
            frames[params["frameId"]?.string ?? ""]?.document?.advance()
            // The document may have introduced itself only now.
            if isMainFrame(params["frameId"]?.string ?? "") { tellHistory() }
        case "Page.frameDetached": frames[params["frameId"]?.string ?? ""] = nil
        case "Inspector.targetCrashed":
            webView?.report("The web process of \(webView?.name ?? "a window") has crashed.")
            endDocuments()
        default:
            for (frame, request) in requests.handle(event.method, params) {
                webView?.tell(request, from: frames[frame]?.document?.page ?? mainPage)
            }
        }
    }

    private func frameNavigated(_ frame: JSON) {
        let id = frame["id"]?.string ?? ""
        if isMainFrame(id) { tellHistory() }
        // Chromium's own error page is no page of the app.
        if frame["unreachableUrl"] != nil, isMainFrame(id) {
            return send("Page.navigate") { $0.member("url", "about:blank") }
        }
        guard frame["url"]?.string == "about:blank", let html = givenToBlank.removeValue(forKey: id) else { return }
        send("Page.setDocumentContent") { writer in
            writer.member("frameId", id)
            writer.member("html", html)
        }
    }

    private func contextCreated(_ json: JSON) {
        let data = json["auxData"]
        guard let id = json["id"]?.wholeNumber, let frameID = data?["frameId"]?.string, let webView else { return }
        let isDefault = data?["isDefault"]?.bool == true
        guard isDefault || data?["type"]?.string == "isolated" else { return }
        let frame = frames[frameID] ?? ChromiumFrame(frameID, in: self)
        frames[frameID] = frame
        if isDefault { frame.document = DrivenDocument(in: frame, webView, after: frame.document) }
        guard let document = frame.document, !document.hasLeft else { return }
        worlds[id] = ScriptWorld(
            id: json["uniqueId"]?.string ?? "", name: isDefault ? nil : json["name"]?.string, document: document)
    }

    private func contextDestroyed(_ id: Int) {
        guard let world = worlds.removeValue(forKey: id), world.name == nil else { return }
        world.document.leave()
    }

    private func bindingCalled(_ params: JSON) {
        guard params["name"]?.string == browser.bindingName, let payload = params["payload"]?.string,
            let world = worlds[params["executionContextId"]?.wholeNumber ?? 0]
        else { return }
        world.receive(payload)
    }

    /// `web/driven.js` hands over its object as an argument of `console.debug`, which leaves no trace in the page.
    private func consoleCalled(_ params: JSON) {
        guard let arguments = params["args"]?.elements, arguments.count == 2,
            arguments[0]["value"]?.string == browser.bindingName, let bridge = arguments[1]["objectId"]?.string
        else { return }
        worlds[params["executionContextId"]?.wholeNumber ?? 0]?.setBridge(bridge)
    }

    // MARK: The end

    private func endDocuments() {
        for (_, frame) in frames.sorted(by: { $0.key < $1.key }) { frame.document?.leave() }
        worlds = [:]
    }

    func end() {
        endDocuments()
        frames = [:]
    }
}
