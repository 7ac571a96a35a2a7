import BridgeProtocol

/// A window of Chromium, or a frame of it that has a process of its own, with one DevTools session.
///
/// It hands the session's events to those whose they are: each feature is a member with state of its own.
@MainActor final class ChromiumTarget {
    let session: ChromiumSession
    /// The browser forgets its targets when it ends.
    let browser: ChromiumBrowser
    let frames = ChromiumFrames()
    let network: ChromiumNetwork
    let dialogs: ChromiumDialogs
    let scripts: ChromiumScripts
    let loads: ChromiumLoads
    let asyncCalls = AsyncCalls()
    /// Those of the window, also for a frame in a process of its own.
    let turns: ChromiumTurns
    private var popups = ChromiumPopups()
    /// The documents' global objects, by the numbers that Chromium gives them.
    private(set) var worlds: [Int: ScriptWorld] = [:]
    /// The content worlds of which Chromium has told before the documents that they belong to, as it does if a document comes
    /// back from its cache.
    private var earlyWorlds: [JSON] = []

    /// - Parameter parent: the target of the document that has the frame; nil for a window.
    init(session: String, browser: ChromiumBrowser, frameOf parent: ChromiumTarget? = nil) {
        self.session = ChromiumSession(id: session, pipe: browser.pipe)
        self.browser = browser
        turns = parent?.turns ?? ChromiumTurns()
        network = ChromiumNetwork(self.session, frames)
        dialogs = ChromiumDialogs(self.session, frames, hasUser: !browser.options.isHeadless)
        scripts = ChromiumScripts(self.session, browser.script)
        loads = ChromiumLoads(self.session, frames, network, scripts)
    }

    var webView: DrivenWebView? { frames.webView }

    // MARK: Beginning

    /// Prepares the window for a web view, and lets its first document go on. Chromium handles the commands in order.
    /// - Parameters:
    ///   - webView: nil leaves the window alone.
    ///   - loads: whether the window loads a page at once.
    ///   - opener: the window whose page has opened this one.
    func begin(_ webView: DrivenWebView?, loads loadsAtOnce: Bool = false, openedBy opener: ChromiumTarget? = nil) {
        frames.attach(to: webView)
        loads.begin(loadsAtOnce: loadsAtOnce, openedBy: opener?.frames)
        guard let webView else { return resume() }
        session.send("Page.enable")
        session.send("Network.enable")
        session.send("Page.getFrameTree", completion: { [frames] in frames.identify($0) })
        session.send("Page.setLifecycleEventsEnabled") { $0.member("enabled", true) }
        session.send("Runtime.enable")
        scripts.install(webView.settings)
        if !loadsAtOnce { scripts.prepareEmptyDocument(webView.settings) }
        emulate(webView)
        if !webView.settings.allowsContentScripts {
            session.send("Emulation.setScriptExecutionDisabled") { $0.member("value", true) }
        }
        network.pause()
        dialogs.interceptOpenPanels()
        session.send("Target.setAutoAttach") { writer in
            writer.member("autoAttach", true)
            writer.member("waitForDebuggerOnStart", true)
            writer.member("flatten", true)
            writer.member("filter", [["type": "iframe"] as JSONValue])
        }
        resume()
    }

    func resume() { session.send("Runtime.runIfWaitingForDebugger") }

    private func emulate(_ webView: DrivenWebView) {
        let device = browser.options.device
        if let userAgent = webView.userAgent(of: device?.userAgent ?? browser.userAgent), userAgent != browser.userAgent
        {
            session.send("Emulation.setUserAgentOverride") { $0.member("userAgent", userAgent) }
        }
        for (method, params) in commands(for: browser.screen) { session.send(method, params) }
        if device != nil { session.send("Emulation.setTouchEmulationEnabled") { $0.member("enabled", true) } }
    }

    /// Changes the screen of the window, and waits until Chromium has done so.
    func show(on screen: EmulatedScreen) async throws {
        try await turns.take { [self] in
            for (method, params) in commands(for: screen) { try await session.call(method, params) }
        }
    }

