import BridgeProtocol
import Foundation
import PathConfiguration

/// One visit of a session as a state machine: it takes events and returns effects; see hotwire-native-ios,
/// `ColdBootVisit` and `JavaScriptVisit`.
///
/// It is a value type and does no I/O. Late and repeated events are normal and change nothing.
struct Visit: Sendable, Equatable {
    enum Kind: String, Sendable {
        /// The web view loads the URL. The visit ends when the page reports `pageLoaded`.
        case coldBoot
        /// Turbo in the current page visits the URL.
        case javaScript
        /// Turbo 8 refreshes the page by itself.
        case pageRefresh
    }

    enum State: String, Sendable { case initialized, started, canceled, failed, completed }

    enum Event: Sendable, Equatable {
        // The web view's load.
        case loadStarted
        case responded(status: Int)
        case loaded
        case loadFailed(TurboError)
        // Turbo in the page is ready and has rendered, or the page has no Turbo.
        case pageLoaded(restorationIdentifier: String)
        case pageLoadFailed
        // Turbo's own visit. `visitStarted` brings the identifier of the later events.
        case visitStarted(identifier: String)
        case requestStarted(identifier: String)
        case requestCompleted(identifier: String)
        /// - Parameter hasCachedSnapshot: whether Turbo shows a snapshot. Only Android's adapter reports it.
        case requestFailed(identifier: String, statusCode: Int, hasCachedSnapshot: Bool = false)
        case requestFinished(identifier: String)
        case rendered(identifier: String)
        case completed(identifier: String, restorationIdentifier: String)
        /// The server's answer about the URL of a failed request.
        case redirectResolved(RedirectResolver.Result)
        case evaluationFailed
        case cancel
    }

    /// An effect that the session carries out.
    enum Effect: Sendable, Equatable {
        case load(URL)
        /// Shows a response that came with the visit's proposal.
        case show(html: String, URL)
        case evaluate(String)
        case cancelTurboVisit(identifier: String)
        /// The session finds out where that URL redirects to, which is always the visit's own.
        case resolveRedirect(URL)
        /// The session makes a cold boot: the server answers, so Turbo's request may have failed by accident.
        case retry(status: Int)
        case notify(Notice)
    }

    /// A call of the session's delegate. A successful visit makes the first six in this order;
    /// `webViewLoaded` only if it is a cold boot.
    enum Notice: Sendable, Equatable {
        case willStart, requestStarted, requestFinished, rendered, webViewLoaded, completed
        case failed(TurboError)
        case redirectedToOtherOrigin(URL)
        /// The session makes a cold boot instead.
        case evaluationFailed
    }

    let kind: Kind
    let url: URL
    let options: VisitOptions
    private(set) var state = State.initialized
    /// Turbo's identifier, once its visit has started.
    private(set) var identifier: String?
    /// The key with which a restore visit finds the scroll position and the snapshot.
    private(set) var restorationIdentifier: String?
    /// Whether the visit failed while Turbo showed a snapshot. On Android no error covers that; see
    /// `HotwireWebFragmentDelegate.kt`, `requestFailedWithError`.
    private(set) var showsSnapshot = false
    private var isRequesting = false
    /// Turbo's status, while the session finds out where the URL redirects to.
    private var failedStatus: Int?
    private let framework: Framework

    /// - Parameter framework: decides what follows a failed request. Android's adapters get the options as JSON text.
    init(
        _ kind: Kind, to url: URL, _ options: VisitOptions = VisitOptions(), restorationIdentifier: String? = nil,
        framework: Framework = .default
    ) {
        self.framework = framework
        self.kind = kind
        self.url = url
        var options = options
        if !framework.passesRedirected { options.response?.redirected = nil }
        self.options = options
        self.restorationIdentifier = restorationIdentifier
    }

    /// - Parameter isUnderWay: whether the web view loads the URL already.
    mutating func start(isUnderWay: Bool = false) -> [Effect] {
        guard state == .initialized else { return [] }
        state = .started
        switch kind {
        case .coldBoot: return [.notify(.willStart)] + (isUnderWay ? [] : [firstLoad]) + startRequest()
        case .pageRefresh: return [.notify(.willStart)]
        case .javaScript:
            return [
                .notify(.willStart),
                .evaluate(framework.platform == .android ? androidCall : call(options.withoutSnapshot)),
            ]
        }
    }

    private func call(_ options: any JavaScriptConvertible, restoring identifier: String?) -> String {
        JavaScriptCall(
            "window.turboNative.visitLocationWithOptionsAndRestorationIdentifier", url.absoluteString, options,
            identifier
        ).source
    }

    private func call(_ options: any JavaScriptConvertible) -> String {
        call(options, restoring: restorationIdentifier)
    }

