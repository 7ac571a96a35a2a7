import BridgeProcesses
import BridgeProtocol
import Foundation

/// Chromium, driven over the DevTools protocol (https://chromedevtools.github.io/devtools-protocol/) on a pipe.
@MainActor package final class ChromiumBrowser: DrivenBrowser {
    let pipe: DevToolsPipe
    let script: DrivenScript
    let options: LaunchOptions
    /// What each window imitates.
    private(set) var screen: EmulatedScreen
    /// The browser's own user agent.
    private(set) var userAgent = ""
    package let process: DrivenProcess
    private(set) var targets: [String: ChromiumTarget] = [:]
    /// The browser context of all windows, with cookies, storage, caches and permissions of its own; nil for Chromium's usual
    /// one. If the browser can be renewed, it has one.
    private(set) var browserContext: String?
    /// A window without a web view, which the first web view takes. It is at its first document, before the first script.
    private var spare: ChromiumTarget?
    /// The windows that Chromium has not opened yet, the oldest first.
    private var awaited:
        [(
            number: Int, begin: (ChromiumTarget) -> Void, opened: CheckedContinuation<ChromiumTarget, any Error>
        )] = []
    private var windowCount = 0

    /// The windows whose pages open one that Chromium announces without its opener, the oldest first.
    private var openers: [ChromiumTarget] = []

    init(_ executable: URL, _ options: LaunchOptions) throws {
        self.options = options
        screen = EmulatedScreen(options.device)
        script = try DrivenScript()
        process = try DrivenProcess(.chromium)
        let (input, output) = (Pipe.withoutInheritance(), Pipe.withoutInheritance())
        pipe = DevToolsPipe(input: input.fileHandleForWriting, output: output.fileHandleForReading)
        listen()
        var command = LaunchCommand.chromium(options, profile: process.profile, isDriven: true)
        command.arguments.append("about:blank")
        try process.run(executable, command, pipes: (input, output))
    }

    /// Takes the process of another browser, which is used no more.
    private init(of former: ChromiumBrowser) {
        (options, script, userAgent) = (former.options, former.script, former.userAgent)
        (process, pipe) = (former.process, former.pipe)
        screen = EmulatedScreen(options.device)
        listen()
    }

    private func listen() {
        pipe.onEvent = { [weak self] in self?.handle($0) }
        pipe.onEnd = { [weak self] in self?.process.connectionEnded() }
        process.onClose = { [weak self] in self?.letGo($0) }
    }

    package func start() async throws {
        let pipe = pipe
        let timeout = Task { [timeout = options.timeout] in
            try await Task.sleep(for: timeout)
            pipe.end("Chromium did not answer within \(timeout).")
        }
        defer { timeout.cancel() }
        let version = try await pipe.call("Browser.getVersion")
        try engine.check(version: version["product"]?.string)
        userAgent = version["userAgent"]?.string ?? ""
        // Chromium announces the windows that exist, and those that follow, and stops those before their first script.
        try await pipe.call("Target.setAutoAttach") { writer in
            writer.member("autoAttach", true)
            writer.member("waitForDebuggerOnStart", true)
            writer.member("flatten", true)
            writer.member("filter", [["type": "page"] as JSONValue])
        }
        if options.isRenewable { try await makeContext() }
    }

    private func makeContext() async throws {
        browserContext = try await pipe.call("Target.createBrowserContext")["browserContextId"]?.string
    }

    package func renewed() async throws -> any DrivenBrowser {
        guard let browserContext else { throw BrowserError("This Chromium keeps what its pages leave.") }
        endWindows("The windows of Chromium were closed.")
        // The windows go with their context.
        try await pipe.call("Target.disposeBrowserContext") { $0.member("browserContextId", browserContext) }
        let browser = ChromiumBrowser(of: self)
        try await browser.makeContext()
        browser.spare = try await browser.makeWindow { _ in }
        return browser
    }

    // MARK: Windows

    package func open(_ url: String?, in webView: DrivenWebView) async throws {
        webView.openWindow = { [weak self] in try await self?.open(nil, in: $0) }
        webView.closeWindow = { [weak self, weak webView] in webView.map { self?.close($0) } }
        let target: ChromiumTarget
        if let spare = spare.take() {
            spare.begin(webView, loads: url != nil)
            target = spare
        } else {
            target = try await makeWindow { $0.begin(webView, loads: url != nil) }
        }
        if let url { target.loads.loadFirst(url) }
    }

    /// Opens a window that is no web view: its pages are what they are in any browser. The browser ends without it.
    package func openBeside(_ url: String) async throws {
        try await makeWindow { $0.begin(nil, loads: true) }.loads.loadFirst(url)
    }

    /// Changes the screen of all web views, as a user turns a phone or changes its colours. Later ones get it, too.
    func emulate(_ emulation: PageEmulation) async throws {
        screen.change(emulation)
        for (_, target) in targets.sorted(by: { $0.key < $1.key }) where target.webView != nil && target.frames.isWindow
        {
            try await target.show(on: screen)
        }
    }

    /// - Parameter begin: is called before the window's first script.
    private func makeWindow(begin: @escaping (ChromiumTarget) -> Void) async throws -> ChromiumTarget {
        try await withCheckedThrowingContinuation { continuation in
            windowCount += 1
            awaited.append((windowCount, begin, continuation))
            Task { [weak self, number = windowCount] in
                try? await Task.sleep(for: BrowserCommands.limit)
                self?.windowMissing(number)
            }
            pipe.send("Target.createTarget") { writer in
                writer.member("url", "about:blank")
                writer.member("newWindow", true)
                writer.member("browserContextId", ifPresent: browserContext)
            }
        }
    }

    /// Ends the wait for a window.
    private func windowMissing(_ number: Int) {
        guard let place = awaited.firstIndex(where: { $0.number == number }) else { return }
        awaited.remove(at: place).opened.resume(
            throwing: BrowserError("Chromium opened no window within \(BrowserCommands.limit)."))
    }

    package func close(_ webView: DrivenWebView) {
        for (_, target) in targets.sorted(by: { $0.key < $1.key })
        where target.webView === webView && target.frames.isWindow {
            target.session.send("Page.close")
        }
    }

    private func handle(_ event: BrowserEvent) {
        switch event.method {
        case "Target.attachedToTarget": attached(event)
        case "Target.detachedFromTarget": detached(event.params["sessionId"]?.string ?? "")
        default: targets[event.session]?.handle(event)
        }
    }

    private func attached(_ event: BrowserEvent) {
        let info = event.params["targetInfo"]
        guard let session = event.params["sessionId"]?.string, let type = info?["type"]?.string else { return }
        let parent = targets[event.session]
        let target = ChromiumTarget(session: session, browser: self, frameOf: parent)
        // The window that Chromium has opened itself stays in the usual context, and keeps it alive.
        let isInOtherContext = info?["browserContextId"]?.string != browserContext
        if options.isRenewable, parent == nil, isInOtherContext { return target.resume() }
        targets[session] = target
        if let parent {
            // A frame in a process of its own.
            target.begin(parent.webView)
        } else if type != "page" {
            target.resume()
        } else if let opener = info?["openerId"]?.string,
            let opener = targets.values.first(where: { $0.frames.isMain(opener) })
        {
            windowOpened(target, info?["targetId"]?.string ?? "", by: opener)
        } else if !openers.isEmpty {
            windowOpened(target, info?["targetId"]?.string ?? "", by: openers.removeFirst())
        } else if !awaited.isEmpty {
            let (_, begin, opened) = awaited.removeFirst()
            begin(target)
            opened.resume(returning: target)
        } else {
            spare = target
        }
    }

    /// The next window without a named opener is one that a page of this window opens.
    func expectWindow(openedBy opener: ChromiumTarget) { openers.append(opener) }

    /// Asks native code about the first load of a window that a page opens, and then about the window.
    private func windowOpened(_ target: ChromiumTarget, _ id: String, by opener: ChromiumTarget) {
        // Taken even if the window is refused: otherwise the next window would get this one's URL.
        let (url, type) = opener.takePopup()
        guard let webView = opener.webView else { return target.begin(nil) }
        let refuse = { [weak self] () -> Void in self?.refuse(target, id) }
        guard let page = opener.frames.pageToAsk(about: "") else {
            webView.report("The window for \(PageText.cut(url, to: 200)) did not open, because its opener has left.")
            return refuse()
        }
        page.decide(NavigationQuestion(url, .init(rawValue: type), hasTargetFrame: false)) { isAllowed in
            guard isAllowed else { return refuse() }
            target.loads.allowFirst(url)
            page.askForWindow(url) { decision in
                switch decision {
                case .refused: refuse()
                case .allowed: target.begin(webView.makePopup(), openedBy: opener)
                case .webView(let name):
                    Task {
                        guard let other = try? await webView.other(name) else { return refuse() }
                        target.begin(other, openedBy: opener)
                    }
                }
            }
        }
    }

    /// Closes a window that may not open. The script that opens it waits until it goes on, and would wait forever if it were
    /// closed before. So it goes on, but runs no script and sends no request.
    private func refuse(_ target: ChromiumTarget, _ id: String) {
        targets[target.session.id] = nil
        target.session.send("Emulation.setScriptExecutionDisabled") { $0.member("value", true) }
        // A request that `Fetch` holds back would be sent when the window's session ends.
        target.session.send("Network.enable")
        target.session.send("Network.emulateNetworkConditions") { writer in
            writer.member("offline", true)
            for name in ["latency", "downloadThroughput", "uploadThroughput"] { writer.member(named: name, 0) }
        }
        target.resume()
        pipe.send("Target.closeTarget") { $0.member("targetId", id) }
    }

    private func detached(_ session: String) {
        guard let target = targets.removeValue(forKey: session) else { return }
        target.end()
        if !targets.values.contains(where: { $0.frames.isWindow && $0.webView?.isOpenedByApp != true }) {
            process.windowsClosed()
        }
    }

    // MARK: The end

    private func letGo(_ reason: String) {
        endWindows(reason)
        pipe.end(reason)
    }

    private func endWindows(_ reason: String) {
        for (_, target) in targets.sorted(by: { $0.key < $1.key }) { target.end() }
        targets = [:]
        for waiting in awaited { waiting.opened.resume(throwing: BrowserError(reason)) }
        awaited = []
        // Windows have the browser.
        (spare, openers) = (nil, [])
    }
}
