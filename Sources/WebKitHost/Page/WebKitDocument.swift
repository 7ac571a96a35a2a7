import BridgeBrowsers
import BridgeProtocol
import CWebKitGTK

/// A document in the main frame of a web view. WebKitGTK does not tell the frames of a web view apart, so messages of all
/// frames are those of this document.
@MainActor final class WebKitDocument: ScriptRealm {
    /// nil when the window has closed.
    private weak var host: HostedWebView?
    var delegate: (any PageDelegate)? { host }
    /// nil until `init` has made it.
    private var attached: DrivenPage?
    private var hasLeft = false
    private var hasFrameMessages = false
    /// The messages of this round of the loop, which are sent in one batch.
    private var posted: [(message: BridgeBrowsers.ScriptMessage, end: @MainActor (MessageEnd) -> Void)] = []
    private var known: (url: String, title: String)

    /// The URL that the daemon knows.
    var url: String { known.url }

    init(_ url: String, in host: HostedWebView, after previous: WebKitDocument?, userAgent: String) {
        self.host = host
        known = (url, host.title)
        attached = DrivenPage(
            DrivenPage.Introduction(
                url: known.url, origin: Origin.of(known.url, with: host.webView.settings.schemes), isMainFrame: true,
                title: known.title,
                userAgent: userAgent),
            after: previous?.attached?.asPrevious, in: host.webView, realm: self)
        if let status = host.status { attached?.notify(UpdatePage(status: status)) }
    }

    // MARK: To the daemon

    func received(
        _ handler: HandlerInfo, _ value: GObject<JSCValue>, _ reply: PendingReply
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

    /// Reports once that messages come from a frame, whatever their `frameInfo` says.
    func noteFrameMessage(from origin: String) {
        guard !hasFrameMessages else { return }
        hasFrameMessages = true
        page?.report(
            "frameUnknown",
            "A frame of \(origin) posts messages. WebKitGTK does not tell frames apart, so isMainFrame is true for its messages, "
                + "and securityOrigin is that of the page. To test a check of them, use Chromium or Firefox.")
    }

    private func flush() {
        guard !posted.isEmpty else { return }
        attached?.post(posted)
        posted = []
    }

    /// Sends what has changed of the document.
    func changed(readyState: String? = nil) {
        guard let host else { return }
        let (url, title) = host.isOfDocumentToCome ? known : (host.url, host.title)
        guard readyState != nil || (url, title) != known else { return }
        attached?.notify(
            UpdatePage(
                url: url == known.url ? nil : url, title: title == known.title ? nil : title, readyState: readyState))
        known = (url, title)
    }

    /// The document's page at the daemon, which has got the messages that were posted before.
    var page: DrivenPage? {
        flush()
        return attached
    }

    func leave() {
        guard !hasLeft else { return }
        hasLeft = true
        page?.leave()
    }

    // MARK: From the daemon

    func evaluate(_ script: PageScript, completion: @escaping @MainActor (EvaluationResult) -> Void) {
        // A web view runs scripts in the document that it shows, which may be another one by now.
        guard !hasLeft, let host else { return completion(.failure(.pageGone(""))) }
        host.evaluate(script, completion: completion)
    }

    func update(_ settings: WebViewSettings) { host?.install(settings) }

    func endRound() {}
}