    /// Android restores only a page with an identifier, and passes none for other visits; see `Session.kt`,
    /// `visitLocation`.
    private var androidCall: String {
        let restores = options.action == .restore
        var passed = options
        if restores, restorationIdentifier == nil { passed.action = .advance }
        return call(passed.jsonText, restoring: restores ? restorationIdentifier ?? "" : "")
    }

    /// A response that came with the proposal needs no second request; see `ColdBootVisit.swift`.
    private var firstLoad: Effect {
        guard let response = options.response, (200..<300).contains(response.statusCode),
            let html = response.responseHTML
        else { return .load(url) }
        return .show(html: html, url)
    }

    /// - Returns: nil if the event belongs to another visit.
    mutating func handle(_ event: Event) -> [Effect]? {
        switch event {
        case .cancel: cancel()
        case .evaluationFailed: end(.failed, .evaluationFailed)
        case .redirectResolved(let result): resolved(result)
        default: kind == .coldBoot ? handleAsColdBoot(event) : handleAsTurboVisit(event)
        }
    }

    private mutating func handleAsColdBoot(_ event: Event) -> [Effect]? {
        switch event {
        case .loadStarted: return []
        case .responded(let status): return (200..<300).contains(status) ? [] : fail(.http(statusCode: status))
        case .loaded: return finishRequest()
        case .loadFailed(let error): return fail(error)
        case .pageLoadFailed: return fail(.pageLoadFailure)
        case .pageLoaded(let restorationIdentifier):
            guard state == .started else { return [] }
            self.restorationIdentifier = restorationIdentifier
            return [.notify(.rendered)] + finishRequest() + [.notify(.webViewLoaded)] + end(.completed, .completed)
        default: return nil
        }
    }

    private mutating func handleAsTurboVisit(_ event: Event) -> [Effect]? {
        if case .visitStarted(let identifier) = event {
            guard state == .started else { return nil }
            self.identifier = identifier
            return []
        }
        guard let identifier = event.identifier, identifier == self.identifier else { return nil }
        switch event {
        case .requestStarted: return startRequest()
        case .requestFinished: return finishRequest()
        case .requestFailed(_, let statusCode, let hasCachedSnapshot):
            showsSnapshot = hasCachedSnapshot
            // Turbo gets no HTTP status if the browser did not follow a redirect to another origin. The daemon asks only
            // for the URL that the app visits, and only once: a page must not make it send other requests.
            guard statusCode <= 0, state == .started, framework.fetchRecovery != .none else {
                return fail(TurboError(statusCode: statusCode))
            }
            guard failedStatus == nil else { return [] }
            failedStatus = statusCode
            return [.resolveRedirect(url)]
        case .rendered: return state == .started || state == .completed ? [.notify(.rendered)] : []
        case .completed(_, let restorationIdentifier):
            guard state == .started else { return [] }
            self.restorationIdentifier = restorationIdentifier
            return end(.completed, .completed)
        default: return []
        }
    }

    private mutating func startRequest() -> [Effect] {
        guard state == .started, !isRequesting else { return [] }
        isRequesting = true
        return [.notify(.requestStarted)]
    }

    private mutating func finishRequest() -> [Effect] {
        guard isRequesting else { return [] }
        isRequesting = false
        return [.notify(.requestFinished)]
    }

    private mutating func fail(_ error: TurboError) -> [Effect] {
        guard state == .started else { return [] }
        return end(.failed, .failed(error)) + finishRequest()
    }

    /// A response that is not HTML fails at once, because Turbo cannot run in it. It also fails at once if the daemon
    /// cannot reach the server either: a cold boot would fail, too, and would remove the page that is shown.
    private mutating func resolved(_ result: RedirectResolver.Result) -> [Effect] {
        guard state == .started, let failedStatus else { return [] }
        let error = TurboError(statusCode: failedStatus)
        switch result {
        case .crossOrigin(let redirect): return end(.canceled, .redirectedToOtherOrigin(redirect))
        case .noRedirect where error != .contentTypeMismatch && framework.fetchRecovery == .redirectsAndRetry:
            return [.retry(status: failedStatus)]
        // Turbo itself follows redirects on its own host. A cold boot here could repeat without end.
        case .sameHost, .noRedirect, .unreachable: return fail(error)
        }
    }

    private mutating func end(_ state: State, _ notice: Notice) -> [Effect] {
        guard self.state == .started else { return [] }
        self.state = state
        return [.notify(notice)]
    }

    private mutating func cancel() -> [Effect] {
        guard state == .started else { return [] }
        state = .canceled
        return (identifier.map { [.cancelTurboVisit(identifier: $0)] } ?? []) + finishRequest()
    }
}

extension Visit.Event {
    /// The identifier of Turbo's visit; nil for other events.
    var identifier: String? {
        switch self {
        case .visitStarted(let identifier), .requestStarted(let identifier), .requestCompleted(let identifier),
            .requestFailed(let identifier, _, _), .requestFinished(let identifier), .rendered(let identifier),
            .completed(let identifier, _):
            identifier
        default: nil
        }
    }
}
