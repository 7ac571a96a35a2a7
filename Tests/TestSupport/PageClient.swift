public import BridgeProtocol

/// A page without a browser: a test sends and receives each message of the page channel.
public actor PageClient {
    private let socket: WebSocketClient
    private var events: AsyncStream<WebSocketClient.Event>.Iterator
    private var inbox: [JSON] = []
    /// The number of WebSocket messages received so far. Each holds one JSON-RPC message or a batch.
    public private(set) var frames = 0

    /// Reports that an event other than a message arrived, or that the connection ended.
    public struct Interrupted: Error {
        public let event: WebSocketClient.Event?
    }

    /// Connects without attaching. `host` and the other parameters are those of `WebSocketClient.connect`.
    public init(port: UInt16) async throws {
        self.init(try await WebSocketClient.connect(port: port))
    }

    /// Uses an existing connection, such as that of a tool.
    public init(_ socket: WebSocketClient) {
        self.socket = socket
        events = socket.incoming.makeAsyncIterator()
    }

    /// Connects and attaches a page.
    /// - Returns: the client, and the result of `page.attach`.
    public static func attach(
        port: UInt16, document: String = "d-1", webView: String = "main", resume: Bool = false,
        isMainFrame: Bool = true,
        waiting: [Int] = []
    ) async throws -> (PageClient, JSON) {
        let page = try await PageClient(port: port)
        await page.sendAttach(
            document: document, webView: webView, resume: resume, isMainFrame: isMainFrame, waiting: waiting)
        let result = try await page.next("id", "attach")
        return (page, result["result"] ?? .null)
    }

    /// Connects as a page of an origin, and attaches.
    /// - Returns: the client, and the whole response to `page.attach`.
    public static func attach(
        port: UInt16, origin: String?, document: String = "d-1", webView: String = "main", url: String? = nil,
        isMainFrame: Bool = true, documentKey: String? = nil, headers: [String] = []
    ) async throws -> (PageClient, JSON) {
        let page = PageClient(try await WebSocketClient.connect(port: port, origin: origin, headers: headers))
        let text = attach(
            document: document, webView: webView, url: url ?? "\(origin ?? "")/", isMainFrame: isMainFrame,
            documentKey: documentKey)
        page.send(text)
        return (page, try await page.next("id", "attach"))
    }

    /// Connects as a browser that is driven from outside, and attaches.
    /// - Parameter token: the daemon's token.
    /// - Returns: the client, and the whole response to `page.attach`.
    public static func attachDriven(
        port: UInt16, token: String, engine: BrowserEngine = .webkit, document: String = "d-1",
        webView: String = "main",
        url: String = "http://localhost:3000/", isMainFrame: Bool = true, origin: String? = nil
    ) async throws -> (PageClient, JSON) {
        let page = PageClient(
            try await WebSocketClient.connect(port: port, origin: origin, headers: ["Authorization: Bearer \(token)"]))
        page.send(
            attach(document: document, webView: webView, url: url, isMainFrame: isMainFrame, engine: engine))
        return (page, try await page.next("id", "attach"))
    }

    /// Connects as a page of an app of its own, in which `bridge.js` only observes.
    /// - Returns: the client, and the whole response to `page.attach`.
    public static func attachDevice(
        port: UInt16, document: String = "device-1", webView: String = "main", userAgent: String = "test",
        resume: Bool = false
    ) async throws -> (PageClient, JSON) {
        let page = try await PageClient(port: port)
        let attach = AttachPage(
            document: document, webView: webView,
            frame: FrameInfo(url: "http://192.168.1.5/", origin: "http://192.168.1.5", isMainFrame: true),
            title: "Test", userAgent: userAgent, resume: resume, isDevice: true)
        page.send(text(attach, id: "attach"))
        return (page, try await page.next("id", "attach"))
    }

    public func sendAttach(
        document: String, webView: String = "main", resume: Bool = false, isMainFrame: Bool = true,
        readyState: String = "complete", previous: (document: String, seq: Int)? = nil, waiting: [Int] = []
    ) {
        send(
            PageClient.attach(
                document: document, webView: webView, resume: resume, isMainFrame: isMainFrame, readyState: readyState,
                previous: previous, waiting: waiting))
    }

    /// Returns the JSON text of a `page.attach` request.
    public static func attach(
        document: String, webView: String, url: String = "http://localhost:3000/", resume: Bool = false,
        isMainFrame: Bool = true, readyState: String = "complete", previous: (document: String, seq: Int)? = nil,
        waiting: [Int] = [], documentKey: String? = nil, engine: BrowserEngine? = nil
    ) -> String {
        let attach = AttachPage(
            document: document, webView: webView,
            frame: FrameInfo(url: url, origin: "http://localhost:3000", isMainFrame: isMainFrame), title: "Test",
            readyState: readyState, userAgent: "test", resume: resume, documentKey: documentKey,
            previous: previous.map { AttachPage.Previous(document: $0.document, seq: $0.seq) }, waiting: waiting,
            engine: engine)
        return text(attach, id: "attach")
    }

    /// Returns a request, or a notification without an id, as JSON text.
    public static func text(_ call: some MethodCall, id: String? = nil) -> String {
        var writer = JSONWriter()
        writer.call(call, id: id.map(RequestID.string))
        return writer.text
    }

    /// Sends a request and waits for the whole response.
    public func ask(_ method: String, _ params: String) async throws -> JSON {
        send("{\"jsonrpc\":\"2.0\",\"id\":\"ask\",\"method\":\"\(method)\",\"params\":\(params)}")
        return try await next("id", "ask")
    }

    /// Sends a notification.
    public nonisolated func tell(_ method: String, _ params: String = "{}") {
        send("{\"jsonrpc\":\"2.0\",\"method\":\"\(method)\",\"params\":\(params)}")
    }

    /// Posts a message in the way of `bridge.js`.
    public func post(
        _ body: String, seq: Int, to handler: String = "nativeApp", id: String? = nil, types: String? = nil,
        world: String? = nil
    ) {
        send(PageClient.post(body, seq: seq, to: handler, id: id, types: types, world: world))
    }

    /// Returns the JSON text of a `message.post`.
    public static func post(
        _ body: String, seq: Int, to handler: String = "nativeApp", id: String? = nil, types: String? = nil,
        world: String? = nil
    ) -> String {
        let id = id.map { "\"id\":\"\($0)\"," } ?? ""
        let types = types.map { ",\"types\":\($0)" } ?? ""
        let world = world.map { ",\"world\":\"\($0)\"" } ?? ""
        return """
            {"jsonrpc":"2.0",\(id)"method":"message.post","params":{"seq":\(seq),"handler":"\(handler)","body":\(body)\(types)\(world)}}
            """
    }

    /// Returns the body of a beacon that introduces its document.
    /// - Parameter bytes: the size of the last message.
    public static func beacon(document: String, resume: Bool, messages count: Int, bytes: Int = 0) -> String {
        let messages = (1...count).map { seq in
            post("\"\(String(repeating: "x", count: seq == count ? bytes : 0))\"", seq: seq)
        }
        return """
            {"document":"\(document)","messages":[\(messages.joined(separator: ","))],"attach":{"document":"\(document)",\
            "webView":"main","frame":{"url":"http://localhost/","origin":"http://localhost","isMainFrame":true},"title":"",\
            "readyState":"loading","userAgent":"","resume":\(resume)}}
            """
    }

    public nonisolated func send(_ text: String) { socket.send(text) }
    public nonisolated func send(_ opcode: WebSocketClient.Opcode, _ bytes: [UInt8], isFinal: Bool = true) {
        socket.send(opcode, bytes, isFinal: isFinal)
    }

    /// Writes bytes to the socket, whether they form a WebSocket frame or not.
    public nonisolated func write(_ bytes: [UInt8]) { socket.write(bytes) }

    /// Drops the connection without a closing handshake.
    public nonisolated func drop() { socket.drop() }

    /// Closes the connection with a status code, as a browser does when the user leaves the page.
    public nonisolated func close(_ code: UInt16) { socket.send(.close, [UInt8(code >> 8), UInt8(code & 0xff)]) }

    /// Waits for the next message whose member `key` is the string `value`, and keeps earlier messages for later calls.
    public func next(_ key: String, _ value: String) async throws -> JSON {
        if let index = inbox.firstIndex(where: { $0[key]?.string == value }) { return inbox.remove(at: index) }
        while true {
            let fresh = try await receive()
            if let index = fresh.firstIndex(where: { $0[key]?.string == value }) {
                inbox += fresh[..<index] + fresh[(index + 1)...]
                return fresh[index]
            }
            inbox += fresh
        }
    }

    /// Waits for the next message, whatever it is.
    public func nextMessage() async throws -> JSON {
        while inbox.isEmpty { inbox += try await receive() }
        return inbox.removeFirst()
    }

    /// Waits for the next message with a `result`, whatever its id is.
    public func nextResult() async throws -> JSON {
        while true {
            if let index = inbox.firstIndex(where: { $0["result"] != nil }) {
                return inbox.remove(at: index)["result"] ?? .null
            }
            inbox += try await receive()
        }
    }

    /// Waits for the next message with an `error`, whatever its id is.
    public func nextError() async throws -> JSON {
        while true {
            if let index = inbox.firstIndex(where: { $0["error"] != nil }) {
                return inbox.remove(at: index)["error"] ?? .null
            }
            inbox += try await receive()
        }
    }

    /// Waits for `count` pings, and keeps other events for later calls.
    public func pings(_ count: Int) async throws {
        var count = count
        while count > 0 {
            let event = await nextEvent()
            if case .ping = event { count -= 1 } else { inbox += try messages(of: event) }
        }
    }

    /// Waits until the daemon closes the connection and returns the status code, or nil if it sent none.
    public func closeCode() async -> UInt16? {
        while let event = await nextEvent() {
            if case .close(let code, _) = event { return code }
            if event == .ended { return nil }
        }
        return nil
    }

    private func receive() async throws -> [JSON] { try messages(of: await nextEvent()) }

    private func messages(of event: WebSocketClient.Event?) throws -> [JSON] {
        switch event {
        case .text(let text):
            frames += 1
            let json = try JSON.parse(text)
            guard json.kind == .array else { return [json] }
            var messages: [JSON] = []
            json.forEachElement { messages.append($0) }
            return messages
        case .ping, .pong: return []
        default: throw Interrupted(event: event)
        }
    }

    private func nextEvent() async -> WebSocketClient.Event? {
        // An actor's iterator can't be advanced in place across an await.
        var iterator = events
        defer { events = iterator }
        return await iterator.next(isolation: #isolation)
    }
}
