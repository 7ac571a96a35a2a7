public import BridgeProtocol
import BridgeServer
public import BridgeWebKit
public import Foundation
public import PathConfiguration

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A web view and the visits in it, as the frameworks' `Session`: the first visit is a cold boot, which loads the URL; later
/// ones are left to Turbo in the page. After a failed evaluation or a lost page the next is a cold boot again.
///
/// ``Visit`` decides; this carries out. On the main actor.
@MainActor public final class Session: NSObject {
    /// A visit and the screen that it is for.
    private struct Ongoing {
        var visit: Visit
        let visitable: any Visitable
    }

    public weak var delegate: (any SessionDelegate)?
    public let webView: WKWebView
    private let platform: Platform
    /// How long a load may take.
    public var loadTimeout = Duration.seconds(60)
    /// How long a document that is all there may take to say that Turbo is ready: the adapter's own limit, and a second.
    public var readyTimeout = Duration.seconds(5)
    /// The visit that was asked for last.
    private var current: Ongoing?
    /// The visit whose screen is on top.
    private var topmost: Ongoing?
    /// Whether the page has a Turbo that can be told to visit.
    public private(set) var isInitialized = false
    private var isTurboReady = false
    /// The load that the current cold boot asked for.
    private var navigation: WKNavigation?
    /// Of Turbo's visits that are over, the latest last: what still comes of them is no mistake.
    private var pastIdentifiers: [String] = []
    /// Visits that Turbo was told of, and that were cancelled before it said what it calls them.
    private var unnamedVisits = 0
    private var readiness: Task<Void, Never>?

    /// Puts the adapter and its message handler into the configuration's content controller, and makes the web view.
    /// - Parameters:
    ///   - adapter: script in place of `web/turbo.js`: any that speaks the same messages.
    ///   - platform: on Android the adapter has `TurboSession` in place of the message handler `turbo`.
    /// - Throws: `MissingWebFile` where the package's own adapter is not beside the executable.
    public init(
        webViewConfiguration: WKWebViewConfiguration, adapter: String? = nil, platform: Platform = .ios
    ) throws {
        let adapter = try adapter ?? BundledScript.read("turbo.js")
        let controller = webViewConfiguration.userContentController
        controller.addUserScript(
            WKUserScript(source: adapter, injectionTime: .atDocumentEnd, forMainFrameOnly: true))
        webView = WKWebView(frame: .zero, configuration: webViewConfiguration)
        self.platform = platform
        super.init()
        webView.navigationDelegate = self
        // The web view keeps who receives its messages, and this session the web view.
        let take: @MainActor (TurboEvent) throws -> Void = { [weak self] in try self?.receive($0) }
        switch platform {
        case .ios:
            let dispatcher = ScriptMessageDispatcher()
            dispatcher.onTurboMessages(take)
            controller.add(dispatcher, name: "turbo")
        case .android: webView.addJavascriptInterface(.turboSession(take), name: "TurboSession")
        }
    }

    // MARK: Visits

    public var topmostVisitable: (any Visitable)? { topmost?.visitable }
    public var currentVisitable: (any Visitable)? { current?.visitable }
    /// Whether a visit has begun that is not over.
    public var isVisiting: Bool { current?.visit.state == .started }

    /// Visits a screen's URL. A visit that is under way is cancelled.
    /// - Parameter reload: the web view loads it, also where Turbo could visit it.
    public func visit(_ visitable: any Visitable, options: VisitOptions = VisitOptions(), reload: Bool = false) {
        if reload { isInitialized = false }
        let kind = isInitialized ? Visit.Kind.javaScript : .coldBoot
        begin(makeVisit(kind, visitable, options), visitable)
    }

    /// Makes the load that the browser began by itself the visit of a screen.
    public func adopt(_ visitable: any Visitable) {
        begin(makeVisit(.coldBoot, visitable, VisitOptions()), visitable, isUnderWay: true)
        take(.loadStarted)
    }

    /// Loads the topmost screen's URL again.
    public func reload() {
        guard let visitable = topmost?.visitable ?? current?.visitable else { return }
        visit(visitable, reload: true)
    }

    /// A screen is on top now. One that was there before is restored, unless the page shows it still.
    public func visitableDidAppear(_ visitable: any Visitable) {
        if current?.visitable === visitable {
            topmost = current
        } else {
            visit(visitable, options: VisitOptions(action: .restore))
            topmost = current
        }
    }

    /// Has Turbo forget the pages that it kept.
    public func clearSnapshotCache() { call("clearSnapshotCache") }

    /// Has Turbo keep the page as it is now.
    public func cacheSnapshot() { call("cacheSnapshot") }

    /// From now on the next visit is a cold boot.
    public func invalidate() {
        isInitialized = false
        cancelCurrent()
    }

