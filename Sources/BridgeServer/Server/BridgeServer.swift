public import BridgeProtocol
public import BridgeTraffic
import Foundation
public import Logging

/// The native half of a hybrid app: it listens for pages, hands their messages to handlers, and runs scripts in them.
/// On the main actor.
///
/// `runOnMainThread` serves on the main thread until `stop`, which is fastest. `start` serves on a thread of its own.
/// Handlers run on the main actor in both cases. A server that listens keeps itself alive until `stop`, so nothing
/// else has to retain it.
@MainActor public final class BridgeServer {
    /// The version of this program and of its package.
    public nonisolated static let version = Build.version

    /// The addresses of a listening server, and the credentials for it.
    public struct Address: Sendable {
        /// The URL for clients on this machine, such as `http://127.0.0.1:2734/`.
        public let url: String
        /// `http`, or `https` if the server has a certificate.
        public var scheme: String { String(url.prefix { $0 != ":" }) }
        public let port: UInt16
        public let addresses: [String]
        /// The path of the file with the token for tools (docs/protocol.md, "Security").
        public let discoveryFile: String
        /// The token that pages must present; nil if the server only listens on this machine.
        public let pageToken: String?
    }

    public let configuration: Configuration
    public let traffic: TrafficLog
    /// The address of the server while it listens; nil otherwise.
    public var address: Address? {
        if case .listening(_, let address) = state { address } else { nil }
    }
    /// The emulated app that tools inspect and control, if there is one.
    public var app: (any ControllableApp)? {
        get { control.appMethods.app }
        set { control.appMethods.app = newValue }
    }
    package let parts: ServerParts
    /// Called with the name of a web view that has no page and needs one. The closure opens a window for it.
    package var onPageMissing: (@MainActor (String) -> Void)?
    /// Called with the name of a web view whose native object is gone, so that nothing needs its window any more.
    package var onWebViewGone: (@MainActor (String) -> Void)?
    let control: Control
    /// The memory that the components of the app may take for messages of pages.
    package var componentMemory: MemoryShare { parts.memory.components }
    /// The passwords that the user of the app has typed for servers.
    package var passwords: Passwords { parts.drivers.passwords }
    let router = Router()
    let transport: TransportConfiguration
    /// The token of tools and drivers.
    package var token: String { transport.access.token.text }
    var state = State.stopped
    var discoveryFile: DiscoveryFile?
    /// The calls that wait until the server has started or stopped.
    var waiting: [CheckedContinuation<Void, Never>] = []

    /// - Throws: `ConfigurationError` if a setting cannot be used, `LogFileError` if the log cannot be opened, or an
    ///   error about files that are missing from the package.
    public init(_ configuration: Configuration = Configuration(), logger: Logger = Logger(label: "bridged")) throws {
        self.configuration = configuration
        transport = try TransportConfiguration(configuration)
        traffic = try TrafficLog(
            path: configuration.logPath,
            kept: configuration.limits.kept,
            waiting: RecordRing.Limits(
                records: configuration.limits.unwrittenRecords, bytes: configuration.limits.unwrittenBytes),
            redaction: configuration.redaction,
            tokens: [transport.access.token.text] + [transport.access.pageToken?.text].compactMap(\.self),
            logger: logger)
        parts = ServerParts(configuration, transport.appOrigins, traffic)
        PageRoutes(parts: parts, transport: transport, script: try BridgeScript(observed: configuration.observed))
            .install(in: router)
        InspectorRoutes(transport: transport).install(in: router)
        DemoRoutes(traffic: traffic, transport: transport).install(in: router)
        DocumentRoutes(parts: parts, access: transport.access).install(in: router)
        LaunchRoutes(missingScripts: parts.missingScripts).install(in: router)
        WebViewRoutes(parts: parts, access: transport.access).install(in: router)
        CallRoutes(parts: parts, access: transport.access).install(in: router)
        control = Control(parts)
        ControlRoutes(control: control, transport: transport, traffic: traffic).install(in: router)
        TrafficRoutes(
            nodes: control.nodes, access: transport.access, deadlines: parts.deadlines, log: traffic,
            harBytes: configuration.limits.recordBytes
        ).install(in: router)
    }

    // A task that awaits a page's answer must not wait for ever.
    isolated deinit { parts.documents.endEvaluations() }

