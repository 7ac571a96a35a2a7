import BridgeProtocol
import BridgeServer
public import BridgeWebKit
public import Foundation
import PathConfiguration
import WebFiles

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A web view and the visits in it; see hotwire-native-ios, `Session`.
///
/// The first visit is a cold boot, which loads the URL. Turbo in the page makes the later ones. After an evaluation has
/// failed or the page was lost, the next visit is a cold boot again. `Visit` decides, and the session carries out its
/// effects.
@MainActor public final class Session: NSObject {
    /// A visit and the screen that it is for.
    struct Ongoing {
        var visit: Visit
        let visitable: any Visitable
    }

    public weak var delegate: (any SessionDelegate)?
    public let webView: WKWebView
    let framework: Framework
    var platform: Platform { framework.platform }
    /// The app's handlers for loads that the page begins, in order.
    var policyHandlers = WebViewPolicyHandler.allCases
    /// Android: whether the element that the user touches keeps the screen from being pulled down; see `Session.kt`,
    /// `elementTouchStarted`.
    private(set) var touchPreventsPullToRefresh = false
    /// When the user followed the last link that Turbo does not handle.
    var lastLink: ContinuousClock.Instant?
    /// The timeout of a load.
    public var loadTimeout = Duration.seconds(60)
    /// How long the daemon waits for the answer that says where a failed request of Turbo was redirected to.
    var redirectTimeout = Duration.seconds(30)
    /// How long after its load a document's visit may take before the app looks for the reason why it does not end.
    public var readyTimeout = Duration.seconds(5)
    /// The visit that began last.
    private(set) var current: Ongoing?
    /// The visit of the screen that is on top.
    private var topmost: Ongoing?
    /// Whether Turbo in the page is ready to visit.
    public private(set) var isInitialized = false
    private(set) lazy var turbo = TurboDocument(of: self)
    /// The load of the current cold boot.
    var navigation: WKNavigation?
    var form = PlainForm()
    /// Why the load of the cold boot failed.
    var loadError: WebError?
    /// Whether Turbo's snapshots are cleared when a screen appears the next time.
    private var isSnapshotCacheStale = false
    var turboVisits = PastTurboVisits()
    /// The screen whose page the web view shows; nil until its visit has rendered.
    private weak var rendered: (any Visitable)?
    /// Whether the topmost screen has disappeared without another one of the session in its place.
    private var isCovered = false
    /// Why Turbo is about to reload the page, if the page has reported it.
    private var pageReload: PageReload?
    /// The task that asks the server where the current visit's URL redirects to.
    private var resolution: Task<Void, Never>?

    /// Adds the adapter and its message handler to the configuration's content controller, and makes the web view.
    /// - Parameters:
    ///   - adapter: a script to use in place of `web/turbo.js`, with the same messages.
    ///   - framework: the release whose session it is. On Android the adapter calls `TurboSession` instead of the message
    ///     handler `turbo`.
    /// - Throws: `MissingWebFile` if `web/turbo.js` is needed and is not beside the executable.
    public init(
        webViewConfiguration: WKWebViewConfiguration, adapter: String? = nil, framework: Framework = .default
    ) throws {
        // Only the adapter reads this constant.
        let timeout = Int(framework.turboLoadTimeout / .milliseconds(1))
        let adapter =
            try adapter ?? "{ const turboLoadTimeout = \(timeout)\n\(WebFiles.text(of: "turbo.js"))\n}"
        let controller = webViewConfiguration.userContentController
        for source in try [adapter, WebFiles.text(of: "turbo-diagnosis.js")] {
            controller.addUserScript(
                WKUserScript(
                    source: framework.platform == .android ? Session.afterLoad(source) : source,
                    injectionTime: .atDocumentEnd,
                    forMainFrameOnly: true))
        }
        webView = WKWebView(frame: .zero, configuration: webViewConfiguration)
        self.framework = framework
        super.init()
        webView.navigationDelegate = self
        webView.windowHandler = { [weak self] action in
            if let url = action.request.url { self?.loadInPlace(ofWindow: url) }
            return nil
        }
        // Weak, because the web view retains its message handlers, and the session retains the web view.
        let receive: @MainActor (TurboEvent) throws -> Void = { [weak self] in try self?.receive($0) }
        switch framework.platform {
        case .ios:
            let dispatcher = ScriptMessageDispatcher()
            dispatcher.onTurboMessages(receive)
            controller.add(dispatcher, name: "turbo")
        case .android: webView.addJavascriptInterface(.turboSession(receive), name: "TurboSession")
        }
    }

