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
    var worlds: [Int: ScriptWorld] = [:]
    /// The content worlds of which Chromium has told before the documents that they belong to, as it does if a document comes
    /// back from its cache.
    private var earlyWorlds: [JSON] = []
    private(set) var frames: [String: ChromiumFrame] = [:]
    /// The settings in the installed scripts, and Chromium's names of those scripts.
    var installed: WebViewSettings?
    var scriptIDs: [String] = []
    var installCount = 0
    /// The names of the functions that `web/driven.js` takes and removes, by world; "" is the page's own. No page can
    /// guess one.
    var bindings: [String: String] = [:]
    /// The window whose page has opened this one.
    weak var opener: ChromiumTarget?
    /// Whether the window loads a page at once, so that its empty document does not count.
    private var loadsAtOnce = false
    private(set) var hasShownPage = false
    var hasCrashed = false
    let nextPage = NextPage()
    /// The documents that native code gives to the next request of a frame.
    private var given: [String: (url: String, html: String)] = [:]
    /// The navigations that scripts and the user have asked for, by frame.
    private var requested: [String: (url: String, type: String)] = [:]
    /// The frames whose last request for a document was that of a form.
    var formFrames: Set<String> = []
    /// The document in a `data:` URL that a page wants to load in the main frame, if Chromium has not gone on to do so.
    var scheduledDocument: (url: String, type: String)?
    /// The windows that pages of this one open, the oldest first, until Chromium has announced them.
    private var opening: [(url: String, type: String)] = []
    /// What the user has done since the last window opened.
    private var actions: [PageAction] = []
    /// The URL of the window's first load, about which native code was asked before the window opened.
    private var decidedURL: String?
    /// The documents that native code gives to the next about:blank of a frame, which makes no request, until Chromium has
    /// written them.
    private var givenToBlank: [String: (html: String, isSent: Bool)] = [:]

    let asyncCalls = AsyncCalls()
    var requests = ChromiumRequests()
    /// The requests whose responses have to be lost, by the ids of the domain `Network`.
    var cut: Set<String> = []
    /// The requests whose servers have asked for a password, the latest ones.
    var authenticated: [String] = []

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
    ///   - loads: whether the window loads a page at once.
    func begin(_ webView: DrivenWebView?, loads: Bool = false) {
        (self.webView, loadsAtOnce) = (webView, loads)
        guard let webView else { return resume() }
        send("Page.enable")
        send("Network.enable")
        send("Page.getFrameTree", completion: { [weak self] in self?.identify($0) })
        send("Page.setLifecycleEventsEnabled") { $0.member("enabled", true) }
        send("Runtime.enable")
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

    /// Begins to load a page.
    /// - Parameter completion: gets Chromium's answer, which comes when the page's server has answered, which may be never.
    func beginLoad(_ url: String, completion: @escaping (Result<JSON, BrowserError>) -> Void) {
        frames[mainFrame]?.document?.expectLeaving(by: "push")
        send(
            "Page.navigate",
            { writer in
                writer.member("url", url)
                writer.member("transitionType", ChromiumTarget.transition)
            },
            completion: { [weak self] result in
                if let self, let text = (try? result.get())?["errorText"]?.string {
                    navigationFailed(url, text, mainPage)
                }
                completion(result)
            })
    }

    /// Begins to load the first page of a window.
    func beginLoad(_ url: String) {
        beginLoad(url) { [weak self] result in
            guard let self else { return }
            switch result {
            // Such as a download, which is no error.
            case .success(let json) where json["errorText"] != nil && mainPage == nil:
                webView?.loadFailed(url, json["errorText"]?.string ?? "")
            case .success: break
            case .failure(let error): webView?.loadFailed(url, "\(error)")
            }
        }
    }

    /// Loads a document that native code gives, so that no server has to answer.
    func load(_ url: String) async throws {
        _ = try await withCheckedThrowingContinuation { continuation in
            beginLoad(url) { continuation.resume(with: $0) }
        }
    }

    /// The type of native code's navigations. An address that a user has typed gets a window without a past: Chromium lets
    /// go of the document before that has had its last events.
    static let transition = "link"

    func isMainFrame(_ frame: String) -> Bool { frame == mainFrame }

    /// The URL of what the window shows.
    var mainURL: String { frames[mainFrame]?.url ?? "" }

    func giveDocument(_ html: String, for url: String, _ frame: String) { given[frame] = (url, html) }

    func giveBlankDocument(_ html: String, _ frame: String) { givenToBlank[frame] = (html, isSent: false) }

    func expect(_ type: String, of url: String, _ frame: String) { requested[frame] = (url, type) }

    /// The type of the navigation that has asked for a URL, once.
    func takeType(of url: String, _ frame: String) -> String? {
        guard let last = requested.removeValue(forKey: frame), last.url == url else { return nil }
        return last.type
    }

    /// The URL of the window that a page has opened, and why it has done so.
    func takeOpening() -> (url: String, type: String) { opening.isEmpty ? ("", "other") : opening.removeFirst() }

    /// Notes a window that a page opens.
    func expectWindow(_ url: String, _ type: String? = nil) {
        let type = type ?? actions.last { $0.begins(url) }?.type ?? "other"
        actions = []
        opening = (opening + [(url, type)]).suffix(noteLimit)
    }

    /// Notes what the user has done. Only the latest actions can have opened a window.
    func note(_ action: PageAction) { actions = (actions + [action]).suffix(noteLimit) }

    /// Lets the first load of the window begin, which native code has allowed already.
    func allowFirstLoad(of url: String) { decidedURL = url }

    /// Whether a load is the first one, which native code has allowed already.
    func takeDecided(_ url: String) -> Bool { decidedURL.take().map { $0.isSameDocument(as: url) } ?? false }

    /// The document that native code has given for a URL, once. A fragment is no part of a request.
    func takeDocument(for url: String, _ frame: String) -> String? {
        guard let next = given[frame], next.url.isSameDocument(as: url) else { return nil }
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
        case "Runtime.executionContextsCleared":
            earlyWorlds = []
            for id in worlds.keys.sorted() { contextDestroyed(id) }
        case "Page.javascriptDialogOpening": dialogOpening(params)
        case "Fetch.requestPaused": requestPaused(params)
        case "Fetch.authRequired": challenged(params)
        case "Page.frameScheduledNavigation": navigationScheduled(params)
        case "Page.frameRequestedNavigation": navigationRequested(params)
        case "Page.frameClearedScheduledNavigation": navigationCleared(params)
        case "Page.windowOpen": expectWindow(params["url"]?.string ?? "")
        case "Page.frameNavigated": frameNavigated(params["frame"] ?? .null)
        case "Page.navigatedWithinDocument":
            frames[params["frameId"]?.string ?? ""]?.url = params["url"]?.string ?? ""
            if isMainFrame(params["frameId"]?.string ?? "") { tellHistory() }
        case "Page.fileChooserOpened": openPanelOpened(params)
        case "Page.lifecycleEvent":
            guard ["DOMContentLoaded", "load"].contains(params["name"]?.string) else { break }
            frames[params["frameId"]?.string ?? ""]?.document?.advance()
            // The document may have introduced itself only now.
            if isMainFrame(params["frameId"]?.string ?? "") { tellHistory() }
        case "Page.frameAttached": frame(params["frameId"]?.string ?? "").parent = params["parentFrameId"]?.string
        case "Page.frameDetached": forget(params["frameId"]?.string ?? "")
        case "Inspector.targetCrashed": webProcessTerminated()
        default:
            if ["Network.loadingFinished", "Network.loadingFailed"].contains(event.method) {
                cut.remove(params["requestId"]?.string ?? "")
            }
            tell(requests.handle(event.method, params))
        }
    }

    func tell(_ ended: [(frame: String, FinishedRequest)]) {
        for (frame, request) in ended { webView?.tell(request, from: frames[frame]?.document?.page ?? mainPage) }
    }

    private var noteLimit: Int { webView?.limits.notes ?? DriverLimits().notes }

    /// A frame is gone. It and its document refer to each other.
    func forget(_ frame: String) {
        tell(requests.leave(frame, for: nil))
        frames[frame]?.document = nil
        formFrames.remove(frame)
        earlyWorlds.removeAll { $0["auxData"]?["frameId"]?.string == frame }
        (frames[frame], given[frame], givenToBlank[frame], requested[frame]) = (nil, nil, nil, nil)
    }

    private func frame(_ id: String) -> ChromiumFrame {
        if let frame = frames[id] { return frame }
        let frame = ChromiumFrame(id, in: self)
        frames[id] = frame
        return frame
    }

    /// The page whose connection serves to ask native code about a load of a frame; nil if there is none.
    func pageToAsk(about frame: String) -> DrivenPage? {
        [frames[frame]?.document?.page, mainPage].compactMap(\.self).first { !$0.hasLeft }
    }

    /// Whether the window will show a page that can be asked. Its first load is the driver's own, and in a window that has
    /// crashed no page can have begun a load.
    var expectsPage: Bool { !hasCrashed && (!loadsAtOnce || frames[mainFrame]?.url.isEmpty == false) }

    private func frameNavigated(_ frame: JSON) {
        let id = frame["id"]?.string ?? ""
        if isMainFrame(id) { tellHistory() }
        tell(requests.leave(id, for: frame["loaderId"]?.string))
        self.frame(id).url = (frame["url"]?.string ?? "") + (frame["urlFragment"]?.string ?? "")
        // Chromium's own error page is no page of the app.
        if frame["unreachableUrl"] != nil, isMainFrame(id) {
            return send("Page.navigate") { $0.member("url", "about:blank") }
        }
        guard frame["url"]?.string == "about:blank", let given = givenToBlank[id], !given.isSent else { return }
        givenToBlank[id]?.isSent = true
        send(
            "Page.setDocumentContent",
            { writer in
                writer.member("frameId", id)
                writer.member("html", given.html)
            },
            completion: { [weak self] _ in
                self?.givenToBlank[id] = nil
                self?.frames[id]?.document?.contentIsWritten()
            })
    }

    /// - Parameter isRestored: whether the context comes back with its document, and has the script of the driver.
    private func contextCreated(_ json: JSON, isRestored: Bool = false) {
        let data = json["auxData"]
        guard let id = json["id"]?.wholeNumber, let frameID = data?["frameId"]?.string, let webView else { return }
        let isDefault = data?["isDefault"]?.bool == true
        guard isDefault || data?["type"]?.string == "isolated" else { return }
        let frame = frame(frameID)
        if isDefault {
            let left = frame.document
            frame.document = DrivenDocument(in: frame, webView, after: left)
            if let left, left.hasUnheardListener { reportDeparture(of: left.currentURL, to: frame.document) }
            frame.document?.isAwaitingContent = givenToBlank[frameID] != nil
        }
        guard let document = frame.document, !document.hasLeft else { return earlyWorlds.append(json) }
        if isDefault, isMainFrame(frameID) { begin(document) }
        // An opaque origin has this form here.
        let origin = json["origin"]?.string.map { $0 == "://" ? "null" : $0 }
        worlds[id] = ScriptWorld(
            id: json["uniqueId"]?.string ?? "", name: isDefault ? nil : json["name"]?.string, origin: origin,
            document: document)
        if isDefault {
            let early = earlyWorlds
            earlyWorlds = []
            for world in early { contextCreated(world, isRestored: true) }
        } else if !isRestored, let name = json["name"]?.string, !webView.settings.worlds.contains(name) {
            // Chromium makes the worlds of a frame again for its next document, and installs no script in those that were
            // made later than the document before.
            startDriver(inWorld: name, webView.settings, context: id)
        }
    }

    private func begin(_ document: DrivenDocument) {
        hasCrashed = false
        document.withPage { [weak self] page in
            guard let self, let page else { return }
            hasShownPage = true
            nextPage.shown(page)
        }
    }

    private func contextDestroyed(_ id: Int) {
        earlyWorlds.removeAll { $0["id"]?.wholeNumber == id }
        guard let world = worlds.removeValue(forKey: id), world.name == nil else { return }
        world.document.leave()
    }
}