    // MARK: Handlers and pages

    /// The handlers, scripts and user agent of web views that have no scope of their own.
    public var defaultScope: WebViewScope { parts.webViews.defaultScope }

    /// Gives a web view handlers, user scripts and a user agent of its own. Nil gives it the default scope again.
    public func setScope(_ scope: WebViewScope?, for webView: String) {
        parts.webViews.setScope(scope, for: webView)
    }

    /// The scope that was set for a web view; nil if the web view has the default scope.
    public func scope(for webView: String) -> WebViewScope? { parts.webViews.scopes[webView] }

    /// The URL of a document in a web view's scope.
    ///
    /// - Parameter number: nil for the empty document that a web view shows at first.
    /// - Returns: nil unless the server listens.
    public func url(ofDocument number: Int? = nil, for webView: String) -> String? {
        guard let address else { return nil }
        return "\(address.url)document?web-view=\(webView.queryEscaped)&key=\(transport.access.documentKey.text)"
            + (address.pageToken.map { "&token=\($0)" } ?? "") + (number.map { "&document=\($0)" } ?? "")
    }

    /// Serves an HTML document of a test at a path, with `bridge.js` before its first script.
    package func serve(_ html: String, at path: String) {
        let token = transport.access.pageToken.map { "&token=\($0.text)" } ?? ""
        let document = WebViewScope.Document(html: html).html(for: "main", token)
        router.on(.get, path) { _ in .html(document) }
    }

    /// The URL at which a browser starts to show a page. If that page does not load `bridge.js`, a problem
    /// `scriptMissing` says so.
    package func launchURL(to url: String) -> String { parts.missingScripts.launchURL(to: url) }

    /// Registers a handler in the default scope, under a name in `webkit.messageHandlers`, or replaces the handler with
    /// that name.
    public func addHandler(_ name: String, _ handler: MessageHandler) {
        defaultScope.handlers[name] = handler
    }

    /// Registers a closure that receives the messages to a name. It takes the place of a handler with that name.
    ///
    /// - Parameter handler: an error that it throws becomes the verdict `handlerFailed`.
    public func addHandler(_ name: String, _ handler: @escaping @MainActor (ScriptMessageContext) throws -> Void) {
        addHandler(
            name,
            .plain { _, message in
                do { try handler(message) } catch { return .handlerFailed(error, name: name) }
                return .handled
            })
    }

    /// Registers a closure that replies to the messages to a name: the page's promise is fulfilled with its value.
    ///
    /// - Parameter handler: an error that it throws rejects the promise with the error's text.
    public func addHandlerWithReply<Value: Encodable>(
        _ name: String, _ handler: @escaping @MainActor (ScriptMessageContext) async throws -> Value
    ) {
        addHandler(
            name,
            .replying { _, message, reply in
                startImmediately {
                    do { reply.resolve(try await ScriptValue(encoding: handler(message))) } catch {
                        reply.settle(.failure(error))
                    }
                }
            })
    }

    public func removeHandler(_ name: String) {
        defaultScope.handlers[name] = nil
    }

    /// Gives an object to the pages of the default scope, like Android's `WebView.addJavascriptInterface`. From their
    /// next load on, it is a global with that name.
    public func addJavascriptInterface(_ object: JavascriptInterface, name: String) {
        defaultScope.javascriptInterfaces[name] = object
    }

    public func removeJavascriptInterface(_ name: String) {
        defaultScope.javascriptInterfaces[name] = nil
    }

    /// Answers matching messages to a handler with a fixed reply. If several stubs match, the newest one answers. If no
    /// handler has this name, pages nevertheless find it in `webkit.messageHandlers`.
    ///
    /// - Parameters:
    ///   - webView: the web view whose pages, and the windows that they open, get the answer; nil for every web view.
    ///   - match: a subset of the body that a message must have; nil for every message.
    ///   - calls: the calls into the page, each after its delay.
    /// - Returns: the stub's id, for `removeStub`.
    @discardableResult
    public func stub(
        _ handler: String, webView: String? = nil, match: ScriptValue? = nil, reply: StubReply,
        delay: Duration = .zero, calls: [StubCall] = []
    ) -> String {
        parts.webViews.add(
            Stub(handler: handler, match: match, reply: reply, delay: delay, calls: calls), webView: webView)
    }

