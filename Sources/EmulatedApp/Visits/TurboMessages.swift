import BridgeProtocol
import Foundation

/// An event that the adapter posts to the handler `turbo` as `{name, data}`.
enum TurboEvent: Sendable, Equatable {
    case turboIsReady(Bool)
    case pageInvalidated
    case errorRaised(String)
    case visitProposed(URL, VisitOptions)
    case scrollingToAnchor(URL)
    case refreshingPage(URL, VisitOptions)
    case formSubmissionStarted(URL?)
    case formSubmissionFinished(URL?)
    case linkActivated(URL)
    case log(String)
    /// A finding of `web/turbo-diagnosis.js`.
    case finding(TurboFinding)
    /// Android: whether the element that the user touches keeps the screen from being pulled down.
    case touch(preventsPullToRefresh: Bool)
    case visit(Visit.Event)
}

/// The types of the messages' member `data`.
enum TurboData {
    struct Message<Data: Decodable & Sendable>: Decodable, Sendable { let data: Data }
    struct None: Decodable, Sendable {}
    struct Readiness: Decodable, Sendable { let isReady: Bool }
    struct Page: Decodable, Sendable { let restorationIdentifier: String }
    struct RaisedError: Decodable, Sendable { let error: String }
    struct Log: Decodable, Sendable { let message: String }
    struct Location: Decodable, Sendable { let location: URL }
    struct Proposal: Decodable, Sendable {
        let location: URL
        let options: VisitOptions
    }
    struct Identifier: Decodable, Sendable { let identifier: String }
    struct Failure: Decodable, Sendable {
        let identifier: String
        let statusCode: Int
    }
    struct Completion: Decodable, Sendable {
        let identifier: String
        let restorationIdentifier: String
    }
}

extension ScriptMessageDispatcher {
    /// Decodes every message of the adapter and calls `handle` with it.
    /// - Parameter handle: an error that it throws becomes the message's verdict.
    func onTurboMessages(_ handle: @escaping @MainActor (TurboEvent) throws -> Void) {
        func on<Data>(_ name: String, _ type: Data.Type, _ event: @escaping @Sendable (Data) -> TurboEvent)
        where Data: Decodable & Sendable {
            self.on(named: name, as: TurboData.Message<Data>.self) { message, _ in try handle(event(message.data)) }
        }
        on("turboIsReady", TurboData.Readiness.self) { .turboIsReady($0.isReady) }
        on("pageLoaded", TurboData.Page.self) { .visit(.pageLoaded(restorationIdentifier: $0.restorationIdentifier)) }
        on("pageLoadFailed", TurboData.None.self) { _ in .visit(.pageLoadFailed) }
        on("pageInvalidated", TurboData.None.self) { _ in .pageInvalidated }
        on("errorRaised", TurboData.RaisedError.self) { .errorRaised($0.error) }
        on("log", TurboData.Log.self) { .log($0.message) }
        on("turboFinding", TurboFinding.self) { .finding($0) }

        on("visitProposed", TurboData.Proposal.self) { .visitProposed($0.location, $0.options) }
        on("visitProposalScrollingToAnchor", TurboData.Proposal.self) { .scrollingToAnchor($0.location) }
        on("visitProposalRefreshingPage", TurboData.Proposal.self) { .refreshingPage($0.location, $0.options) }
        on("linkActivated", TurboData.Location.self) { .linkActivated($0.location) }
        on("formSubmissionStarted", TurboData.Location.self) { .formSubmissionStarted($0.location) }
        on("formSubmissionFinished", TurboData.Location.self) { .formSubmissionFinished($0.location) }

        on("visitStarted", TurboData.Identifier.self) { .visit(.visitStarted(identifier: $0.identifier)) }
        on("visitRequestStarted", TurboData.Identifier.self) { .visit(.requestStarted(identifier: $0.identifier)) }
        on("visitRequestCompleted", TurboData.Identifier.self) { .visit(.requestCompleted(identifier: $0.identifier)) }
        on("visitRequestFinished", TurboData.Identifier.self) { .visit(.requestFinished(identifier: $0.identifier)) }
        for name in ["visitRequestFailed", "visitRequestFailedWithNonHttpStatusCode"] {
            on(name, TurboData.Failure.self) {
                .visit(.requestFailed(identifier: $0.identifier, statusCode: $0.statusCode))
            }
        }
        on("visitRendered", TurboData.Identifier.self) { .visit(.rendered(identifier: $0.identifier)) }
        on("visitCompleted", TurboData.Completion.self) {
            .visit(.completed(identifier: $0.identifier, restorationIdentifier: $0.restorationIdentifier))
        }
    }
}