    private func commands(for screen: EmulatedScreen) -> [(method: String, params: (inout JSONWriter) -> Void)] {
        var commands: [(method: String, params: (inout JSONWriter) -> Void)] = []
        if let size = screen.size {
            commands.append(
                (
                    "Emulation.setDeviceMetricsOverride",
                    { writer in
                        writer.member("width", size.width)
                        writer.member("height", size.height)
                        // 0 is the scale of the window.
                        writer.member("deviceScaleFactor", screen.device?.scale ?? 0)
                        writer.member("mobile", screen.device != nil)
                    }
                ))
        }
        if let colorScheme = screen.colorScheme {
            let feature: JSONValue = ["name": "prefers-color-scheme", "value": .string(colorScheme.rawValue)]
            commands.append(
                ("Emulation.setEmulatedMedia", { $0.member("features", JSONValue.array([feature])) }))
        }
        return commands
    }

    /// Installs what has changed in the settings of the web view.
    func install(_ settings: WebViewSettings) {
        if let installed = scripts.settings {
            if installed.faults != settings.faults { network.pause() }
            if installed.answersDialogs != settings.answersDialogs { dialogs.interceptOpenPanels() }
        }
        scripts.install(settings)
    }

    // MARK: Events

    func handle(_ event: BrowserEvent) {
        let params = event.params
        let frame = params["frameId"]?.string ?? ""
        switch event.method {
        case "Runtime.bindingCalled":
            if let world = world(params), let action = scripts.bindingCalled(params, in: world) {
                popups.note(action, frames.limits)
            }
        case "Runtime.consoleAPICalled": if let world = world(params) { scripts.consoleCalled(params, in: world) }
        case "Runtime.executionContextCreated": if let json = params["context"] { contextCreated(json) }
        case "Runtime.executionContextDestroyed": contextDestroyed(params["executionContextId"]?.wholeNumber ?? 0)
        case "Runtime.executionContextsCleared":
            earlyWorlds = []
            for id in worlds.keys.sorted() { contextDestroyed(id) }
        case "Page.javascriptDialogOpening": dialogs.dialogOpened(params)
        case "Page.fileChooserOpened": dialogs.openPanelOpened(params)
        case "Fetch.authRequired": dialogs.challenged(params)
        case "Fetch.requestPaused": loads.requestPaused(params)
        case "Page.frameScheduledNavigation": loads.navigationScheduled(params)
        case "Page.frameRequestedNavigation":
            guard let window = loads.navigationRequested(params) else { break }
            popups.expect(window.url, window.type, frames.limits)
            // No other event names the window's opener.
            browser.expectWindow(openedBy: self)
        case "Page.frameClearedScheduledNavigation": loads.navigationCleared(params)
        case "Page.windowOpen": popups.expect(params["url"]?.string ?? "", nil, frames.limits)
        case "Page.frameNavigated": frameNavigated(params["frame"] ?? .null)
        case "Page.navigatedWithinDocument":
            frames[frame]?.url = params["url"]?.string ?? ""
            if frames.isMain(frame) { tellHistory() }
        case "Page.lifecycleEvent":
            guard ["DOMContentLoaded", "load"].contains(params["name"]?.string) else { break }
            frames[frame]?.document?.advance()
            // The document may have introduced itself only now.
            if frames.isMain(frame) { tellHistory() }
        case "Page.frameAttached": self.frame(frame).parent = params["parentFrameId"]?.string
        case "Page.frameDetached": forget(frame)
        case "Inspector.targetCrashed":
            loads.webProcessTerminated()
            endDocuments()
        default: network.handle(event)
        }
    }

    /// The URL of the window that a page has opened, and why it has done so.
    func takePopup() -> (url: String, type: String) { popups.take() }

    private func frame(_ id: String) -> ChromiumFrame {
        if let frame = frames[id] { return frame }
        let frame = ChromiumFrame(id, in: self)
        frames.add(frame)
        return frame
    }

    private func frameNavigated(_ frame: JSON) {
        let id = frame["id"]?.string ?? ""
        if frames.isMain(id) { tellHistory() }
        network.leave(id, for: frame["loaderId"]?.string)
        self.frame(id).url = (frame["url"]?.string ?? "") + (frame["urlFragment"]?.string ?? "")
        loads.shown(frame)
    }

