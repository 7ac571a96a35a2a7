import BridgeProtocol

/// What a document asks of the window or frame that shows it. `ChromiumFrame` does it by DevTools, `FirefoxContext` by
/// WebDriver BiDi.
@MainActor protocol BrowserFrame: PageCommands, AnyObject {
    /// The document that is shown, or the last one.
    var document: DrivenDocument? { get set }
    var isMainFrame: Bool { get }
    /// The frame or window around this frame, which may have been removed.
    var parentFrame: (any BrowserFrame)? { get }
    /// The URL that the browser says it shows; empty if it has not said so.
    var url: String { get }

    /// Installs the scripts for the documents to come.
    func install(_ settings: WebViewSettings, for webView: DrivenWebView)

    /// Asks the browser for a content world of the document that is shown.
    /// - Parameter failed: is called if there is none. Otherwise the browser reports the world, and the document gets it
    ///   by ``DrivenDocument/add(_:)``.
    func makeWorld(_ name: String, _ settings: WebViewSettings, failed: @escaping () -> Void)

    /// Runs a program as native code does: no policy of the page applies, and the user seems to act.
    /// - Parameters:
    ///   - name: names the program in stacks; nil for none.
    ///   - completion: gets an object with either `result` or `exceptionDetails`.
    func run(
        _ program: String, name: String?, in world: ScriptWorld,
        completion: @escaping (Result<JSON, BrowserError>) -> Void)

    /// The name of the function of `callAsyncJavaScript`, which has none in WebKit; nil if it needs none here.
    var functionName: String? { get }

    /// Runs a user script that the page's policy forbids to run as one of the page's own.
    func runUserScript(_ source: String, name: String, in world: ScriptWorld)

    /// Where a script has thrown.
    func place(_ details: JSON, of script: (source: String, name: String?), in document: DrivenDocument) -> ScriptPlace

    /// Calls a method of the object of `web/driven.js`, and lets go of the remote values.
    /// - Parameters:
    ///   - awaits: whether the method returns a promise.
    ///   - completion: gets an object with `result`; nil if the result is not needed.
    func call(
        _ method: StaticString, of bridge: String, _ arguments: [BridgeArgument], in world: ScriptWorld, awaits: Bool,
        completion: ((Result<JSON, BrowserError>) -> Void)?)

    /// Calls a function with `callAsync` of `web/driven.js`, as if a script of the page called it, and waits for its answer.
    func callAsync(
        _ function: JSON, _ arguments: ScriptValue, of bridge: String, in world: ScriptWorld,
        completion: @escaping (Result<JSON, BrowserError>) -> Void)

    func navigate(_ navigation: PageNavigation)

    /// Whether native code answers dialogs, and not the user. A browser without a window has no user.
    var asksAboutDialogs: Bool { get }
    var hasUser: Bool { get }

    /// Lets the pages of the window use the camera and the microphone.
    func allow(_ devices: [CaptureDevice], done: @escaping () -> Void)
}

/// A place in a script. Lines and columns count from 1.
struct ScriptPlace {
    let url: String
    /// nil for a syntax error in Firefox, which tells it only in the page.
    let line: Int?
    let column: Int
}

/// An argument of a method of `web/driven.js`.
enum BridgeArgument {
    case text(String)
    /// A value as the browser has described it.
    case remote(JSON)
}
