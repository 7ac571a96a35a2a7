public import BridgeProtocol
public import BridgeServer
public import Turbo

/// A hybrid app within a test: a daemon on a free port, and a browser without a window that shows its pages.
///
/// ```swift
/// try await withBridgedApp(in: .chromium) { app in
///     try await app.open("http://localhost:3000/")
///     let button = try await app.nextMessage(ActionButton.self)
///     #expect(try await app.evaluate("document.title") == "Customers")
/// }
/// ```
///
/// What fails throws a ``BridgedAppFailure``, which says what was waited for and what came instead. On the main actor.
@MainActor public final class BridgedApp {
    public let server: BridgeServer
    public let shell: Shell
    public let address: BridgeServer.Address
    /// How long to wait for anything that is given no time of its own.
    public var timeout = Duration.seconds(5)
    private let engine: Browser.Engine
    private var browser: Browser?
    /// The records that a wait has answered: each is answered once.
    private var taken: Set<Int> = []

    /// - Parameters:
    ///   - server: is started. Its port should be 0, which picks a free one.
    ///   - shell: the emulated app; nil for a plain one.
    /// - Throws: why it can't listen.
    public init(_ engine: Browser.Engine, server: BridgeServer, shell: Shell? = nil) async throws {
        self.engine = engine
        self.server = server
        self.shell = shell ?? Shell(server: server)
        address = try await server.start()
    }

    /// Ends the browser, and then the daemon.
    public func close() async {
        browser?.close()
        browser = nil
        await server.stop()
    }

    // MARK: Pages

    /// Shows a URL, and waits until its document has attached, which it does by loading the daemon's `bridge.js`.
    ///
    /// - Parameters:
    ///   - url: an address; a path such as `/demo/` is the daemon's own.
    ///   - timeout: nil for 30 s, which a browser may take to start.
    /// - Returns: the page.
    @discardableResult
    public func open(_ url: String, within timeout: Duration? = nil) async throws -> Page {
        let url = url.hasPrefix("/") ? address.url + url.dropFirst() : url
        let after = server.traffic.lastRecord
        if let page = shownPage {
            page.navigate(to: url)
        } else {
            browser?.close()
            browser = try Browser(engine, opening: url)
        }
        let timeout = timeout ?? .seconds(30)
        let attached = TrafficFilter([.init(.kind, "page"), .init(.webView, "main")])
        try await wait("a page to attach at \(url)", within: timeout) {
            _ = try await server.traffic.next(
                attached, match: .attached, after: after, timeout: timeout)
        }
        return try page()
    }

    /// The newest main-frame page of the web view `main`.
    public func page() throws -> Page {
        guard let page = shownPage else { throw failure("a page to be shown", "no page is attached: open one first") }
        return page
    }

    private var shownPage: Page? {
        server.pages.last { $0.isAttached && $0.frame.isMainFrame && $0.webView == "main" }
    }

    // MARK: Scripts

    /// Runs a script in the page.
    /// - Returns: its completion value.
    public func evaluate<Value: Decodable>(
        _ script: String, as type: Value.Type = Value.self, within timeout: Duration? = nil
    ) async throws -> Value {
        let value = try await value(of: script, within: timeout)
        do { return try value.decode(type) } catch {
            throw failure("\(script) to give a \(type)", "it gave \(value.summary)")
        }
    }

    /// Runs a script in the page, whatever its value, also one that can't cross, such as a promise.
    public func run(_ script: String, within timeout: Duration? = nil) async throws {
        do {
            try await page().evaluate(script, timeout: timeout ?? self.timeout)
        } catch ScriptError.resultTypeUnsupported {
            return
        } catch let error as ScriptError {
            throw failure("\(script) to run", "\(error)")
        }
    }

    /// Runs a script in the page.
    /// - Returns: its completion value, as it crossed.
    public func value(of script: String, within timeout: Duration? = nil) async throws -> ScriptValue {
        do {
            return try await page().evaluate(script, timeout: timeout ?? self.timeout)
        } catch let error as ScriptError {
            throw failure("\(script) to have a value", "\(error)")
        }
    }

    /// Waits until an expression is true in the page, looking again every 20 ms.
    public func wait(until expression: String, within timeout: Duration? = nil) async throws {
        let timeout = timeout ?? self.timeout
        let deadline = ContinuousClock.now + timeout
        var last = "nothing"
        while ContinuousClock.now < deadline {
            let value = try await value(of: expression, within: timeout)
            if value.isTruthy { return }
            last = value.summary
            try await Task.sleep(for: .milliseconds(20))
        }
        throw failure("\(expression) to be true within \(timeout)", "the last time it was \(last)")
    }