    // MARK: Visits

    public var topmostVisitable: (any Visitable)? { topmost?.visitable }
    public var currentVisitable: (any Visitable)? { current?.visitable }
    /// Whether a visit is under way.
    public var isVisiting: Bool { current?.visit.state == .started }
    /// Whether the document of the latest load has loaded.
    var hasLoadedDocument: Bool { turbo.isLoaded }
    /// Whether the visit does not end, because Turbo shows a cached page in place of its response.
    private(set) var hasLostResponse = false

    /// Visits a screen's URL. Cancels a visit that is under way.
    /// - Parameter reload: makes a cold boot even if Turbo could visit the URL.
    public func visit(_ visitable: any Visitable, options: VisitOptions = VisitOptions(), reload: Bool = false) {
        if reload { reset() }
        let kind = isInitialized ? Visit.Kind.javaScript : .coldBoot
        begin(makeVisit(kind, visitable, options), visitable)
    }

    /// Treats a load that the browser began by itself as the visit of a screen.
    public func adopt(_ visitable: any Visitable) {
        begin(makeVisit(.coldBoot, visitable, VisitOptions()), visitable, isUnderWay: true)
        handle(.loadStarted)
    }

    /// Loads the topmost screen's URL again.
    public func reload() {
        guard let visitable = topmost?.visitable ?? current?.visitable else { return }
        visit(visitable, reload: true)
    }

    /// Cancels the current visit and makes the next one a cold boot.
    public func invalidate() {
        reset()
        cancelCurrent()
    }

    /// Makes the next visit a cold boot.
    private func reset() {
        isInitialized = false
        delegate?.sessionDidReset(self)
    }

    private func makeVisit(_ kind: Visit.Kind, _ visitable: any Visitable, _ options: VisitOptions) -> Visit {
        Visit(
            kind, to: location(of: visitable), options, restorationIdentifier: visitable.restorationIdentifier,
            framework: framework)
    }

    func begin(_ visit: Visit, _ visitable: any Visitable, isUnderWay: Bool = false) {
        cancelCurrent()
        if let former = current?.visitable, former !== visitable {
            former.currentVisitableURL = location(of: former)
            rendered = nil
        }
        (isCovered, hasLostResponse) = (false, false)
        visitable.currentVisitableURL = visit.url
        var visit = visit
        let effects = visit.start(isUnderWay: isUnderWay)
        current = Ongoing(visit: visit, visitable: visitable)
        carryOut(effects)
    }

    private func cancelCurrent() {
        (navigation, loadError) = (nil, nil)
        turbo.endSearch()
        resolution?.cancel()
        guard let visit = current?.visit, visit.state == .started else { return }
        if visit.kind == .javaScript, visit.identifier == nil { turboVisits.cancelUnnamed() }
        handle(.cancel)
    }

    // MARK: Events and effects

    /// - Returns: whether the event belongs to the current visit.
    @discardableResult func handle(_ event: Visit.Event) -> Bool {
        guard var ongoing = current else { return false }
        let earlierIdentifier = ongoing.visit.identifier
        guard let effects = ongoing.visit.handle(event) else { return false }
        if let earlierIdentifier, earlierIdentifier != ongoing.visit.identifier {
            turboVisits.remember(earlierIdentifier)
        }
        current = ongoing
        if ongoing.visitable === topmost?.visitable { topmost = ongoing }
        if let identifier = ongoing.visit.identifier, ongoing.visit.state != .started {
            turboVisits.remember(identifier)
        }
        carryOut(effects)
        return true
    }

