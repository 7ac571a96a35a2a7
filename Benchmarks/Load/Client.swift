import Foundation

/// One connection and its round trips.
final class Client {
    let connection: WebSocketConnection
    private let peer: Load.Peer
    private var sequence = 0
    /// When each message that has no answer yet was sent, oldest first: answers come in order.
    private var sent: [UInt64] = []
    private var answered = 0
    /// Whether the socket did not take all that is to be written.
    private(set) var isCongested = false

    init(peer: Load.Peer, port: UInt16, number: Int) throws {
        self.peer = peer
        connection = try WebSocketConnection(
            port: port, path: peer == .bridge ? "/page" : "/", subprotocol: peer == .bridge ? "bridge.page.v1" : "echo")
        if peer == .bridge { try attach(number) }
        connection.socket.becomeNonBlocking()
    }

    /// Introduces itself as a page, and waits for the answer.
    private func attach(_ number: Int) throws {
        connection.queue(
            Array(
                """
                {"jsonrpc":"2.0","id":"attach","method":"page.attach","params":{"document":"\(UUID().uuidString)",\
                "webView":"load\(number)","frame":{"url":"http://localhost/load","origin":"http://localhost",\
                "isMainFrame":true},"title":"Load","readyState":"complete","userAgent":"Load","resume":false}}
                """.utf8))
        _ = try connection.flush()
        var isAttached = false
        while !isAttached { try connection.read { _ in isAttached = true } }
    }

    /// Posts a message.
    func post(_ text: String) {
        if answered == sent.count {
            sent.removeAll(keepingCapacity: true)
            answered = 0
        }
        sent.append(LoadLoop.now)
        var bytes: [UInt8] = []
        appendPost(text, to: &bytes)
        connection.queue(bytes)
    }

    /// Reads answers. Each is told with the nanoseconds it took; where `next` then has a text, that is posted with the
    /// result of the evaluation, as a page would in one batch.
    func read(next: () -> String?, _ tell: (UInt64) -> Void) throws {
        try connection.read { frame in
            let time = LoadLoop.now
            forEachAnswer(in: frame) { id in
                tell(time - sent[answered])
                answered += 1
                reply(to: id, next())
            }
        }
    }

    func flush() throws { isCongested = try !connection.flush() }

    private func reply(to id: Slice<UnsafeRawBufferPointer>?, _ text: String?) {
        if text == nil, peer == .echo { return }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(256 + (text?.utf8.count ?? 0))
        bytes += "[{\"jsonrpc\":\"2.0\",\"id\":".utf8
        // An id as long as the daemon's, where the peer has none.
        if let id { bytes += id } else { bytes += "123456".utf8 }
        bytes += ",\"result\":{\"value\":null}}".utf8
        if let text {
            sent.append(LoadLoop.now)
            bytes.append(UInt8(ascii: ","))
            appendPost(text, to: &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
        connection.queue(bytes)
    }

    private func appendPost(_ text: String, to bytes: inout [UInt8]) {
        sequence += 1
        bytes += "{\"jsonrpc\":\"2.0\",\"method\":\"message.post\",\"params\":{\"seq\":".utf8
        bytes += String(sequence).utf8
        bytes += ",\"handler\":\"nativeApp\",\"body\":{\"name\":\"Echo\",\"number\":".utf8
        bytes += String(sequence).utf8
        bytes += ",\"text\":\"".utf8
        bytes += text.utf8
        bytes += "\"}}}".utf8
    }

    /// A frame of a bare echo is one answer; one of the daemon's has as many as it has evaluations, each with its id.
    private func forEachAnswer(in frame: UnsafeRawBufferPointer, _ body: (Slice<UnsafeRawBufferPointer>?) -> Void) {
        guard peer == .bridge else { return body(nil) }
        var rest = frame[...]
        while let start = rest.end(of: "\"id\":"), let end = rest[start...].firstIndex(of: UInt8(ascii: ",")) {
            if frame[end...].starts(with: ",\"method\":\"script.evaluate\"".utf8) { body(frame[start..<end]) }
            rest = frame[end...]
        }
    }
}

extension Slice<UnsafeRawBufferPointer> {
    /// Where the first occurrence of `text` ends.
    fileprivate func end(of text: StaticString) -> Int? {
        let count = text.utf8CodeUnitCount
        guard let bytes = base.baseAddress else { return nil }
        return (startIndex..<Swift.max(startIndex, endIndex - count + 1))
            .first { base[$0] == text.utf8Start[0] && memcmp(bytes + $0, text.utf8Start, count) == 0 }
            .map { $0 + count }
    }
}