    public func removeStub(_ id: String) { _ = parts.webViews.removeStub(id) }

    /// Makes requests of driven browsers fail, wait, or get another response. If several faults match a request, the
    /// newest one applies.
    ///
    /// - Parameter webView: nil for the pages of every web view.
    /// - Returns: the fault's id, for `removeFault`.
    /// - Throws: an error that says why none of the attached pages can have it.
    @discardableResult
    public func add(_ fault: Fault, webView: String? = nil) throws(RPCError) -> String {
        try parts.documents.add(fault, webView: webView)
    }

    public func removeFault(_ id: String) { _ = parts.webViews.removeFault(id) }

    /// What a user does in the page that is shown.
    /// - Parameters:
    ///   - shownPage: returns the page that the user sees, or waits for it.
    ///   - throwIfEnded: throws if the actions must end, for example because a dialog is open.
    package func elementActions(
        until deadline: ContinuousClock.Instant, in shownPage: @escaping @MainActor () async throws -> Page,
        throwIfEnded: @escaping @MainActor () throws -> Void
    ) -> ElementActions {
        ElementActions(until: deadline, parts.webViews, in: shownPage, throwIfEnded: throwIfEnded)
    }

    /// The documents that are attached or away, oldest first.
    public var pages: [Page] { parts.documents.pages }

    /// The names to which a page can post: those of its handlers, and then those of its interface objects.
    package func receiverNames(of page: Page) -> [String] {
        parts.webViews.handlerInfo(of: page.webView).map(\.name)
            + parts.webViews.interfaceInfo(of: page.webView).map(\.name)
    }

    /// The names of the web views that native code has, in their order.
    package var webViewNames: [String] { parts.webViews.scopes.keys.sorted() }

    /// The page with this id; nil if it is gone.
    public func page(_ id: String) -> Page? { parts.documents.registry.page(withID: id) }

    /// The newest attached main-frame document of a web view.
    public func mainPage(of webView: String) -> Page? { parts.documents.registry.mainPage(of: webView) }

    /// Waits until the `load` event of a web view's document is over and the app's visit has ended.
    /// - Throws: `waitTimedOut` with what is still missing; `invalidRequest` if the visit has failed.
    package func loadedPage(of webView: String, within timeout: Duration) async throws(RPCError) -> Page {
        try await control.loads.page(at: .webView(webView), within: timeout)
    }

    /// Does what the app's user does: see ``PageLoads/perform(_:_:in:visitsEndWithin:)``.
    package func perform(
        _ name: String, _ arguments: Action.Arguments, in app: any ControllableApp, visitsEndWithin timeout: Duration?
    ) async throws {
        _ = try await control.loads.perform(name, arguments, in: app, visitsEndWithin: timeout)
    }

    /// Calls `observer` when a page attaches, comes back, changes, loses its connection or is gone.
    public func observePages(_ observer: @escaping @MainActor (TrafficRecord.PageEvent, Page) -> Void) {
        parts.documents.observe(observer)
    }

    // MARK: Origins

    /// The origins of the first page and of those that `addAppOrigin` and `Page.navigate` have added. They are the
    /// app's in addition to `Configuration.appOrigins`.
    public var addedAppOrigins: [String] { parts.origins.app.added.map(\.text) }

    /// Whether it is known which origins are the app's.
    package var hasAppOrigin: Bool { parts.origins.app.isDecided }

    /// Whether a URL has an origin of the app. True while it is not known which origins are.
    package func isOfApp(_ url: String) -> Bool {
        !hasAppOrigin || Origin(startOf: url).map(parts.origins.app.contains) ?? false
    }

    /// Makes the origin of a URL one of the app's: its pages get the web view that they ask for, such as `main`.
    /// - Returns: false if the URL has no origin.
    @discardableResult
    public func addAppOrigin(of url: String) -> Bool {
        guard let origin = Origin(startOf: url) else { return false }
        parts.origins.add(origin)
        return true
    }

    /// Calls `observer` with an origin that becomes one of the app's: that of the first page, or an added one.
    public func observeAppOrigins(_ observer: @escaping @MainActor (String) -> Void) {
        parts.origins.observe(observer)
    }

    // MARK: A cluster

