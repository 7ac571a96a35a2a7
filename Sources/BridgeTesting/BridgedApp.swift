public import BridgeProtocol
public import BridgeServer
import BridgeTraffic
public import EmulatedApp
import Foundation
package import Synchronization

/// A hybrid app in a test: a daemon on a free port, and a browser without a window that shows its pages.
///
/// ```swift
/// try await withBridgedApp(in: .chromium) { app in
///     try await app.open("http://localhost:3000/")
///     let button = try await app.nextMessage(ActionButton.self)
///     #expect(try await app.evaluate("document.title") == "Customers")
/// }
/// ```
///
/// Methods throw a ``BridgedAppFailure``, which says what was expected and what came instead.
@MainActor public final class BridgedApp {
    public let server: BridgeServer
    /// The app that the test's user sees: emulated, or the app's own Swift. Nil if the test has web views of its own.
    public let app: (any ControllableApp)?
    /// Nil if the test runs no emulated app.
    public var emulatedApp: EmulatedApp? { app as? EmulatedApp }
    /// Whether the app opens its web views itself, because it is real.
    let isHosted: Bool
    public let address: BridgeServer.Address
    /// The server of the web app, such as `http://localhost:3000`, that paths in ``open(_:until:within:)`` belong to. If it is
    /// nil, they are the daemon's own.
    public var baseURL: String?
    /// How long methods wait by default.
    public var timeout = Duration.usualTimeout
    /// Whether a browser that bridged drives has a window on the screen.
    public var showsWindow: Bool {
        get { window.isShown }
        set { window.isShown = newValue }
    }
    /// Has the driven browsers of several apps; nil if this one starts its own. One with a window on the screen always does.
    package var browsers: BrowserPool? {
        get { window.pool }
        set { window.pool = newValue }
    }
    /// How long ``open(_:until:within:)`` waits, before its own time begins, for a server that is starting.
    public var serverTimeout = Duration.zero
    private let window: TestWindow
    /// The numbers of the records that `nextRecord` returned. It returns each record once.
    var taken: Set<Int> = []
    let dialogs = DialogWatch()
    /// The app of the test that runs, for issues that the test records.
    package nonisolated static var current: BridgedApp? { CurrentApp.app }
    package nonisolated let latestRecords = LatestRecords()
    /// The latest issue of the test, if `.bridgedTraffic` notes issues.
    package nonisolated let latestIssue = Mutex<String?>(nil)
    /// Nil if the test gets no trace.
    var trace: TraceOfTest?
    /// How the test is written, for the advice in its failures.
    var form = TestForm.swift
    /// Called with what the page has made of an action, if that is something else.
    package var onNote: ((String) -> Void)?
    private var fixtures = 0

    /// Starts the daemon. The browser starts with the first call of ``open(_:until:within:)``.
    ///
    /// - Parameters:
    ///   - server: a server that has not started. Its port should be 0, which picks a free one.
    ///   - emulatedApp: the server's emulated app; nil if there is none, so that the test's own `WKWebView` or handlers
    ///     get what pages post.
    ///   - device: what a browser that bridged drives imitates.
    /// - Throws: an error if the server cannot listen.
    public init(
        _ engine: TestBrowser, server: BridgeServer, emulatedApp: EmulatedApp? = nil, device: TestDevice = .usual
    ) async throws {
        (self.server, self.app, isHosted) = (server, emulatedApp, false)
        let platform = emulatedApp?.configuration.framework.platform
        window = TestWindow(engine, of: server, latestRecords, device: try device.device(on: platform))
        server.defaultScope.dialogHandler = { [dialogs] in dialogs.show($0) }
        server.traffic.observe { [latestRecords] in latestRecords.append($0) }
        address = try await server.start()
    }

    /// A real app that runs in this process.
    ///
    /// - Parameters:
    ///   - server: it listens already.
    ///   - engine: the browser that has the app's web views. The app's host launches and closes it.
    public init(hosting app: any ControllableApp, on server: BridgeServer, in engine: BrowserEngine) async throws {
        (self.server, self.app, isHosted) = (server, app, true)
        window = TestWindow(.driven(engine), of: server, latestRecords, device: nil)
        server.traffic.observe { [latestRecords] in latestRecords.append($0) }
        address = try await server.start()
    }

