import BridgeProtocol
import Foundation
import PathConfiguration

/// One visit of a session: events in, effects out. A value without I/O, as the frameworks' `ColdBootVisit` and
/// `JavaScriptVisit` behave. Late and repeated events are normal, and change nothing.
struct Visit: Sendable, Equatable {
    enum Kind: String, Sendable {
        /// The web view loads the URL; over when the page reports `pageLoaded`.
        case coldBoot
        /// Turbo in the page that is there visits the URL.
        case javaScript
        /// Turbo 8 refreshes the page by itself, without asking for a screen.
        case pageRefresh
    }

    enum State: String, Sendable { case initialized, started, canceled, failed, completed }

    /// What happens to it.
    enum Event: Sendable, Equatable {
        /// A load: it began, an HTTP status came, all is there, it broke off.
        case loadStarted
        case responded(status: Int)
        case loaded
        case loadFailed(TurboError)
        /// The page: Turbo is ready and drawn, or there is none.
        case pageLoaded(restorationIdentifier: String)
        case pageLoadFailed
        /// Turbo's own visit. It fixes the identifier that later events have.
        case visitStarted(identifier: String)
        case requestStarted(identifier: String)
        case requestCompleted(identifier: String)
        case requestFailed(identifier: String, statusCode: Int, url: URL?)
        case requestFinished(identifier: String)
        case rendered(identifier: String)
        case completed(identifier: String, restorationIdentifier: String)
        /// Where a request led that Turbo could not follow: another origin, or nil for nowhere.
        case redirectResolved(URL?)
        case evaluationFailed
        case cancel
    }

    /// What is to be done about it, in order.
    enum Effect: Sendable, Equatable {
        case load(URL)
        case evaluate(String)
        case cancelTurboVisit(identifier: String)
        /// Ask where that URL redirects to.
        case resolveRedirect(URL)
        case tell(Notice)
    }

    /// What the session's delegate hears, for a good visit in this order.
    enum Notice: Sendable, Equatable {
        case willStart, requestStarted, webViewLoaded, requestFinished, rendered, completed
        case failed(TurboError)
        case redirectedToOtherOrigin(URL)
        /// The session makes it a cold boot.
        case evaluationFailed
    }

    let kind: Kind
    let url: URL
    let options: VisitOptions
    private(set) var state = State.initialized
    /// Turbo's, once its visit has started.
    private(set) var identifier: String?
    /// What a restore visit brings the scroll position and the snapshot back by.
    private(set) var restorationIdentifier: String?
    private var isRequesting = false
    private let platform: Platform

    /// - Parameter platform: Android's adapters take options as JSON text.
    init(
        _ kind: Kind, to url: URL, _ options: VisitOptions = VisitOptions(), restorationIdentifier: String? = nil,
        platform: Platform = .ios
    ) {
        self.platform = platform
        self.kind = kind
        self.url = url
        self.options = options
        self.restorationIdentifier = restorationIdentifier
    }

    /// - Parameter isUnderWay: the web view loads it already.
    mutating func start(isUnderWay: Bool = false) -> [Effect] {
        guard state == .initialized else { return [] }
        state = .started
        switch kind {
        case .coldBoot: return [.tell(.willStart)] + (isUnderWay ? [] : [.load(url)])
        case .pageRefresh: return [.tell(.willStart)]
        case .javaScript:
            let passed: any JavaScriptConvertible = platform == .android ? options.jsonText : options
            let call = JavaScriptCall(
                "window.turboNative.visitLocationWithOptionsAndRestorationIdentifier", url.absoluteString, passed,
                restorationIdentifier)
            return [.tell(.willStart), .evaluate(call.source)]
        }
    }

    /// - Returns: nil where the event is another visit's.
    mutating func take(_ event: Event) -> [Effect]? {
        switch event {
        case .cancel: cancel()
        case .evaluationFailed: end(.failed, .evaluationFailed)
        case .redirectResolved(let url): resolved(url)
        default: kind == .coldBoot ? takeAsColdBoot(event) : takeAsTurboVisit(event)
        }
    }

    private mutating func takeAsColdBoot(_ event: Event) -> [Effect]? {
        switch event {
        case .loadStarted: return startRequest()
        case .responded(let status): return status >= 400 ? fail(.http(statusCode: status)) : []
        case .loaded: return []
        case .loadFailed(let error): return fail(error)
        case .pageLoadFailed: return fail(.pageLoadFailure)
        case .pageLoaded(let restorationIdentifier):
            guard state == .started else { return [] }
            self.restorationIdentifier = restorationIdentifier
            return [.tell(.webViewLoaded)] + finishRequest() + [.tell(.rendered)] + end(.completed, .completed)
        default: return nil
        }
    }

    private mutating func takeAsTurboVisit(_ event: Event) -> [Effect]? {
        if case .visitStarted(let identifier) = event {
            guard state == .started else { return nil }
            self.identifier = identifier
            return []
        }
        guard let identifier = event.identifier, identifier == self.identifier else { return nil }
        switch event {
        case .requestStarted: return startRequest()
        case .requestFinished: return finishRequest()
        case .requestFailed(_, let statusCode, let url):
            // Turbo is told nothing of a redirect that the browser would not follow to another origin.
            if statusCode == 0, state == .started { return [.resolveRedirect(url ?? self.url)] }
            return fail(TurboError(statusCode: statusCode))
        case .rendered: return state == .started || state == .completed ? [.tell(.rendered)] : []
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
        return [.tell(.requestStarted)]
    }

    private mutating func finishRequest() -> [Effect] {
        guard isRequesting else { return [] }
        isRequesting = false
        return [.tell(.requestFinished)]
    }

    private mutating func fail(_ error: TurboError) -> [Effect] {
        guard state == .started else { return [] }
        let finished = kind == .coldBoot ? finishRequest() : []
        return finished + end(.failed, .failed(error))
    }

    private mutating func resolved(_ redirect: URL?) -> [Effect] {
        guard let redirect else { return fail(.networkFailure) }
        return end(.canceled, .redirectedToOtherOrigin(redirect))
    }

    private mutating func end(_ state: State, _ notice: Notice) -> [Effect] {
        guard self.state == .started else { return [] }
        self.state = state
        return [.tell(notice)]
    }

    private mutating func cancel() -> [Effect] {
        guard state == .started else { return [] }
        state = .canceled
        return (identifier.map { [.cancelTurboVisit(identifier: $0)] } ?? []) + finishRequest()
    }
}

extension Visit.Event {
    /// Of Turbo's own visits.
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