    package var deadlines: Deadlines { parts.deadlines }

    /// The description of the control methods, also of a server that does not run.
    package var openRPC: OpenRPCDocument { control.openRPC }

    /// Makes this server a node of a cluster. Call it before pages attach.
    package func join(_ cluster: any ControlCluster) {
        control.nodes.cluster = cluster
        parts.documents.pagePrefix = cluster.node + "."
    }

    /// Answers a call that another node has passed on.
    /// - Parameter params: JSON text.
    /// - Returns: the JSON text of the response.
    package func answer(_ method: String, _ params: [UInt8]) async -> [UInt8] {
        await control.answer(method, try? JSON.parse(params, configuration.limits.json))
    }

    /// The description of this node for the other nodes.
    package func nodeInfo(_ node: String) -> JSONValue {
        let handlers = ([nil] + parts.webViews.namedWebViews).flatMap { parts.webViews.handlers(of: $0).keys }
        let stubs = parts.webViews.stubs.all
        return [
            "node": .string(node), "url": .string(address?.url ?? ""),
            "host": .string(ProcessInfo.processInfo.hostName), "pid": .number(Double(getpid())),
            "version": .string(BridgeServer.version), "startedAt": .string(control.daemon.startedAt.description),
            "pages": .number(Double(pages.count)),
            "handlers": .array(Set(handlers).sorted().map { .string($0) }),
            "stubs": .array(stubs.map { ["stub": .string($0.id), "handler": .string($0.rule.handler)] }),
        ]
    }

    // MARK: Events

    func handle(_ event: TransportEvent) {
        switch event {
        case .opened(let channel) where channel.role == .control: control.opened(channel)
        case .opened(let channel): parts.channel.opened(channel)
        case .received(let channel, let frame): parts.channel.received(frame, on: channel)
        case .called(let channel, let message): control.received(message, on: channel)
        case .closed(let channel, _) where channel.role == .control: control.closed(channel)
        case .closed(let channel, let closure): parts.channel.closed(channel, closure)
        case .requested(let request, let responder): handle(request, responder)
        case .abandoned(let id): control.abandoned(id)
        case .streamEnded(let stream): stream.ended()
        case .refused(let refusal): traffic.report(refusal)
        case .roundEnded: parts.channel.roundEnded()
        }
    }

    /// Answers a request, if the names in it belong to this machine.
    private func handle(_ request: HTTPRequest, _ responder: HTTPResponder) {
        let names = transport.access.uncertainNames(in: request.headers)
        guard let name = names.first else { return router.handle(request, responder) }
        parts.departure.waitingRequests.wait(holding: request.body.capacity) { [parts] report in
            parts.names.check(names, report: report)
        } then: { [self] result in
            let refusal: Refusal
            switch result {
            case .success(nil): return router.handle(request, responder)
            case .success(let objection?): refusal = .nameNotLocal(objection)
            case .failure(.noRoom):
                let what = "A request with \(request.body.count) bytes for \(request.path.forText)"
                refusal = .notHandled(
                    .memoryUsedUp, "\(what) was refused: \(parts.departure.waitingRequests.fullness).")
            case .failure(.daemonStops):
                refusal = .nameNotLocal((name, "had not answered when the daemon stopped"))
            }
            traffic.report(refusal)
            responder.respond(.refusal(refusal))
        }
    }

    // MARK: The shared server

    private static var sharedServer: BridgeServer?

    /// The server of web views that are made without naming one. If you set it, do so before the first web view is
    /// made, and start the server before pages attach.
    ///
    /// If it is not set, the first use makes a server with the default configuration and the port of `bridged serve`,
    /// 2734. If files of the package are missing, the program ends with an error that names them.
    public static var shared: BridgeServer {
        get {
            if let sharedServer { return sharedServer }
            do {
                let server = try makeShared()
                sharedServer = server
                return server
            } catch {
                fatalError("BridgeServer.shared can't be made: \(error)")
            }
        }
        set { sharedServer = newValue }
    }

    /// Makes the shared server at its first use. Tests of an app set it before the first web view is made.
    public static var makeShared: @MainActor () throws -> BridgeServer = {
        var configuration = Configuration()
        configuration.port = DaemonEndpoint.defaultPort
        return try BridgeServer(configuration)
    }
}
