import BridgeBrowsers
import BridgeProtocol
import CWebKitGTK

/// A document in the main frame of a web view. WebKitGTK does not tell the frames of a web view apart, so messages of all
/// frames are those of this document.
@MainActor final class WebKitDocument: ScriptRealm {
    /// nil when the window has closed.
    private weak var host: HostedWebView?
    private var page: DrivenPage?
    private var hasLeft = false
    /// The messages of this round of the loop, which are sent in one batch.
    private var posted: [(message: BridgeBrowsers.ScriptMessage, end: @MainActor (MessageEnd) -> Void)] = []
    private var known: (url: String, title: String)

    /// The URL that the daemon knows.
    var url: String { known.url }

    init(_ url: String, in host: HostedWebView, after previous: WebKitDocument?, userAgent: String) {
        self.host = host
        known = (url, host.title)
        page = DrivenPage(
            DrivenPage.Introduction(
                url: known.url, origin: Origin.of(known.url), isMainFrame: true, title: known.title,
                userAgent: userAgent),
            after: previous?.page?.asPrevious, in: host.webView, realm: self)
        if let status = host.status { page?.update { $0.member("status", status) } }
    }

    // MARK: To the daemon

    func received(
        _ handler: WebViewSettings.Handler, _ value: GObject<JSCValue>, _ reply: PendingReply
    ) {
        do {
            let members = try ScriptValueCodec.of(value).body(value)
            let message = BridgeBrowsers.ScriptMessage(
                handler: handler.name, world: handler.world, replies: handler.replies, members: members)
            if posted.isEmpty { MainLoop.afterRound { [weak self] in self?.flush() } }
            posted.append((message, { [weak host] in host?.settle(reply, $0) }))
        } catch {
            let text = "postMessage to \"\(handler.name)\": the value has a part which bridged does not deliver: "
            reply.reject("\(text)\(error.reason).")
            host?.webView.onProblem("\(text)\(error.reason).")
        }
    }

    private func flush() {
        guard !posted.isEmpty else { return }
        page?.post(posted)
        posted = []
    }

    /// Sends what has changed of the document.
    func changed(readyState: String? = nil) {
        guard let host else { return }
        let (url, title) = host.isOfDocumentToCome ? known : (host.url, host.title)
        guard readyState != nil || (url, title) != known else { return }
        page?.update { writer in
            if url != known.url { writer.member("url", url) }
            if title != known.title { writer.member("title", title) }
            writer.member("readyState", ifPresent: readyState)
        }
        known = (url, title)
    }

    /// Sends a notification, after the messages that were posted before.
    func tell(_ method: String, _ write: (inout JSONWriter) -> Void) {
        flush()
        var writer = JSONWriter()
        writer.notification(method, params: write)
        page?.send(writer.bytes)
    }

    func tellHistory(_ history: BrowserHistory) { page?.tellHistory(history) }

    /// Tells how a request of the document has ended, after the messages that were posted before.
    func tell(_ request: FinishedRequest) {
        flush()
        host?.webView.tell(request, from: page)
    }

    /// Asks the daemon for the files of an open panel, after the messages that were posted before.
    /// - Parameter choose: gets their paths; none if the panel is dismissed.
    func openPanel(multiple: Bool, choose: @escaping @MainActor ([String]) -> Void) {
        flush()
        guard let page else { return choose([]) }
        page.askForFiles(multiple: multiple, choose: choose)
    }

    /// Asks native code about the camera and the microphone, after the messages that were posted before.
    func decideMediaCapture(_ devices: [CaptureDevice], decided: @escaping @MainActor (MediaDecision) -> Void) {
        flush()
        guard let page else { return decided(.deny) }
        page.decideMediaCapture(devices, hasUser: false, decided: decided)
    }

    /// Asks native code where the device is, after the messages that were posted before.
    func decideLocation(decided: @escaping @MainActor (LocationDecision) -> Void) {
        flush()
        guard let page else { return decided(.deny) }
        page.decideLocation(hasUser: false, decided: decided)
    }

    /// Asks the daemon for a user name and a password, after the messages that were posted before.
    func askForCredentials(
        _ challenge: AuthenticationChallenge, failed: Bool,
        decided: @escaping @MainActor ((user: String, password: String)?) -> Void
    ) {
        flush()
        guard let page else { return decided(nil) }
        page.askForCredentials(challenge, failed: failed, decided: decided)
    }

    /// Asks the daemon, after the messages that were posted before.
    func ask(
        _ method: String, _ write: (inout JSONWriter) -> Void,
        completion: @escaping @MainActor (Result<JSON, RPCError>) -> Void
    ) {
        flush()
        guard let page else { return completion(.failure(RPCError(.documentGone, "The document has left."))) }
        page.request(method, write, completion: completion)
    }

    /// Asks native code about a load, after the messages that were posted before.
    func decide(
        _ url: String, _ write: (inout JSONWriter) -> Void, decided: @escaping @MainActor (_ isAllowed: Bool) -> Void
    ) {
        flush()
        guard let page else { return decided(false) }
        page.decide(url, write, decided: decided)
    }

    /// Asks native code about a window, after the messages that were posted before.
    func askForWindow(_ url: String, decided: @escaping @MainActor (WindowDecision) -> Void) {
        flush()
        guard let page else { return decided(.refused) }
        page.askForWindow(url, decided: decided)
    }

    func leave() {
        guard !hasLeft else { return }
        hasLeft = true
        flush()
        page?.leave()
    }

    // MARK: From the daemon

    func evaluate(_ script: PageScript, completion: @escaping @MainActor (EvaluationResult) -> Void) {
        // A web view runs scripts in the document that it shows, which may be another one by now.
        guard !hasLeft else { return completion(.failure(.pageGone(""))) }
        guard let host else { return completion(.failure(.pageGone(""))) }
        host.evaluate(script, completion: completion)
    }

    func navigate(_ navigation: PageNavigation) { host?.navigate(navigation) }

    func update(_ settings: WebViewSettings) { host?.apply(settings) }

    func endRound() {}

    func perform(_ method: String, _ params: JSON) async throws(RPCError) -> JSONValue {
        guard let host else { throw RPCError(.documentGone, "The window has closed.") }
        return try await host.perform(method, params)
    }

    func tap(_ point: TapPoint) throws {
        guard !hasLeft, let host else { throw RPCError(.documentGone, "The document has left.") }
        host.tap(point)
    }
}
