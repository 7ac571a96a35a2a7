public import BridgeProtocol
public import BridgeTraffic
import Foundation
public import Logging

/// The native half of a hybrid app: it listens for pages, hands their messages to handlers, and runs scripts in them.
/// On the main actor.
///
/// `runOnMainThread` serves on the main thread until `stop`, which is fastest. `start` serves on a thread of its own.
/// Handlers run on the main actor in both cases.
@MainActor public final class BridgeServer {
    public nonisolated static let version = "0.1.0"

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
    public private(set) var address: Address?
    /// The emulated app that tools inspect and control, if there is one.
    public var app: (any ControllableApp)? {
        get { control.app }
        set { control.app = newValue }
    }
    private let hub: Hub
    private let control: Control
    let router = Router()
    private let transport: TransportConfiguration
    private var loop: EventLoop?
    private var discoveryFile: DiscoveryFile?
    private var stopped: [CheckedContinuation<Void, Never>] = []

    /// - Throws: `ConfigurationError` if a setting cannot be used, `LogFileError` if the log cannot be opened, or an
    ///   error about files that are missing from the package.
    public init(_ configuration: Configuration = Configuration(), logger: Logger = Logger(label: "bridged")) throws {
        self.configuration = configuration
        transport = try TransportConfiguration(configuration)
        traffic = try TrafficLog(
            path: configuration.logPath,
            kept: RecordRing.Limits(records: configuration.limits.records, bytes: configuration.limits.recordBytes),
            waiting: RecordRing.Limits(
                records: configuration.limits.unwrittenRecords, bytes: configuration.limits.unwrittenBytes),
            redaction: configuration.redaction,
            tokens: [transport.access.token.text] + [transport.access.pageToken?.text].compactMap(\.self),
            logger: logger)
        hub = Hub(configuration, transport.appOrigins, traffic)
        PageRoutes(hub: hub, transport: transport, script: try BridgeScript()).install(in: router)
        DemoRoutes(traffic: traffic, transport: transport).install(in: router)
        DocumentRoutes(hub: hub, access: transport.access).install(in: router)
        CallRoutes(hub: hub, access: transport.access).install(in: router)
        control = Control(hub: hub, transport: transport)
        ControlRoutes(control: control).install(in: router)
    }

    // MARK: Handlers and pages

    /// The handlers, scripts and user agent of web views that have no scope of their own.
    public var defaultScope: WebViewScope { hub.defaultScope }

    /// Gives a web view handlers, user scripts and a user agent of its own. Nil gives it the default scope again.
    public func setScope(_ scope: WebViewScope?, for webView: String) {
        hub.setScope(scope, for: webView)
    }

    /// The scope that was set for a web view; nil if the web view has the default scope.
    public func scope(for webView: String) -> WebViewScope? { hub.scopes[webView] }

    /// The URL of a document in a web view's scope.
    ///
    /// - Parameter number: nil for the empty document that a web view shows at first.
    /// - Returns: nil unless the server listens.
    public func url(ofDocument number: Int? = nil, for webView: String) -> String? {
        guard let address else { return nil }
        return "\(address.url)document?web-view=\(webView.queryEscaped)&key=\(transport.access.documentKey.text)"
            + (address.pageToken.map { "&token=\($0)" } ?? "") + (number.map { "&document=\($0)" } ?? "")
    }