    private func makeVisit(_ kind: Visit.Kind, _ visitable: any Visitable, _ options: VisitOptions) -> Visit {
        Visit(
            kind, to: visitable.visitableURL, options, restorationIdentifier: visitable.restorationIdentifier,
            platform: platform)
    }

    private func begin(_ visit: Visit, _ visitable: any Visitable, isUnderWay: Bool = false) {
        cancelCurrent()
        var visit = visit
        let effects = visit.start(isUnderWay: isUnderWay)
        current = Ongoing(visit: visit, visitable: visitable)
        carryOut(effects)
    }

    private func cancelCurrent() {
        navigation = nil
        readiness?.cancel()
        guard let visit = current?.visit, visit.state == .started else { return }
        if visit.kind == .javaScript, visit.identifier == nil { unnamedVisits += 1 }
        take(.cancel)
    }

    private func call(_ method: String) {
        guard isInitialized else { return }
        webView.evaluateJavaScript("window.turboNative.\(method)()", completionHandler: nil)
    }

    // MARK: Events and effects

    /// - Returns: whether the event was the current visit's.
    @discardableResult private func take(_ event: Visit.Event) -> Bool {
        guard var ongoing = current else { return false }
        let earlierIdentifier = ongoing.visit.identifier
        guard let effects = ongoing.visit.take(event) else { return false }
        if let earlierIdentifier, earlierIdentifier != ongoing.visit.identifier { remember(earlierIdentifier) }
        current = ongoing
        if ongoing.visitable === topmost?.visitable { topmost = ongoing }
        if let identifier = ongoing.visit.identifier, ongoing.visit.state != .started { remember(identifier) }
        carryOut(effects)
        return true
    }

    private func remember(_ identifier: String) {
        guard !pastIdentifiers.contains(identifier) else { return }
        pastIdentifiers = pastIdentifiers.suffix(31) + [identifier]
    }

    private func carryOut(_ effects: [Visit.Effect]) {
        guard let ongoing = current else { return }
        for effect in effects {
            switch effect {
            case .load(let url):
                isTurboReady = false
                navigation = webView.load(URLRequest(url: url, timeoutInterval: loadTimeout / .seconds(1)))
            case .evaluate(let script): evaluate(script)
            case .cancelTurboVisit(let identifier):
                let call = JavaScriptCall("window.turboNative.cancelVisitWithIdentifier", identifier)
                webView.evaluateJavaScript(call.source, completionHandler: nil)
            case .resolveRedirect(let url): resolveRedirect(url, ongoing)
            case .tell(let notice): tell(notice, ongoing)
            }
        }
    }

    private func evaluate(_ script: String) {
        let visitable = current?.visitable
        webView.evaluateJavaScript(script) { [weak self] _, error in
            guard let self, let error, current?.visitable === visitable, isInitialized else { return }
            // An adapter may answer with what can't cross: it was called all the same.
            if (error as? WKError)?.code == .javaScriptResultTypeIsUnsupported { return }
            delegate?.session(self, didMeet: .evaluationFailed(error.localizedDescription))
            take(.evaluationFailed)
        }
    }

    /// A browser tells a page nothing of a redirect to another origin, but that the request failed.
    private func resolveRedirect(_ url: URL, _ ongoing: Ongoing) {
        Task { [weak self] in
            let redirect = await RedirectResolver.crossOriginRedirect(of: url)
            guard let self, current?.visit.identifier == ongoing.visit.identifier else { return }
            take(.redirectResolved(redirect))
        }
    }

    private func tell(_ notice: Visit.Notice, _ ongoing: Ongoing) {
        let visitable = ongoing.visitable
        switch notice {
        case .willStart:
            delegate?.session(
                self, willStartVisitOf: visitable, kind: ongoing.visit.kind.rawValue, options: ongoing.visit.options)
        case .requestStarted:
            delegate?.session(self, didStartRequestOf: visitable, action: ongoing.visit.options.action)
        case .webViewLoaded:
            isInitialized = true
            readiness?.cancel()
            delegate?.sessionDidLoadWebView(self)
        case .requestFinished: delegate?.session(self, didFinishRequestOf: visitable)
        case .rendered: delegate?.session(self, didRender: visitable)
        case .completed:
            visitable.restorationIdentifier = ongoing.visit.restorationIdentifier
            delegate?.session(self, didCompleteVisitOf: visitable)
        case .failed(let error):
            readiness?.cancel()
            delegate?.session(self, didFailRequestFor: visitable, error: error)
        case .redirectedToOtherOrigin(let url):
            delegate?.session(self, didProposeVisitToCrossOriginRedirect: url)
        case .evaluationFailed: visit(visitable, options: ongoing.visit.options, reload: true)
        }
    }
}

// MARK: - Messages

