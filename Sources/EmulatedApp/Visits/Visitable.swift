public import Foundation

/// A screen that shows a web page: what a session visits.
@MainActor public protocol Visitable: AnyObject {
    var visitableURL: URL { get }
    /// Kept for the session, which a restore visit gets it back from.
    var restorationIdentifier: String? { get set }
}

/// Hears what becomes of a session's visits. On the main actor. For a good visit, in this order: `willStart`,
/// `didStartRequest`, for a cold boot `didLoadWebView`, `didFinishRequest`, `didRender`, `didComplete`.
@MainActor public protocol SessionDelegate: AnyObject {
    /// Turbo in the page asks for a visit.
    /// - Throws: `DroppedMessage`, the verdict on the page's message where nothing comes of it.
    func session(_ session: Session, didProposeVisitTo url: URL, options: VisitOptions) throws
    /// The visit was redirected to another origin, where Turbo can't follow.
    func session(_ session: Session, didProposeVisitToCrossOriginRedirect url: URL)
    /// The user follows a link to another host. (Ours: WebKit's app is asked by its navigation delegate.)
    func session(_ session: Session, didFollowLinkTo url: URL)
    /// The browser went to another document by itself: its user's doing, or a link without Turbo. Call
    /// `Session.adopt(_:)` to make it a visit.
    func sessionDidStartUnaskedLoad(_ session: Session)
    func session(_ session: Session, willStartVisitOf visitable: any Visitable, kind: String, options: VisitOptions)
    func session(_ session: Session, didStartRequestOf visitable: any Visitable, action: VisitAction)
    func sessionDidLoadWebView(_ session: Session)
    func session(_ session: Session, didFinishRequestOf visitable: any Visitable)
    func session(_ session: Session, didRender visitable: any Visitable)
    func session(_ session: Session, didCompleteVisitOf visitable: any Visitable)
    func session(_ session: Session, didFailRequestFor visitable: any Visitable, error: TurboError)
    func session(_ session: Session, didStartFormSubmissionTo url: URL?)
    func session(_ session: Session, didFinishFormSubmissionTo url: URL?)
    /// Something went wrong that the page's developer should hear of.
    func session(_ session: Session, didMeet problem: VisitProblem)
    func sessionWebViewProcessDidTerminate(_ session: Session)
}