    /// Clicks on what a CSS selector finds first, once it is there.
    public func tap(_ selector: String, within timeout: Duration? = nil) async throws {
        let find = JavaScriptCall("document.querySelector", selector).source
        try await wait(until: "\(find) !== null", within: timeout)
        try await run("\(find).click()", within: timeout)
    }

    // MARK: Stubs

    /// Has a canned answer take a handler's place for the messages that fit.
    /// - Returns: its id, for `server.removeStub`.
    @discardableResult
    public func stub(
        _ handler: String, match: ScriptValue? = nil, reply: StubReply, delay: Duration = .zero
    ) -> String {
        server.stub(handler, match: match, reply: reply, delay: delay)
    }

    // MARK: Traffic

    /// All that has crossed, as far as it is kept.
    public var traffic: [TrafficRecord] {
        server.traffic.query(limit: .max).records.compactMap { TrafficRecord(json: $0.json) }
    }

    /// The next message of that type: the earliest one that was not answered before, or the first to come.
    public func nextMessage<Message: ScriptMessage>(
        _ type: Message.Type, within timeout: Duration? = nil
    ) async throws -> Message {
        let record = try await nextRecord(
            TrafficFilter([.init(.kind, "message"), .init(.name, type.name)]), "a message \(type.name)", within: timeout
        )
        do { return try record.payload.decode(type) } catch {
            throw failure("a message \(type.name)", "record \(record.number) does not decode: \(error)")
        }
    }

    /// The next record that fits: the earliest one that was not answered before, or the first to come.
    ///
    /// - Parameters:
    ///   - match: a subset of its value; see `TrafficLog.next`.
    ///   - what: what it is called where it does not come.
    public func nextRecord(
        _ filter: TrafficFilter, match: ScriptValue? = nil, _ what: String? = nil, within timeout: Duration? = nil
    ) async throws -> StoredRecord {
        let timeout = timeout ?? self.timeout
        let deadline = ContinuousClock.now + timeout
        var after = 0
        while true {
            let left = max(.zero, deadline - ContinuousClock.now)
            let record = try await wait(what ?? "a record that fits \(filter)", within: timeout) {
                try await server.traffic.next(filter, match: match, after: after, timeout: left)
            }
            if taken.insert(record.number).inserted { return record }
            after = record.number
        }
    }

    /// Fails where a record comes within the time that fits, or one came that was not answered before.
    public func expectNone(
        _ filter: TrafficFilter, match: ScriptValue? = nil, _ what: String? = nil, for duration: Duration
    ) async throws {
        do {
            let record = try await nextRecord(filter, match: match, within: duration)
            throw failure("no \(what ?? "record that fits \(filter)")", "record \(record.number) came: \(record.text)")
        } catch let failure as BridgedAppFailure where failure.isTimeOut {
            return
        }
    }

    private func wait<Value>(
        _ what: String, within timeout: Duration, _ body: () async throws -> Value
    ) async throws -> Value {
        do { return try await body() } catch let error as RPCError where error.code == .waitTimedOut {
            throw failure("\(what) within \(timeout)", "none came", isTimeOut: true)
        }
    }

    /// A failure with the last of the traffic.
    public func failure(_ expected: String, _ found: String) -> BridgedAppFailure {
        failure(expected, found, isTimeOut: false)
    }

    private func failure(_ expected: String, _ found: String, isTimeOut: Bool) -> BridgedAppFailure {
        BridgedAppFailure(expected: expected, found: found, records: traffic.suffix(10), isTimeOut: isTimeOut)
    }
}

/// Starts a daemon and a browser, runs `body`, and ends both.
///
/// - Parameter configure: changes the daemon's settings.
@MainActor public func withBridgedApp<Value>(
    in engine: Browser.Engine, _ configure: (inout BridgeServer.Configuration) -> Void = { _ in },
    _ body: @MainActor (BridgedApp) async throws -> Value
) async throws -> Value {
    var configuration = BridgeServer.Configuration()
    configure(&configuration)
    let app = try await BridgedApp(engine, server: BridgeServer(configuration))
    do {
        let value = try await body(app)
        await app.close()
        return value
    } catch {
        await app.close()
        throw error
    }
}

extension ScriptValue {
    /// `{"event":"attached"}`
    fileprivate static let attached = try? ScriptValue(json: JSON.parse(#"{"event":"attached"}"#))

    /// Whether JavaScript takes it for true.
    var isTruthy: Bool {
        switch kind {
        case .undefined, .null: false
        case .bool: bool ?? false
        case .number: number.map { $0 != 0 && !$0.isNaN } ?? false
        case .string: string?.isEmpty == false
        default: true
        }
    }
}