    /// Registers a handler in the default scope, under a name in `webkit.messageHandlers`, or replaces the handler with
    /// that name.
    public func addHandler(_ name: String, _ handler: MessageHandler) {
        defaultScope.handlers[name] = handler
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
    ///   - webView: nil for the pages of every web view.
    ///   - match: a subset of the body that a message must have; nil for every message.
    /// - Returns: the stub's id, for `removeStub`.
    @discardableResult
    public func stub(
        _ handler: String, webView: String? = nil, match: ScriptValue? = nil, reply: StubReply,
        delay: Duration = .zero
    ) -> String {
        hub.stub(handler, webView: webView, match: match, reply: reply, delay: delay)
    }

    public func removeStub(_ id: String) { _ = hub.unstub(id) }

    /// The documents that are attached or away, oldest first.
    public var pages: [Page] { hub.pages }

    /// The page with this id; nil if it is gone.
    public func page(_ id: String) -> Page? { hub.registry.session(ofPage: id)?.page }

    /// The newest attached main-frame document of a web view.
    public func mainPage(of webView: String) -> Page? { hub.registry.mainSession(of: webView)?.page }

    /// Calls `observer` when a page attaches, comes back, changes, loses its connection or is gone.
    public func observePages(_ observer: @escaping @MainActor (TrafficRecord.PageEvent, Page) -> Void) {
        hub.pageObservers.append(observer)
    }

    // MARK: Origins

    /// The origins of the first page and of those that `addAppOrigin` and `Page.navigate` have added. They are the
    /// app's in addition to `Configuration.appOrigins`.
    public var addedAppOrigins: [String] { hub.appOrigins.added.map(\.text) }

    /// Makes the origin of a URL one of the app's: its pages get the web view that they ask for, such as `main`.
    /// - Returns: false if the URL has no origin.
    @discardableResult
    public func addAppOrigin(of url: String) -> Bool {
        guard let origin = Origin(startOf: url) else { return false }
        hub.addAppOrigin(origin)
        return true
    }

    /// Calls `observer` with an origin that becomes one of the app's: that of the first page, or an added one.
    public func observeAppOrigins(_ observer: @escaping @MainActor (String) -> Void) {
        hub.originObservers.append(observer)
    }

    // MARK: Life

    /// Serves on the calling thread until `stop`. It must be the main thread of a program without an async `main`.
    ///
    /// Tasks and timers of the main actor run meanwhile, because the loop also polls the main dispatch queue.
    /// - Parameter listening: is called once, when connections are accepted.
    /// - Throws: an error that says why the server cannot listen.
    public func runOnMainThread(_ listening: @MainActor (Address) throws -> Void) throws {
        let loop = try makeLoop(.mainThread)
        self.loop = loop
        defer { didStop() }
        try loop.runOnMainThread { try listening(publish($0)) }
    }

    /// Serves on a thread of its own until `stop`. It returns when connections are accepted.
    ///
    /// - Throws: an error that says why the server cannot listen.
    public func start() async throws -> Address {
        let loop = try makeLoop(.ownThread)
        self.loop = loop
        let listening = try await loop.startOnOwnThread { [weak self] in
            // The loop has already sent its last events to the main actor, so this runs after them.
            DispatchQueue.main.async { MainActor.assumeIsolated { self?.didStop() } }
        }
        return try publish(listening)
    }

    /// Stops accepting connections, handles the messages that clients have sent, writes the waiting messages, and
    /// closes every connection with 1001. Returns when all connections are closed.
    ///
    /// - Parameters:
    ///   - limit: the longest time to handle messages, for pages that do not stop posting.
    ///   - grace: the longest time to wait for the connections to close.
    public func stop(draining limit: Duration = .seconds(5), grace: Duration = .milliseconds(1_500)) async {
        guard let loop else { return }
        hub.beginStopping()
        traffic.waitForArchive(until: .now + limit)
        traffic.flush()
        await withCheckedContinuation { continuation in
            stopped.append(continuation)
            loop.stop(draining: limit, grace: grace)
        }
    }

    /// - Throws: `ConfigurationError` if the process may open too few descriptors for even one connection.
    private func makeLoop(_ placement: EventLoop.Placement) throws(ConfigurationError) -> EventLoop {
        var transport = transport
        transport.limits.connections = try roomForConnections(placement)
        return EventLoop(transport, placement: placement) { [weak self] event in self?.handle(event) }
    }

    /// The number of connections for which the process may open descriptors. If the loop runs on the main thread, the
    /// process is the daemon's own, so its limit may also be lowered.
    private func roomForConnections(_ placement: EventLoop.Placement) throws(ConfigurationError) -> Int {
        let wanted = transport.limits.connections
        let limit = DescriptorLimit.fit(wanted, mayLower: placement == .mainThread)
        let hint = "Raise the hard limit to \(DescriptorLimit.needed(for: wanted)) (ulimit -Hn, systemd's LimitNOFILE=)"
        guard limit.connections > 0 else {
            throw ConfigurationError(
                description:
                    "This process may have \(limit.descriptors) files open, which the daemon needs for itself. \(hint)."
            )
        }
        if limit.connections < wanted {
            traffic.problem(
                "fewDescriptors",
                "This process may have \(limit.descriptors) files open, so \(limit.connections) connections are accepted "
                    + "and not \(wanted).", hint: "\(hint), or lower --max-connections.")
        }
        return limit.connections
    }

    private func publish(_ listening: Listening) throws -> Address {
        let access = transport.access
        if access.pageToken != nil, transport.tls == nil { reportUnencrypted() }
        let url = "\(transport.scheme)://\(localHost(of: listening)):\(listening.port)/"
        let discoveryFile = try DiscoveryFile(
            port: listening.port, url: url, token: access.token, pageToken: access.pageToken)
        self.discoveryFile = discoveryFile
        let address = Address(
            url: url, port: listening.port, addresses: listening.addresses, discoveryFile: discoveryFile.path,
            pageToken: access.pageToken?.text)
        self.address = address
        hub.ownOrigin = Origin(startOf: url)
        control.address = address
        return address
    }

    /// The host with which this machine reaches the first listener. A listener on all addresses includes the loopback.
    private func localHost(of listening: Listening) -> String {
        switch listening.addresses.first {
        case "0.0.0.0", nil: "127.0.0.1"
        case "::": "[::1]"
        case let address?: address.contains(":") ? "[\(address)]" : address
        }
    }

    private func reportUnencrypted() {
        traffic.problem(
            "unencrypted",
            "The daemon listens beyond this machine without TLS: anyone on the network can read the traffic, tokens included.",
            hint: "Give it a certificate (--tls-cert, --tls-key), or listen on localhost and reach it through ssh -L.")
    }

    private func didStop() {
        loop = nil
        address = nil
        control.address = nil
        discoveryFile?.remove()
        discoveryFile = nil
        hub.endReplies()
        traffic.countRepeatedProblems()
        traffic.finish(before: .now + .seconds(1))
        for continuation in stopped { continuation.resume() }
        stopped = []
    }

    private func handle(_ event: TransportEvent) {
        switch event {
        case .opened(let channel) where channel.role == .control: control.opened(channel)
        case .opened(let channel): hub.opened(channel)
        case .received(let channel, let frame): hub.received(frame, on: channel)
        case .called(let channel, let message): control.received(message, on: channel)
        case .closed(let channel, _) where channel.role == .control: control.closed(channel)
        case .closed(let channel, let closure): hub.closed(channel, closure)
        case .requested(let request, let responder): handle(request, responder)
        case .abandoned(let id): control.abandoned(id)
        case .streamEnded(let stream): stream.ended()
        case .refused(let refusal): traffic.report(refusal)
        case .roundEnded: hub.roundEnded()
        }
    }
    /// Answers a request, if the names in it belong to this machine.
    private func handle(_ request: HTTPRequest, _ responder: HTTPResponder) {
        hub.names.check(transport.access.uncertainNames(in: request.headers)) { [self] objection in
            guard let refusal = objection.map(Refusal.nameNotLocal) else { return router.handle(request, responder) }
            traffic.report(refusal)
            responder.respond(.refusal(refusal))
        }
    }
}