    /// Tells the daemon the back/forward list of the window, after a document or a part of one was shown.
    private func tellHistory() {
        session.send(
            "Page.getNavigationHistory",
            completion: { [frames] result in
                guard case .success(let json) = result, let list = NavigationHistory(chromium: json) else { return }
                frames.mainFrame?.document?.withPage { $0?.tellHistory(list) }
            })
    }

    // MARK: Documents

    private func world(_ params: JSON) -> ScriptWorld? { worlds[params["executionContextId"]?.wholeNumber ?? 0] }

    /// - Parameter isRestored: whether the context comes back with its document, and has the script of the driver.
    private func contextCreated(_ json: JSON, isRestored: Bool = false) {
        let data = json["auxData"]
        guard let id = json["id"]?.wholeNumber, let frameID = data?["frameId"]?.string, let webView else { return }
        let isDefault = data?["isDefault"]?.bool == true
        guard isDefault || data?["type"]?.string == "isolated" else { return }
        let frame = frame(frameID)
        if isDefault {
            let left = frame.document
            frame.document = DrivenDocument(
                in: frame, webView, after: left, isAwaitingContent: loads.awaitsContent(frameID))
            if let left, left.hasUnheardListener { reportDeparture(of: left.currentURL, to: frame.document) }
        }
        guard let document = frame.document, !document.hasLeft else { return earlyWorlds.append(json) }
        if isDefault, frames.isMain(frameID) { loads.documentBegan(document) }
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
            scripts.start(inWorld: name, webView.settings, context: id)
        }
    }

    private func contextDestroyed(_ id: Int) {
        earlyWorlds.removeAll { $0["id"]?.wholeNumber == id }
        guard let world = worlds.removeValue(forKey: id), world.name == nil else { return }
        world.document.leave()
    }

    /// Before `pagehide`, Chromium moves its driver to the next document if that is in the history or of another site.
    private func reportDeparture(of url: String, to next: DrivenDocument?) {
        next?.withPage { page in
            page?.report(
                "departureLost",
                "What \(PageText.cut(url, to: 256)) has posted in pagehide, if anything, is lost: Chromium does not tell it to "
                    + "bridged if a page goes back or forward, or to another site. In WebKit and Firefox it arrives.")
        }
    }

    // MARK: The end

    /// A frame is gone. It and its document refer to each other.
    private func forget(_ frame: String) {
        network.leave(frame, for: nil)
        frames[frame]?.document = nil
        earlyWorlds.removeAll { $0["auxData"]?["frameId"]?.string == frame }
        loads.forget(frame)
        frames.remove(frame)
    }

    private func endDocuments() {
        for frame in frames.all { frame.document?.leave() }
        worlds = [:]
    }

    func end() {
        endDocuments()
        for frame in frames.all { forget(frame.id) }
    }
}

/// The windows that pages of a window open, until Chromium has announced them.
private struct ChromiumPopups {
    /// The oldest first.
    private var opening: [(url: String, type: String)] = []
    private var actions = PageActions()

    /// Notes what the user has done, for which a window may open.
    mutating func note(_ action: PageAction, _ limits: DriverLimits) { actions.note(action, limits) }

    /// Notes a window that a page opens.
    /// - Parameter type: why it does so; nil if only the user's actions tell.
    mutating func expect(_ url: String, _ type: String?, _ limits: DriverLimits) {
        let known = actions.takeType(of: url)
        opening = (opening + [(url, type ?? known ?? "other")]).suffix(limits.notes)
    }

    mutating func take() -> (url: String, type: String) { opening.isEmpty ? ("", "other") : opening.removeFirst() }
}

extension NavigationHistory {
    /// Reads the answer of `Page.getNavigationHistory`. A web view does not begin with an empty document in its list, as
    /// a window of Chromium does.
    fileprivate init?(chromium json: JSON) {
        guard let index = json["currentIndex"]?.wholeNumber else { return nil }
        let all =
            json["entries"]?.elements.map {
                Entry(url: $0["url"]?.string ?? "", title: $0["title"]?.string ?? "")
            } ?? []
        let isEmptyFirst = all.count > 1 && index > 0 && all.first?.url == "about:blank"
        self.init(entries: isEmptyFirst ? Array(all.dropFirst()) : all, index: isEmptyFirst ? index - 1 : index)
        guard entries.indices.contains(self.index) else { return nil }
    }
}
