public import Foundation

/// A screen that shows a web page, which a session visits.
@MainActor public protocol Visitable: AnyObject {
    /// The URL that the screen was made with.
    var initialVisitableURL: URL { get }
    /// The URL of the screen's latest visit. When another screen takes the web view, it becomes the URL that the page
    /// has then. The session sets it.
    var currentVisitableURL: URL { get set }
    /// Set by the session, which uses it to restore the page.
    var restorationIdentifier: String? { get set }
}

/// Receives the events of a session's visits.
///
/// A successful visit calls, in this order: `willStart`, `didStartRequest`, `didFinishRequest`, `didRender`,
/// `didLoadWebView` (cold boots only), `didComplete`. If the page reports that it has rendered before its load is complete,
/// `didFinishRequest` comes after `didRender`.
@MainActor public protocol SessionDelegate: AnyObject {
    /// Turbo in the page proposes a visit.
    /// - Throws: `DroppedMessage` with the verdict on the page's message if no visit follows.
    func session(_ session: Session, didProposeVisitTo url: URL, options: VisitOptions) throws
    /// The visit was redirected to another origin, where Turbo cannot follow.
    func session(_ session: Session, didProposeVisitToCrossOriginRedirect url: URL)
    /// A cold boot was redirected: on iOS by the server to another host, on Android also by a script of the page.
    /// - Parameter isLoading: whether the web view loads the new URL already. Then call `Session.adopt(_:)` to make the load
    ///   the visit of a new screen. Otherwise the load was cancelled.
    func session(_ session: Session, didRedirectColdBootTo url: URL, isLoading: Bool)
    /// The user follows a link to another host, or one that opens a window. (Not in hotwire-native-ios, where the navigation
    /// delegate decides.)
    func session(_ session: Session, didFollowLinkTo url: URL)
    /// The user follows a link that leads nowhere.
    func session(_ session: Session, didCancelLinkTo url: URL)
    /// The app's framework opens no window for a page.
    func session(_ session: Session, didCancelWindowFor url: URL)
    /// The page reloads itself.
    func sessionDidRequestReload(_ session: Session)
    /// The browser loaded another document by itself, because of its user or a link without Turbo. Call
    /// `Session.adopt(_:)` to make the load a visit.
    func sessionDidStartUnaskedLoad(_ session: Session)
    func session(_ session: Session, willStartVisitOf visitable: any Visitable, kind: String, options: VisitOptions)
    func session(_ session: Session, didStartRequestOf visitable: any Visitable, action: VisitAction)
    func sessionDidLoadWebView(_ session: Session)
    /// The document of a cold boot has loaded. The visit completes when Turbo in it is ready, which may never be. (Not in
    /// hotwire-native-ios.)
    func sessionDidLoadDocument(_ session: Session)
    func session(_ session: Session, didFinishRequestOf visitable: any Visitable)
    func session(_ session: Session, didRender visitable: any Visitable)
    func session(_ session: Session, didCompleteVisitOf visitable: any Visitable)
    func session(_ session: Session, didFailRequestFor visitable: any Visitable, error: TurboError)
    func session(_ session: Session, didStartFormSubmissionTo url: URL?)
    func session(_ session: Session, didFinishFormSubmissionTo url: URL?)
    /// The session is about to request a URL again that it has requested already, without anything that the user did.
    func session(_ session: Session, willRepeatRequestBecause cause: RepeatedRequest)
    /// A visit met a problem that the page's developer can fix.
    func session(_ session: Session, didMeet problem: VisitProblem)
    /// The session has forgotten its document. (Not in hotwire-native-ios.)
    func sessionDidReset(_ session: Session)
    func sessionWebViewProcessDidTerminate(_ session: Session)
}