    /// Closes the browser, and then stops the daemon. A real app keeps both until its process ends.
    public func close() async { await close(keepsBrowser: false) }

    /// - Parameter keepsBrowser: whether the browser may be used again, because the test has passed.
    func close(keepsBrowser: Bool) async {
        guard !isHosted else { return }
        window.close(keepsBrowser: keepsBrowser)
        await server.stop()
    }

    // MARK: Pages

    /// Loads a URL, and waits until the `load` event of its document is over. If Turbo in it makes the app visit the page,
    /// waits until that visit is over, too. Then the page's scripts have run, so that it can be tapped.
    ///
    /// - Parameters:
    ///   - url: an address, or a path such as `/demo/` of the daemon or of ``baseURL``.
    ///   - readiness: `.attached` waits only until the document attaches, which it does by loading the daemon's `bridge.js`.
    ///   - timeout: nil means 30 s. The start of a browser that bridged drives, and of its window, does not count:
    ///     each has a minute of its own.
    /// - Throws: ``BridgedAppFailure`` if the page does not load, or if its visit fails without an answer of the server.
    @discardableResult
    public func open(
        _ url: String, until readiness: PageReadiness = .load, within timeout: Duration? = nil
    ) async throws -> Page {
        if url.prefixMatch(of: /[A-Za-z0-9.\-]+:\d+(\/|$)/) != nil {
            throw latestRecords.failure("an address", "\(url). Write it like http://\(url)")
        }
        let isOfDaemon = url.hasPrefix("/") && baseURL == nil
        let url = url.hasPrefix("/") ? (baseURL ?? String(address.url.dropLast())) + url : url
        let timeout = timeout ?? .seconds(30)
        if !isOfDaemon { try await PageServer.answers(at: url, within: serverTimeout) }
        if isHosted { return try await openInApp(url, until: readiness, within: timeout) }
        let after = server.traffic.lastRecord
        server.addAppOrigin(of: url)
        let start: ContinuousClock.Instant
        if let page = server.mainPage(of: "main") {
            start = .now
            page.navigate(to: url)
        } else {
            window.close()
            try await window.startBrowser()
            try await window.open(url, at: address)
            start = .now
        }
        let deadline = start + timeout
        try await attached(at: url, after: after, before: deadline, within: timeout)
        if readiness == .load { try await loaded("main", before: deadline) }
        // The app may have begun to show a modal, whose page comes later.
        let page = try await page(before: deadline)
        guard !isOfDaemon || page.status != 404 else {
            throw latestRecords.failure(
                "the daemon to have a page at \(url)",
                "it has none: a path without an address is one of the daemon. Write the address of the app's server before it, "
                    + "such as http://localhost:3000")
        }
        return page
    }

    /// Waits until the page of a web view has loaded, and the app's visit of it is over.
    private func loaded(_ webView: String, before deadline: ContinuousClock.Instant) async throws {
        let expected = "the page to load, and the app's visit of it to end"
        do {
            _ = try await endingOnDialog(expected) { [server] in
                try await server.loadedPage(of: webView, within: max(.zero, deadline - ContinuousClock.now))
            }
        } catch let error as RPCError {
            throw latestRecords.failure(expected, error.message.withoutStop, isTimeOut: error.code == .waitTimedOut)
        }
    }

    /// Waits until the visible screen of a real app shows a page, which may be HTML of its own, and loads the URL in it if
    /// the page has another one.
    private func openInApp(
        _ url: String, until readiness: PageReadiness, within timeout: Duration
    ) async throws -> Page {
        let expected = normalized(url)
        let deadline = ContinuousClock.now + timeout
        let first = try await shownPage("a page of the app's first screen", before: deadline) { [app] in
            // A new window has the empty document until the app's own load arrives.
            app?.isLoading($0.webView) == false
        }
        var page = first
        if first.frame.url != expected {
            // Another load in the middle of the app's first visit would make that fail. If its page does not come, the app
            // can still show this one.
            if readiness == .load { try? await loaded(first.webView, before: min(deadline, .now + timeout / 2)) }
            first.navigate(to: url)
            page = try await shownPage("the app to show \(expected)", before: deadline) { $0.frame.url == expected }
        }
        if readiness == .load { try await loaded(page.webView, before: deadline) }
        return try self.page()
    }