extension Session {
    private func receive(_ event: TurboEvent) throws {
        switch event {
        case .turboIsReady(let isReady):
            isTurboReady = isReady
            if !isReady { delegate?.session(self, didMeet: .turboMissing) }
        case .visit(let event): try receive(event)
        case .visitProposed(let url, let options):
            try delegate?.session(self, didProposeVisitTo: url, options: options)
        case .linkActivated(let url): delegate?.session(self, didFollowLinkTo: url)
        case .crossOriginRedirect(let url, let identifier):
            guard identifier == current?.visit.identifier else { return try tellOfOther(identifier) }
            take(.redirectResolved(url))
        case .refreshingPage(_, let options):
            guard let visitable = topmost?.visitable else { return }
            begin(makeVisit(.pageRefresh, visitable, options), visitable)
        case .pageInvalidated: reload()
        case .formSubmissionStarted(let url): delegate?.session(self, didStartFormSubmissionTo: url)
        case .formSubmissionFinished(let url): delegate?.session(self, didFinishFormSubmissionTo: url)
        // They stand in the log, as messages.
        case .scrollingToAnchor, .errorRaised, .log: break
        }
    }

    private func receive(_ event: Visit.Event) throws {
        if case .visitStarted(let identifier) = event, unnamedVisits > 0 {
            unnamedVisits -= 1
            return remember(identifier)
        }
        if !take(event) { try tellOfOther(event.identifier) }
    }

    /// - Throws: the verdict, unless it is a visit that is over.
    private func tellOfOther(_ identifier: String?) throws {
        if let identifier, pastIdentifiers.contains(identifier) { return }
        throw DroppedMessage(.otherVisit(identifier, current: current?.visit))
    }
}

extension Verdict.Reason {
    /// Turbo tells of a visit that the app did not ask for.
    public static let otherVisit = Verdict.Reason(rawValue: "otherVisit")
}

extension Verdict {
    fileprivate static func otherVisit(_ identifier: String?, current: Visit?) -> Verdict {
        let expected = current.map { visit in
            let name = visit.identifier.map { ", which Turbo calls \($0)" } ?? ""
            return "an event of the \(visit.kind == .coldBoot ? "cold boot" : "visit") of \(visit.url)\(name)"
        }
        return Verdict(
            .dropped, reason: .otherVisit, expected: expected ?? "no event: nothing is visited",
            found: identifier.map { "one of the visit \($0)" } ?? "one of another",
            at: identifier == nil ? nil : "/data/identifier",
            hint: """
                The page visits by itself, as when the browser's back button is pressed, which no phone has, or when a script \
                calls Turbo.navigator: use bridged's back, and Turbo.visit.
                """)
    }
}

// MARK: - Loads

extension Session: WKNavigationDelegate {
    public func webView(_ webView: WKWebView, didStartProvisionalNavigation navigation: WKNavigation!) {
        isTurboReady = false
        unnamedVisits = 0
        if navigation === self.navigation {
            take(.loadStarted)
        } else {
            invalidate()
            self.navigation = navigation
            delegate?.sessionDidStartUnaskedLoad(self)
            // To adopt it is to begin a visit, which forgets the load before it.
            if self.navigation == nil { self.navigation = navigation }
        }
    }

    public func webView(
        _ webView: WKWebView, decidePolicyFor navigationResponse: WKNavigationResponse,
        decisionHandler: @escaping @MainActor @Sendable (WKNavigationResponsePolicy) -> Void
    ) {
        // WebKit's app cancels a response that is no success, and keeps the page that it had; here it is shown already.
        decisionHandler(.allow)
        if let response = navigationResponse.response as? HTTPURLResponse {
            take(.responded(status: response.statusCode))
        }
    }

    public func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!) {
        guard navigation === self.navigation, current?.visit.kind == .coldBoot, isVisiting else { return }
        take(.loaded)
        readiness = Task { [weak self, readyTimeout] in
            guard (try? await Task.sleep(for: readyTimeout)) != nil, let self, isVisiting else { return }
            delegate?.session(self, didMeet: isTurboReady ? .pageLoadedMissing : .adapterMissing)
            take(.pageLoadFailed)
        }
    }

    public func webView(
        _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!, withError error: any Error
    ) {
        didFail(navigation, error)
    }

    public func webView(_ webView: WKWebView, didFail navigation: WKNavigation!, withError error: any Error) {
        didFail(navigation, error)
    }

    private func didFail(_ navigation: WKNavigation, _ error: any Error) {
        // What is cancelled makes room for another load.
        guard navigation === self.navigation, (error as? URLError)?.code != .cancelled, isVisiting else { return }
        delegate?.session(self, didMeet: .pageLost(error.localizedDescription))
        take(.loadFailed((error as? URLError)?.code == .timedOut ? .timeoutFailure : .networkFailure))
    }

    public func webViewWebContentProcessDidTerminate(_ webView: WKWebView) {
        invalidate()
        delegate?.sessionWebViewProcessDidTerminate(self)
    }
}