    private func carryOut(_ effects: [Visit.Effect]) {
        guard let ongoing = current else { return }
        for effect in effects {
            switch effect {
            case .load(let url):
                forgetDocument()
                navigation = webView.load(request(for: url))
            case .show(let html, let url):
                forgetDocument()
                navigation = webView.loadSimulatedRequest(request(for: url), responseHTML: html)
            case .evaluate(let script): evaluate(script)
            case .cancelTurboVisit(let identifier):
                let call = JavaScriptCall("window.turboNative.cancelVisitWithIdentifier", identifier)
                webView.evaluateJavaScript(call.source, completionHandler: nil)
            case .resolveRedirect(let url): resolveRedirect(url, ongoing)
            case .retry(let status):
                delegate?.session(self, willRepeatRequestBecause: .requestFailed(statusCode: status))
                visit(ongoing.visitable, options: ongoing.visit.options, reload: true)
            case .notify(let notice): notify(notice, ongoing)
            }
        }
    }

    func didMeet(_ problem: VisitProblem) { delegate?.session(self, didMeet: problem) }

    /// Resets what is known about a document, because another one replaces it.
    func forgetDocument() {
        turbo.forget()
        form.forgetResult()
    }

    private func request(for url: URL) -> URLRequest {
        URLRequest(url: url, timeoutInterval: loadTimeout / .seconds(1))
    }

    private func evaluate(_ script: String) {
        let visitable = current?.visitable
        webView.evaluateJavaScript(script) { [weak self] _, error in
            guard let self, let error, current?.visitable === visitable, isInitialized else { return }
            // The adapter was called. It may return a value that cannot be sent to native code.
            if (error as? WKError)?.code == .javaScriptResultTypeIsUnsupported { return }
            // The description of an exception says only that there was one.
            let exception = (error as? WKError)?.errorUserInfo["WKJavaScriptExceptionMessage"] as? String
            didMeet(.evaluationFailed(exception ?? error.localizedDescription))
            handle(.evaluationFailed)
        }
    }

    /// Asks the server where the URL of a failed request redirects to. The browser reports a redirect to another origin
    /// only as a failure.
    private func resolveRedirect(_ url: URL, _ ongoing: Ongoing) {
        resolution = Task { [weak self, webView, platform, redirectTimeout] in
            // Android asks with the page's cookies, and iOS without; see `HttpRepository.kt`.
            let cookies = platform == .android ? await webView.cookies(for: url) : nil
            let redirect = await RedirectResolver.resolve(url, cookies: cookies, timeout: redirectTimeout)
            guard let self, !Task.isCancelled, current?.visit.identifier == ongoing.visit.identifier else { return }
            handle(.redirectResolved(redirect))
        }
    }

    func notify(_ notice: Visit.Notice, _ ongoing: Ongoing) {
        let visitable = ongoing.visitable
        switch notice {
        case .willStart:
            delegate?.session(
                self, willStartVisitOf: visitable, kind: ongoing.visit.kind.rawValue, options: ongoing.visit.options)
        case .requestStarted:
            delegate?.session(self, didStartRequestOf: visitable, action: ongoing.visit.options.action)
        case .webViewLoaded:
            isInitialized = true
            turbo.endSearch()
            delegate?.sessionDidLoadWebView(self)
        case .requestFinished: delegate?.session(self, didFinishRequestOf: visitable)
        case .rendered:
            rendered = visitable
            delegate?.session(self, didRender: visitable)
        case .completed:
            visitable.restorationIdentifier = ongoing.visit.restorationIdentifier
            delegate?.session(self, didCompleteVisitOf: visitable)
        case .failed(let error):
            turbo.endSearch()
            if platform == .android, ongoing.visit.kind == .coldBoot { reset() }
            delegate?.session(self, didFailRequestFor: visitable, error: error)
        case .redirectedToOtherOrigin(let url):
            delegate?.session(self, didProposeVisitToCrossOriginRedirect: url)
        case .evaluationFailed: visit(visitable, reload: true)
        }
    }
}

/// The visits of Turbo that are over for native code. Their late events are ignored.
struct PastTurboVisits {
    /// The identifiers, the latest last.
    private var identifiers: [String] = []
    /// The number of visits that were cancelled before Turbo reported their identifiers.
    private var unnamed = 0

    func contains(_ identifier: String) -> Bool { identifiers.contains(identifier) }