    private func shownPage(
        _ what: String, before deadline: ContinuousClock.Instant, where fits: (Page) -> Bool
    ) async throws -> Page {
        while true {
            if let page = shownPage, fits(page) { return page }
            guard ContinuousClock.now < deadline else {
                let found = shownPage.map { "the screen shows \($0.frame.url)" } ?? "the screen shows no page"
                throw latestRecords.failure(what, found, isTimeOut: true)
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Serves an HTML document from the daemon, with the tag for `bridge.js` put in.
    ///
    /// ```swift
    /// try await app.open(app.serve("<button id=save>Save</button>"))
    /// ```
    /// - Parameter path: the document's path; nil for a path of its own. A document at the same path is replaced.
    /// - Returns: the path, for ``open(_:until:within:)``.
    public func serve(_ html: String, at path: String? = nil) -> String {
        fixtures += 1
        let path = path ?? "/fixture-\(fixtures)"
        server.serve(html, at: path)
        return path
    }

    /// Waits until a page attaches.
    /// - Throws: a failure as soon as it is known why none will.
    private func attached(
        at url: String, after: Int, before deadline: ContinuousClock.Instant, within timeout: Duration
    ) async throws {
        let expected = "a page to attach at \(url)"
        var opening = PageOpening(url: normalized(url), port: address.port, isDriven: isDriven)
        var (after, deadline) = (after, deadline)
        var question = opening.askServer(before: deadline, of: timeout)
        defer { question.cancel() }
        while true {
            let record: StoredRecord
            do {
                record = try await endingOnDialog(expected) { [server, after, deadline] in
                    try await server.traffic.next(
                        PageOpening.filter, after: after, timeout: max(.zero, deadline - ContinuousClock.now))
                }
            } catch let error as RPCError where error.code == .waitTimedOut {
                throw latestRecords.failure(
                    "\(expected) within \(timeout)", opening.whyNone(after: timeout, await question.value),
                    isTimeOut: true)
            }
            after = record.number
            guard let found = TrafficRecord(json: record.json) else { continue }
            switch opening.take(found) {
            case .goesOn: continue
            case .attached: return
            case .aborted:
                question.cancel()
                deadline = min(deadline, .now + .seconds(2))
                question = opening.askServer(before: deadline, of: timeout)
            case .failed(let reason): throw failure(expected, await opening.cause(of: reason))
            }
        }
    }

    /// The URL as a page knows it, with a path.
    func normalized(_ url: String) -> String {
        guard var parts = URLComponents(string: url) else { return url }
        if parts.path.isEmpty { parts.path = "/" }
        return parts.string ?? url
    }

    var engine: TestBrowser { window.engine }
    /// Whether bridged drives the browser.
    var isDriven: Bool { engine.isDriven }

    /// The newest main-frame page of the web view `main`. If bridged drives the browser, that of the web view that shows the
    /// emulated app's visible screen.
    public func page() throws -> Page {
        guard let page = shownPage else { throw failure("a page", "no page is attached: open one first") }
        return page
    }

    /// The page of ``page()``. Waits for it if the app's user or a browser has just opened another one: a modal's window
    /// shows the empty document first.
    func page(before deadline: ContinuousClock.Instant) async throws -> Page {
        if let page = shownPage, !isOfNewWindow(page) { return page }
        guard isHosted || window.isOpen else { return try page() }
        while ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(20))
            if let page = shownPage, !isOfNewWindow(page), page.readyState != "loading" { return page }
        }
        return try page()
    }

    /// Whether a page is the empty document of a window that the emulated app has opened.
    private func isOfNewWindow(_ page: Page) -> Bool {
        emulatedApp != nil && page.webView != NavigationStack.main.rawValue && page.frame.url == "about:blank"
    }

    var shownPage: Page? {
        guard isDriven, let app else { return server.mainPage(of: "main") }
        return app.visibleWebView.flatMap { server.mainPage(of: $0) }
    }

    // MARK: Dialogs

    /// Answers each dialog that a page opens from now on with `alert`, `confirm` or `prompt`.
    ///
    /// ```swift
    /// app.onDialog { dialog in dialog.kind == .prompt ? .accept("Zoe") : .accept }
    /// ```
    ///
    /// Without this, a dialog is dismissed, and the action that waits then, or the next one, fails with the dialog's text.
    /// - Parameter answer: nil dismisses dialogs again.
    public func onDialog(_ answer: (@MainActor (Dialog) async -> DialogAnswer)?) { dialogs.answer = answer }

    /// Runs an action. Throws a failure that names the dialog if a page has opened one that was not answered.
    func failingOnDialog<Value>(_ expected: String, _ body: () async throws -> Value) async throws -> Value {
        let outcome: Result<Value, any Error>
        let call = trace?.callBegins(expected)
        defer { call?.end() }
        do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
        try failOnDialog(expected)
        return try outcome.get()
    }

    /// Throws a failure if a page has opened a dialog that was not answered.
    func failOnDialog(_ expected: String) throws {
        guard let (dialog, kind) = dialogs.takeUnanswered() else { return }
        throw failure(
            expected,
            "the page opened \(dialog). It was dismissed; a test that expects it answers: \(form.answer(to: kind))")
    }

    /// Runs an action that waits. It is cancelled if a page opens a dialog that is not answered, or has opened one.
    func endingOnDialog<Value: Sendable>(
        _ expected: String, _ body: @escaping @MainActor () async throws -> Value
    ) async throws -> Value {
        try await failingOnDialog(expected) { try await dialogs.cancelling(body) }
    }

    // MARK: Stubs

    /// Answers matching messages in place of a handler.
    /// - Returns: the stub's id, for `server.removeStub`.
    @discardableResult
    public func stub(
        _ handler: String, match: ScriptValue? = nil, reply: StubReply, delay: Duration = .zero
    ) -> String {
        server.stub(handler, match: match, reply: reply, delay: delay)
    }
}

/// Starts a daemon and a browser whose pages load `bridge.js`, runs `body`, and closes both.
///
/// - Parameters:
///   - app: the emulated app; `.none` if the test has a `WKWebView` or handlers of its own.
///   - configure: changes the daemon's settings.
///   - test: the name of the trace that is written if `body` throws.
@MainActor public func withBridgedApp<Value>(
    in engine: Browser.Engine, app emulated: EmulatedApp.Configuration? = EmulatedApp.Configuration(),
    _ configure: (inout BridgeServer.Configuration) -> Void = { _ in }, test: String = #function,
    _ body: @MainActor (BridgedApp) async throws -> Value
) async throws -> Value {
    try await withBridgedApp(.attached(engine), emulated, .none, configure, test, body)
}

/// Starts a daemon, runs `body` with a browser that bridged drives, and stops the daemon. The pages need no script tag.
///
/// The next test may use the process of the browser, which has forgotten all that this one has left in it: cookies, storage,
/// caches, permissions. A test that throws gives its browser to no other.
///
/// - Parameters:
///   - app: the emulated app; `.none` if the test has a `WKWebView` or handlers of its own.
///   - device: what the browser imitates.
///   - configure: changes the daemon's settings.
///   - test: the name of the trace that is written if `body` throws.
@MainActor public func withBridgedApp<Value>(
    driving engine: BrowserEngine, app emulated: EmulatedApp.Configuration? = EmulatedApp.Configuration(),
    device: TestDevice = .usual, _ configure: (inout BridgeServer.Configuration) -> Void = { _ in },
    test: String = #function, _ body: @MainActor (BridgedApp) async throws -> Value
) async throws -> Value {
    try await withBridgedApp(.driven(engine), emulated, device, configure, test, body)
}

@MainActor private func withBridgedApp<Value>(
    _ engine: TestBrowser, _ emulated: EmulatedApp.Configuration?, _ device: TestDevice,
    _ configure: (inout BridgeServer.Configuration) -> Void, _ test: String,
    _ body: @MainActor (BridgedApp) async throws -> Value
) async throws -> Value {
    var configuration = BridgeServer.Configuration()
    configure(&configuration)
    let server = try BridgeServer(configuration)
    let app = try await BridgedApp(
        engine, server: server, emulatedApp: emulated.map { try EmulatedApp(server: server, $0) }, device: device)
    app.browsers = .shared
    app.trace = await TraceOfTest(app, test: test)
    // The trace has the app.
    defer { app.trace = nil }
    do {
        let value = try await CurrentApp.$app.withValue(app) { try await body(app) }
        await app.trace?.writeIfAnExpectationFailed()
        await app.close(keepsBrowser: true)
        return value
    } catch {
        await app.trace?.write(error)
        await app.close()
        throw error
    }
}
