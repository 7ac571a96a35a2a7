import BridgeClient
import BridgeProtocol
import Foundation

/// One connection and its round trips.
final class Client {
    let connection: WebSocket
    private let peer: Load.Peer
    private var sequence = 0
    /// When each unanswered message was sent, oldest first. Answers come in the same order.
    private var sent: [UInt64] = []
    private var answered = 0
    private var writer = JSONWriter()
    /// Whether bytes are left to write, because the socket accepts no more.
    private(set) var isCongested = false

    init(peer: Load.Peer, port: UInt16, number: Int) throws {
        self.peer = peer
        connection = try WebSocket(
            host: "127.0.0.1", port: Int(port), path: peer == .bridge ? "/page" : "/",
            headers: [
                "Origin: http://localhost:\(port)",
                "Sec-WebSocket-Protocol: \(peer == .bridge ? "bridge.page.v1" : "echo")",
            ])
        if peer == .bridge { try attach(number) }
    }

    /// Attaches as a page, and waits for the answer.
    private func attach(_ number: Int) throws {
        let frame = FrameInfo(url: "http://localhost/load", origin: "http://localhost", isMainFrame: true)
        var writer = JSONWriter()
        writer.call(
            AttachPage(document: UUID().uuidString, webView: "load\(number)", frame: frame, userAgent: "Load"),
            id: .string("attach"))
        try connection.send(writer.text)
        guard try connection.receive(within: .seconds(10)) != nil else { throw POSIXError(.ETIMEDOUT) }
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

    /// Reads answers.
    ///
    /// - Parameters:
    ///   - next: the next text to post, if any. It goes with the result of the evaluation, in one batch as a page's.
    ///   - report: gets the nanoseconds that each answer took.
    func read(next: () -> String?, _ report: (UInt64) -> Void) throws {
        try connection.read { frame in
            let time = LoadLoop.now
            forEachAnswer(in: frame) { id in
                report(time - sent[answered])
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
        // The bare echo sends no id; this one is as long as the daemon's.
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
        writer.reset()
        writer.call(Post(seq: sequence, text: text))
        writer.buffer.withBytes { bytes.append(contentsOf: $0) }
    }

    /// A `PostMessage` whose body is written directly, because making a tree of it would take longer than all the rest.
    private struct Post: MethodCall {
        let seq: Int
        let text: String

        var method: String { PageMethod.post.rawValue }

        func writeMembers(to writer: inout JSONWriter) {
            PostMessage.writeMembers(seq, "nativeApp", nil, to: &writer) { writer in
                writer.member(
                    "body",
                    object: { writer in
                        writer.member("name", "Echo")
                        writer.member("number", seq)
                        writer.member("text", text)
                    })
            }
        }
    }

    private static let evaluation = Array(",\"method\":\"\(DaemonMethod.evaluate.rawValue)\"".utf8)

    /// Calls `body` for each answer: once for a frame of the bare echo, and with the id of each evaluation in one of
    /// the daemon's.
    private func forEachAnswer(in frame: UnsafeRawBufferPointer, _ body: (Slice<UnsafeRawBufferPointer>?) -> Void) {
        guard peer == .bridge else { return body(nil) }
        var rest = frame[...]
        while let start = rest.end(of: "\"id\":"), let end = rest[start...].firstIndex(of: UInt8(ascii: ",")) {
            if frame[end...].starts(with: Client.evaluation) { body(frame[start..<end]) }
            rest = frame[end...]
        }
    }
}

extension Slice<UnsafeRawBufferPointer> {
    /// The end of the first occurrence of `text`.
    fileprivate func end(of text: StaticString) -> Int? {
        let count = text.utf8CodeUnitCount
        guard let bytes = base.baseAddress else { return nil }
        return (startIndex..<Swift.max(startIndex, endIndex - count + 1))
            .first { base[$0] == text.utf8Start[0] && memcmp(bytes + $0, text.utf8Start, count) == 0 }
            .map { $0 + count }
    }
}
