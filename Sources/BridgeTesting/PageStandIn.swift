public import BridgeProtocol
public import BridgeServer

/// A page in memory, for tests of handlers without a browser. It needs no port: the server does not have to start.
///
/// ```swift
/// let page = PageStandIn(server)
/// let price = try await page.post(["name": "PriceQuery", "item": "tea"], to: "shop").decode(Price.self)
/// #expect(page.scripts == [#"window.bridge.shown("tea")"#])
/// ```
@MainActor public final class PageStandIn {
    /// The scripts that native code has run in the page, and the bodies of its async functions, oldest first.
    public private(set) var scripts: [String] = []
    /// Gives each script its value. An error that it throws becomes the script's exception.
    public var answer: @MainActor (String) throws -> ScriptValue = { _ in .undefined }

    private let server: BridgeServer
    private let webView: String
    private var url: String
    private var channel: Channel?
    private var documentID = ""
    private var seq = 0
    private var waiting: [Int: CheckedContinuation<ScriptValue, any Error>] = [:]
    /// The errors about messages that a plain handler dropped.
    private var dropped: [Int: RPCError] = [:]
    private static var channels = ConnectionID.max

    /// Attaches a page to the server.
    ///
    /// - Parameter webView: the name of the page's web view, which may be that of a `WKWebView`.
    public init(_ server: BridgeServer, url: String = "http://localhost/", webView: String = "main") {
        self.server = server
        self.webView = webView
        self.url = url
        attach()
    }

    /// The page on the server, which runs scripts; nil after ``leave()``.
    public var page: Page? { server.pages.first { $0.document == documentID } }

    /// A context for `ScriptMessageDispatcher.dispatch`, as a message of this page has it.
    public var context: ScriptMessageContext? {
        page.map {
            ScriptMessageContext(
                handler: "nativeApp", page: $0.id, webView: webView, url: url, seq: seq + 1, evaluator: $0)
        }
    }

    /// Posts a message, and waits until it is handled.
    ///
    /// - Returns: the reply, or `undefined` if the handler does not reply.
    /// - Throws: `RPCError` if the handler rejects the message, and also if it drops it, which a page sees only in its
    ///   console.
    @discardableResult
    public func post(_ body: ScriptValue, to handler: String = "nativeApp") async throws -> ScriptValue {
        seq += 1
        let number = seq
        return try await withCheckedThrowingContinuation { continuation in
            waiting[number] = continuation
            send { $0.call(PostMessage(seq: number, handler: handler, body: body), id: RequestID(number)) }
        }
    }

    /// Leaves the page, as if the user closed it.
    public func leave() {
        guard let channel else { return }
        self.channel = nil
        server.parts.channel.closed(channel, Closure(code: .goingAway, byPeer: true))
        for (_, continuation) in waiting.sorted(by: { $0.key < $1.key }) {
            continuation.resume(throwing: RPCError(.documentGone, "The page has left."))
        }
        waiting = [:]
    }

    // MARK: The wire

    private func attach() {
        let previous = documentID.isEmpty ? nil : AttachPage.Previous(document: documentID, seq: seq)
        let limits = Outbox.Limits(messages: 100_000, bytes: 1 << 30)
        let channel = Channel(id: Self.channels, role: .page, transport: Transport(page: self), limits: limits)
        documentID = "stand-in-\(Self.channels)"
        Self.channels -= 1
        self.channel = channel
        seq = 0
        server.parts.channel.opened(channel)
        let frame = FrameInfo(url: url, origin: "http://localhost", isMainFrame: true)
        let attach = AttachPage(
            document: documentID, webView: webView, frame: frame, userAgent: "PageStandIn", previous: previous)
        send { $0.call(attach, id: .string("attach")) }
        // With the first update, the document counts as loaded.
        send { $0.call(UpdatePage(visibility: "visible")) }
    }

    private func send(_ write: (inout JSONWriter) -> Void) {
        guard let channel else { return }
        var writer = JSONWriter()
        write(&writer)
        let frame = writer.bytes.withUnsafeBytes { bytes in
            Result { () throws(JSONParseError) in try PageFrame(bytes) }
        }
        server.parts.channel.received(frame, on: channel)
        server.parts.channel.roundEnded()
    }

    fileprivate func read() {
        while let batch = channel?.nextBatch() {
            let json = batch.send { bytes, payload in
                try? JSON.parse(UnsafeRawBufferPointer(rebasing: bytes[payload...]))
            }
            guard let json else { continue }
            for message in json.kind == .array ? json.elements : [json] { receive(RPCMessage(message)) }
        }
    }

    private func receive(_ message: RPCMessage) {
        switch message {
        case .success(let id, let result):
            guard let number = id.wholeNumber else { return }
            let value = try? ScriptValue(json: result["value"] ?? .null, types: result["types"])
            settle(number, dropped[number].map { .failure($0) } ?? .success(value ?? .undefined))
        case .failure(.null, let error):
            if let number = error.data?["seq"]?.wholeNumber { dropped[number] = error }
        case .failure(let id, let error):
            if let number = id.wholeNumber { settle(number, .failure(error)) }
        case .request(let id, let method, let params):
            if case .run(let script) = try? DaemonMessage(method, params) { run(script, id) }
        case .notification(let method, let params):
            guard case .navigate(.url(let url)) = try? DaemonMessage(method, params) else { return }
            leave()
            self.url = url
            attach()
        case .malformed: break
        }
    }

    private func settle(_ number: Int, _ result: Result<ScriptValue, RPCError>) {
        dropped[number] = nil
        waiting.removeValue(forKey: number)?.resume(with: result.mapError { $0 })
    }

    private func run(_ script: PageScript, _ id: RequestID) {
        let text =
            switch script.program {
            case .script(let source, _): source
            case .asyncFunction(let body, _): body
            }
        scripts.append(text)
        do {
            let value = try answer(text)
            send { $0.valueResult(id: id, value) }
        } catch {
            let exception = error as? JavaScriptException ?? JavaScriptException(name: "Error", message: "\(error)")
            send { $0.error(id: id, ScriptError.exception(exception).rpcError) }
        }
    }
}

/// Tells the page that something waits for it.
private final class Transport: ChannelTransport {
    private let page: @Sendable @MainActor () -> PageStandIn?

    init(page: PageStandIn) { self.page = { [weak page] in page } }

    func writeAfterRound(_ id: ConnectionID) { Task { @MainActor in page()?.read() } }

    func close(_ id: ConnectionID, _ code: CloseCode, _ reason: String) {
        Task { @MainActor in
            page()?.read()
            page()?.leave()
        }
    }
}