    mutating func remember(_ identifier: String) {
        // Turbo's identifiers are UUIDs.
        guard identifier.utf8.count <= 100, !contains(identifier) else { return }
        identifiers = identifiers.suffix(31) + [identifier]
    }

    /// Counts a visit that was cancelled before Turbo reported its identifier.
    mutating func cancelUnnamed() { unnamed += 1 }

    /// Forgets those visits, because another document replaces theirs.
    mutating func forgetUnnamed() { unnamed = 0 }

    /// Remembers the identifier that Turbo reports of a visit that was cancelled before.
    /// - Returns: false if no such visit is left.
    mutating func name(_ identifier: String) -> Bool {
        guard unnamed > 0 else { return false }
        unnamed -= 1
        remember(identifier)
        return true
    }
}

/// The events that the adapter posts.
extension Session {
    func receive(_ event: TurboEvent) throws {
        switch event {
        case .turboIsReady(let isReady): turbo.adapterReports(isReady: isReady)
        case .visit(let event): try receive(event)
        case .visitProposed(let url, let options):
            try delegate?.session(self, didProposeVisitTo: url, options: options)
        case .linkActivated(let url): receiveLink(to: url)
        case .refreshingPage(_, let options):
            guard let visitable = topmost?.visitable else { return }
            begin(makeVisit(.pageRefresh, visitable, options), visitable)
        case .pageInvalidated:
            delegate?.session(self, willRepeatRequestBecause: .pageReload(pageReload ?? PageReload()))
            pageReload = nil
            reload()
        case .finding(.reload(let reload)): pageReload = reload
        case .finding(.formRefused(let response)): didMeet(.formRefused(response))
        case .finding(.serverError(let response)): didMeet(.serverError(response))
        case .finding(.responseLost(let response)):
            hasLostResponse = isVisiting
            didMeet(.responseLost(response))
        case .formSubmissionStarted(let url): delegate?.session(self, didStartFormSubmissionTo: url)
        case .formSubmissionFinished(let url): delegate?.session(self, didFinishFormSubmissionTo: url)
        case .touch(let prevents): touchPreventsPullToRefresh = prevents
        // These events need no action. The traffic log has them as messages.
        case .scrollingToAnchor, .errorRaised, .log: break
        }
    }

    /// The error of the visit that has just failed, in the form of hotwire-native-ios' main branch.
    func hotwireNativeError(_ error: TurboError) -> HotwireNativeError {
        HotwireNativeError(
            error, isColdBoot: current?.visit.kind == .coldBoot, loadError: loadError, hasAdapter: turbo.hasAdapter)
    }

    private func receive(_ event: Visit.Event) throws {
        if case .visitStarted(let identifier) = event, turboVisits.name(identifier) { return }
        if !handle(event) { try ignorePastVisit(event.identifier) }
    }

    /// Ignores an event of a past visit of this session, and those of a page that a form without Turbo has led to.
    /// - Throws: `DroppedMessage` if the event belongs to any other visit.
    private func ignorePastVisit(_ identifier: String?) throws {
        if form.showsResult || identifier.map(turboVisits.contains) == true { return }
        throw DroppedMessage(.otherVisit(identifier, current: current?.visit))
    }
}

extension Verdict {
    fileprivate static func otherVisit(_ identifier: String?, current: Visit?) -> Verdict {
        let expected = current.map { visit in
            let name = visit.identifier.map { ", which Turbo calls \($0)" } ?? ""
            return "an event of the \(visit.kind == .coldBoot ? "cold boot" : "visit") of \(visit.url)\(name)"
        }
        return Verdict(
            .dropped, reason: .otherVisit, expected: expected ?? "no event, because no visit is under way",
            found: identifier.map { "an event of the visit \($0)" } ?? "an event of another visit",
            at: identifier == nil ? nil : "/data/identifier",
            hint: """
                The page visits by itself. The browser's back button does that, and so does a script that calls \
                Turbo.navigator. Use the app's back action and Turbo.visit instead.
                """)
    }
}

