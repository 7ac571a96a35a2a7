public import BridgeProtocol

/// The interface through which control methods (`app.state`, `app.actions`, `app.perform`) and tests use an app, emulated
/// or real. A module that depends on this one implements it: `server.app = app`. On the main actor.
@MainActor public protocol ControllableApp: AnyObject {
    /// The state that the app shows, as the members of one object (docs/control.md).
    var state: [JSONValue.Member] { get }
    var actions: [Action] { get }
    /// Whether the app itself is the web view `main`, so that a new `WKWebView` is not. True by default.
    var isMainWebView: Bool { get }
    /// The web view of the screen that the user sees, `main` by default. Nil if the screen has none.
    var visibleWebView: String? { get }
    /// Whether a web view of the visible screen has begun no load yet, or its load goes on. False by default.
    func isLoading(_ webView: String) -> Bool
    /// The visit that is under way in a web view, or the last one there. `none` by default.
    func visit(in webView: String) -> AppVisit
    /// Records a problem of a visit that is under way at once. Otherwise the app reports it after some seconds. Does
    /// nothing by default.
    func findProblems() async
    /// Performs the action of that name.
    /// - Returns: what the action did. Whether the page has got its replies is known later; see
    ///   ``ActionResult/arrive()``.
    /// - Throws: ``ActionError`` if the app has no such action or the arguments do not fit it; ``ActionRefusal`` if the
    ///   app cannot perform it now.
    @discardableResult
    func perform(_ name: String, _ arguments: Action.Arguments) throws -> ActionResult
    /// Ends the app, so that the next page starts it, as after a fresh install. Does nothing by default: a real app keeps
    /// its own state.
    func reset()
    /// Declares bridge components without Swift, as one object by their names (docs/write-a-component.md). Refuses by
    /// default.
    /// - Throws: an ``ActionRefusal`` for a mistake in it.
    func declare(components: JSON) throws
    /// Answers an event in place of a bridge component. Refuses by default.
    /// - Throws: an ``ActionRefusal`` for a mistake in the response.
    func stub(component: String, event: String, response: JSON) throws
    /// Takes back what tools have declared and stubbed. Does nothing by default.
    func resetComponents()
    /// Says which rules of the path configuration match a URL, and what the app does with it, as one JSON object.
    /// - Throws: an ``ActionRefusal`` if the text is not a URL.
    func explain(_ url: String) throws -> any JSONWritable & Sendable
    /// Says why the latest visits were made, who made each request for them, and what other releases do, as one JSON object
    /// (docs/control.md, `visits.explain`).
    /// - Parameters:
    ///   - url: the URL or path of the visits to explain; nil for all visits.
    ///   - last: how many of the latest visits to explain.
    /// - Throws: an ``ActionRefusal`` if the text is not a URL, or the app does not know why it visits.
    func explainVisits(to url: String?, last: Int) throws -> any JSONWritable & Sendable
}

extension ControllableApp {
    public var isMainWebView: Bool { true }
    public var visibleWebView: String? { "main" }
    public func isLoading(_ webView: String) -> Bool { false }
    public func visit(in webView: String) -> AppVisit { .none }
    public func findProblems() async {}
    public func reset() {}

    public func declare(components: JSON) throws {
        throw ActionRefusal("only the emulated app has declared components: this app's are in its own code.")
    }

    public func stub(component: String, event: String, response: JSON) throws { try declare(components: response) }

    public func resetComponents() {}

    /// Refuses: a real app decides by itself.
    public func explainVisits(to url: String?, last: Int) throws -> any JSONWritable & Sendable {
        throw ActionRefusal("only the emulated app can explain its visits. bridged serve has one.")
    }
}
