import Foundation

/// What hostile clients send. Long frames are made once.
enum HostileFrames {
    static let megabyte = 1 << 20

    static func handshake(host: String, origin: String = "http://localhost") -> [UInt8] {
        request(
            "GET /page", host: host,
            [
                "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                "Sec-WebSocket-Version: 13", "Sec-WebSocket-Protocol: bridge.page.v1", "Origin: \(origin)",
            ])
    }

    static func attach(document: String) -> [UInt8] {
        text(PageClient.attach(document: document, webView: "hostile"))
    }

    static let junkBatch = text(batch("1", bytes: megabyte))
    static let emptyObjects = text(batch("{}", bytes: 15 * megabyte))

    static let longAttach: [UInt8] = {
        let long = String(repeating: "x", count: 4 * megabyte)
        return text(
            """
            {"jsonrpc":"2.0","id":"attach","method":"page.attach","params":{"document":"hostile-long","webView":"\(long)",\
            "frame":{"url":"http://localhost/\(long)","origin":"http://localhost","isMainFrame":true},\
            "title":"\(long)","readyState":"complete","userAgent":"test","resume":false}}
            """)
    }()

    static let consoleEntries: [[UInt8]] = {
        let entry = #"{"jsonrpc":"2.0","method":"console.entry","params":{"level":"log","text":"x","kind":"console"}}"#
        return [text(batch(entry, bytes: 24_000))]
    }()

    static let unknownHandlers: [[UInt8]] = (1...200).map { text(PageClient.post("{}", seq: $0, to: "nobody\($0)")) }

    /// Batches of 1,024 messages.
    static let refusedBursts: [[UInt8]] = (0..<20).map { burst in
        let posts = (1...1_024).map { PageClient.post("{}", seq: burst * 1_024 + $0, to: "nobody") }
        return text("[\(posts.joined(separator: ","))]")
    }

    static let absurdLengths: [[UInt8]] = {
        let fragment = WebSocketClient.frame(.text, [0x5b], isFinal: false)
        let lengths: [[UInt8]] = [
            [0x7f] + [UInt8](repeating: 0xff, count: 7), [UInt8](repeating: 0xff, count: 8), [0, 0, 0, 1, 0, 0, 0, 0],
        ]
        let continuations = lengths.map { [0x80, 0x80 | 127] + $0 + [1, 2, 3, 4, 5] }
        return continuations.map { fragment + $0 } + lengths.map { [0x81, 0x80 | 127] + $0 + [1, 2, 3, 4] }
    }()

    static func junkBeacon(host: String) -> [UInt8] {
        let body = "{\"document\":\"hostile\",\"messages\":\(batch("1", bytes: megabyte))}"
        return request("POST /beacon", host: host, ["Origin: http://localhost", "Content-Type: text/plain"], body)
    }

    static func pipeline(host: String) -> [UInt8] {
        let one = request("GET /bridge.js", host: host) + request("GET /openrpc.json", host: host)
        return Array(repeatElement(one, count: 100).joined())
    }

    static let deafPage: [[UInt8]] = {
        let posts = (1...2_000).map { PageClient.post(#"{"name":"RegisterPushToken"}"#, seq: $0) }
        return [text("[\(posts.joined(separator: ","))]")]
    }()

    static let unfinishedMessage = WebSocketClient.frame(
        .text, [UInt8](repeating: 0x5b, count: 15 * megabyte), isFinal: false)

    private static func batch(_ element: String, bytes: Int) -> String {
        "[\(repeatElement(element, count: bytes / (element.utf8.count + 1)).joined(separator: ","))]"
    }

    private static func text(_ text: String) -> [UInt8] { WebSocketClient.frame(.text, Array(text.utf8)) }

    private static func request(
        _ start: String, host: String, _ headers: [String] = [], _ body: String = ""
    ) -> [UInt8] {
        let length = body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"]
        let lines = ["\(start) HTTP/1.1", "Host: \(host)"] + headers + length + ["", body]
        return Array(lines.joined(separator: "\r\n").utf8)
    }
}