/// The screens that appear and disappear, and Turbo's snapshots of their pages.
extension Session {
    /// Notes that a screen is on top now. Restores its page, unless the web view has shown it all the time.
    /// - Parameter wasInSight: whether it has never disappeared, as one beneath a sheet. Then UIKit does not report
    ///   that it appears, and stale snapshots stay until the next screen appears.
    public func visitableDidAppear(_ visitable: any Visitable, wasInSight: Bool = false) {
        if isSnapshotCacheStale, !wasInSight {
            isSnapshotCacheStale = false
            clearSnapshotCache()
        }
        if current?.visitable === visitable, !isCovered || isVisiting {
            isCovered = false
            topmost = current
        } else if restoreCurrentVisit(to: visitable) {
            topmost = current
        } else {
            visit(visitable, options: VisitOptions(action: .restore))
            topmost = current
        }
    }

    /// Notes that the topmost screen has disappeared, and no other web screen of the session takes its place: a native
    /// screen or a full-screen modal covers it, or its modal was dismissed. Turbo caches a snapshot of its page, which the
    /// restore visit shows first when the screen appears again; see `visitableViewDidDisappear` and
    /// `visitableViewWillAppear`.
    public func visitableDidDisappear() {
        guard let topmost, !isCovered else { return }
        isCovered = true
        // `topmost` is a copy from when the screen appeared; the visit may have ended since.
        if let current, current.visitable === topmost.visitable, current.visit.state == .completed { cacheSnapshot() }
    }

    /// Makes the visits that hotwire-native-ios makes when the user begins to swipe back and lets go: the screen
    /// beneath is about to appear, so it is restored, and then the one on top appears again. See `Session.swift`,
    /// `visitableViewWillAppear` ("Back swipe gesture canceled") and `visitableViewDidAppear` ("Reappearing after
    /// canceled navigation").
    /// - Parameters:
    ///   - top: the screen that stays; nil if it is native. Then the visit of the screen beneath is not cancelled.
    ///   - beneath: the screen that the user has begun to uncover; nil if it is native.
    public func visitableDidCancelBack(from top: (any Visitable)?, to beneath: (any Visitable)?) {
        if isSnapshotCacheStale {
            isSnapshotCacheStale = false
            clearSnapshotCache()
        }
        if let beneath { visit(beneath, options: VisitOptions(action: .restore)) }
        guard let top, topmost?.visitable === top else { return }
        if topmost?.visit.state != .completed {
            visit(top)
        } else if beneath != nil {
            visit(top, options: VisitOptions(action: .restore))
        }
        topmost = current
    }

    /// Shows a screen of Android again whose page is still there, without a visit of Turbo; see `Session.kt`,
    /// `restoreCurrentVisit`.
    /// - Returns: false if the page belongs to another screen, or its visit has not completed.
    private func restoreCurrentVisit(to visitable: any Visitable) -> Bool {
        guard platform == .android, isInitialized, let current, current.visitable === visitable,
            current.visit.state == .completed, visitable.restorationIdentifier != nil
        else { return false }
        isCovered = false
        notify(.rendered, current)
        notify(.completed, current)
        call("restoreCurrentVisit")
        return true
    }

    /// The URL of a screen: that of the page while the web view shows it, because a script or a redirect may have changed
    /// it; see `VisitableViewController`, `resolveVisitableLocation`. On Android it is the URL that the screen was made
    /// with; see `HotwireWebFragmentDelegate.kt`, `location`.
    func location(of visitable: any Visitable) -> URL {
        guard platform != .android else { return visitable.initialVisitableURL }
        guard visitable === rendered, let url = webView.url, ["http", "https"].contains(url.scheme) else {
            return visitable.currentVisitableURL
        }
        return url
    }

    /// Clears Turbo's cache of snapshots.
    public func clearSnapshotCache() { call("clearSnapshotCache") }

    /// Clears Turbo's cache of snapshots when a screen appears the next time; see `visitableViewWillAppear`.
    public func markSnapshotCacheAsStale() { isSnapshotCacheStale = true }

    /// Makes Turbo cache a snapshot of the page.
    public func cacheSnapshot() { call("cacheSnapshot") }

    private func call(_ method: String) {
        guard isInitialized else { return }
        webView.evaluateJavaScript("window.turboNative.\(method)()", completionHandler: nil)
    }
}
