public import Foundation

/// A screen that shows a web page, which a session visits.
@MainActor public protocol Visitable: AnyObject {
    var visitableURL: URL { get }
    /// Set by the session, which uses it to restore the page.
    var restorationIdentifier: String? { get set }
}

/// Receives the events of a session's visits.
///
/// A successful visit calls, in this order: `willStart`, `didStartRequest`, `didLoadWebView` (cold boots only),
/// `didFinishRequest`, `didRender`, `didComplete`.
@MainActor public protocol SessionDelegate: AnyObject {
    /// Turbo in the page proposes a visit.
    /// - Throws: `DroppedMessage` with the verdict on the page's message if no visit follows.
    func session(_ session: Session, didProposeVisitTo url: URL, options: VisitOptions) throws
    /// The visit was redirected to another origin, where Turbo cannot follow.
    func session(_ session: Session, didProposeVisitToCrossOriginRedirect url: URL)
    /// The user follows a link to another host, or one that opens a window. (Not in hotwire-native-ios, where the navigation
    /// delegate decides.)
    func session(_ session: Session, didFollowLinkTo url: URL)
    /// The browser loaded another document by itself, because of its user or a link without Turbo. Call
    /// `Session.adopt(_:)` to make the load a visit.
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
    /// A visit failed for a reason that the page's developer can fix.
    func session(_ session: Session, didMeet problem: VisitProblem)
    func sessionWebViewProcessDidTerminate(_ session: Session)
}
