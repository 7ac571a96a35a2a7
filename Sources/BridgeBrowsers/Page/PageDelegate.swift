package import BridgeProtocol

package typealias CommandValue = any JSONWritable & Sendable

/// What an engine owes: all that a driven page asks of the window or frame that shows its document, as Playwright's
/// `PageDelegate`. `ChromiumFrame` does it by DevTools, `FirefoxContext` by WebDriver BiDi, and `HostedWebView` in the
/// process of WebKitGTK. Beside it, an engine has a ``DrivenBrowser``, which opens and closes the windows, and a
/// ``ScriptRealm`` for each document, because scripts end with their document.
@MainActor package protocol PageDelegate: AnyObject {
    /// Gives the handlers and user scripts of the web view to the documents to come.
    func install(_ settings: WebViewSettings)

    // MARK: Loads

    func navigate(_ navigation: PageNavigation)
    /// Loads HTML as the document of its base URL, so that it has that URL's origin.
    func loadHTML(_ html: String, baseURL: String?) async throws
    func stopLoading() async throws

    // MARK: The user

    /// Does what a user does. The page cannot tell the difference.
    func perform(_ input: PageInput) async throws
    func perform(_ motion: PointerMotion) async throws
    /// A tap has not reached the element that is there. Another one follows.
    func tapMissed(_ point: ElementPoint) async
    /// Changes the size of the page, or the colours that its user prefers.
    func emulate(_ emulation: PageEmulation) async throws
    /// Whether native code answers dialogs, and not the user. A browser without a window has no user.
    var asksAboutDialogs: Bool { get }
    /// Whether the browser can ask its user what native code leaves to the user.
    var hasUser: Bool { get }

    // MARK: Pictures

    /// Takes a picture of what the window shows.
    /// - Parameters:
    ///   - rect: left, top, width and height of the part in points; nil for everything.
    ///   - width: the width of the picture in points; nil for that of the part.
    ///   - scale: the pixels a point; nil for those of the screen.
    /// - Returns: a PNG in base64.
    func snapshot(rect: [Double]?, width: Double?, scale: Double?) async throws -> String
    /// - Returns: a PDF in base64.
    func pdf() async throws -> String

    // MARK: Cookies and storage

    func cookies() async throws -> [BrowserCookie]
    func setCookie(_ cookie: BrowserCookie) async throws
    func deleteCookie(_ cookie: BrowserCookie) async throws
    /// Deletes all cookies, and what pages of these origins have stored.
    /// - Returns: the origins whose storage is left, because the browser has no command for it.
    func clearStorage(of origins: [String]) async throws -> [String]
}

/// A document as its `DrivenPage` uses it.
@MainActor package protocol ScriptRealm: AnyObject {
    /// The window or frame that shows the document, or another one by now; nil if it has closed.
    var delegate: (any PageDelegate)? { get }

    /// Runs a script, and calls `completion` once. Scripts run in the order of the calls.
    func evaluate(_ script: PageScript, completion: @escaping @MainActor (EvaluationResult) -> Void)

    /// Tells the document's worlds that the handlers or user scripts of the web view have changed.
    func update(_ settings: WebViewSettings)

    /// Called when everything that has arrived at once from the daemon was handled. A realm can now settle the promises
    /// of all messages that have ended with one call of the browser.
    func endRound()
}

/// What an engine owes in addition if its scripts run in another process, over DevTools or WebDriver BiDi. Its documents are
/// `DrivenDocument`s.
@MainActor protocol BrowserFrame: PageDelegate {
    /// The document that is shown, or the last one.
    var document: DrivenDocument? { get set }
    var isMainFrame: Bool { get }
    /// The frame or window around this frame, which may have been removed.
    var parentFrame: (any BrowserFrame)? { get }
    /// The URL that the browser says it shows; empty if it has not said so.
    var url: String { get }

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

extension PageDelegate {
    package func tapMissed(_ point: ElementPoint) async {}

    /// - Returns: the value of the command's result.
    /// - Throws: `methodNotFound`, or the browser's error.
    package func perform(_ command: DriverCommand) async throws(RPCError) -> CommandValue {
        do {
            return try await value(of: command)
        } catch let error as RPCError {
            throw error
        } catch {
            throw RPCError(.internalError, "\(error)")
        }
    }

    private func value(of command: DriverCommand) async throws -> CommandValue {
        switch command {
        case .loadHTML(let html, let baseURL): try await loadHTML(html, baseURL: baseURL)
        case .stop: try await stopLoading()
        case .snapshot(let rect, let width, let scale):
            return try await snapshot(rect: rect, width: width, scale: scale)
        case .input(let input): try await perform(input)
        case .emulate(let emulation): try await emulate(emulation)
        case .pdf: return try await pdf()
        case .allCookies: return try await cookies()
        case .setCookie(let cookie): try await setCookie(cookie)
        case .deleteCookie(let cookie): try await deleteCookie(cookie)
        case .clearStorage(let origins): return try await clearStorage(of: origins)
        case .point, .openWebView, .closeWebView: throw RPCError.methodNotFound(command.method)
        }
        return JSONValue.null
    }
}
