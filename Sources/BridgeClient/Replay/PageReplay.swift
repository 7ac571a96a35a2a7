public import BridgeProtocol
import Foundation

/// Plays a recorded page to a running native side: posts what the page posted, answers evaluations as it did, and
/// keeps what native code asked.
///
/// Bound to the thread that made it.
public final class PageReplay {
    private let recorded: RecordedPage
    private let socket: WebSocket
    private var calls: [RecordedCall] = []
    private var replies: [Int: JSON] = [:]
    private var acknowledged = 0
    private var replyingHandlers: Set<String> = []
    private static let attachID = "attach"

    /// How long to wait for an answer to a message, and for calls after the last one.
    public static let patience = Duration.seconds(2)

    /// Connects and attaches.
    /// - Throws: `ClientError`
    public init(_ page: RecordedPage, to contact: DaemonEndpoint) throws(ClientError) {
        recorded = page
        guard let url = URLComponents(string: contact.url), let host = url.host else {
            throw .notAnAddress(contact.url)
        }
        guard url.scheme == "http" else { throw .needsPlainHTTP(url: contact.url) }
        do {
            socket = try WebSocket(
                host: host.trimmingCharacters(in: ["[", "]"]), port: url.port ?? 80, path: "/page",
                headers: ["Sec-WebSocket-Protocol: bridge.page.v1", "Authorization: Bearer \(contact.token)"])
            try attach()
        } catch {
            throw .unreachable(url: contact.url, reason: "\(error)")
        }
    }

    deinit { socket.leave() }

    /// Posts every message, one after the other, and compares.
    /// - Throws: `ClientError`
    public func differences(ignoring ignored: [JSONPointer]) throws -> [Difference] {
        var found: [Difference] = []
        for (index, message) in recorded.messages.enumerated() {
            try post(message, seq: index + 1)
            guard let reply = message.reply, let now = replies[index + 1] else { continue }
            found += JSONDifference.between(reply.content, now, ignoring: ignored).map {
                Difference(what: "the reply to record \(message.record) (\(message.name ?? message.handler))", $0)
            }
        }
        try receive { calls.count >= recorded.calls.count }
        return found + callDifferences(ignored)
    }

    private func callDifferences(_ ignored: [JSONPointer]) -> [Difference] {
        (0..<max(calls.count, recorded.calls.count)).flatMap { index in
            let (before, now) = (recorded.calls[safe: index], calls[safe: index])
            return JSONDifference.between(before?.content, now?.content, ignoring: ignored).map {
                Difference(what: "call \(index + 1)", $0)
            }
        }
    }

    // MARK: Talking

    private func attach() throws {
        let origin = URLComponents(string: recorded.url).flatMap { url in
            url.host.map { "\(url.scheme ?? "http")://\($0)\(url.port.map { ":\($0)" } ?? "")" }
        }
        var writer = JSONWriter()
        writer.request(id: .string(PageReplay.attachID), "page.attach") { writer in
            writer.member("document", UUID().uuidString)
            writer.member("webView", recorded.webView)
            writer.member(
                "frame",
                object: { writer in
                    writer.member("url", recorded.url)
                    writer.member("origin", origin ?? "null")
                    writer.member("isMainFrame", true)
                })
            writer.member("title", "")
            writer.member("readyState", "complete")
            writer.member("userAgent", "bridged log replay")
            writer.member("resume", false)
        }
        try socket.send(writer.text)
        var isAttached = false
        try receive(noting: { isAttached = isAttached || $0["id"]?.string == PageReplay.attachID }) { isAttached }
    }

    private func post(_ message: RecordedPage.Message, seq: Int) throws {
        let expectsReply = replyingHandlers.contains(message.handler)
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("jsonrpc", "2.0")
            if expectsReply { writer.member("id", seq) }
            writer.member("method", "message.post")
            writer.member(
                "params",
                object: { writer in
                    writer.member("seq", seq)
                    writer.member("handler", message.handler)
                    message.body.write(to: &writer, key: "body")
                })
        }
        try socket.send(writer.text)
        try receive { acknowledged >= seq && (!expectsReply || message.reply == nil || replies[seq] != nil) }
    }

    /// Handles what comes until that is true, or the patience is over.
    private func receive(noting note: (JSON) -> Void = { _ in }, until isDone: () -> Bool) throws {
        let deadline = ContinuousClock.now + PageReplay.patience
        while !isDone(), let text = try socket.receive(within: max(.zero, deadline - ContinuousClock.now)) {
            let frame = try JSON.parse(text)
            for message in frame.kind == .array ? frame.elements : [frame] {
                note(message)
                try handle(message)
            }
        }
    }

    private func handle(_ message: JSON) throws {
        switch message["method"]?.string {
        case "page.ack": acknowledged = message["params"]?["seq"]?.wholeNumber ?? acknowledged
        case "script.evaluate": try answer(message, kind: "evaluate")
        case "script.callAsync": try answer(message, kind: "callAsync")
        case nil: note(response: message)
        default: break
        }
    }

    private func note(response: JSON) {
        if response["id"]?.string == PageReplay.attachID {
            for handler in response["result"]?["handlers"]?.elements ?? [] where handler["replies"]?.bool == true {
                replyingHandlers.insert(handler["name"]?.string ?? "")
            }
            return
        }
        guard let seq = response["id"]?.wholeNumber else { return }
        var reply: JSONValue = ["kind": "reply"]
        reply["error"] = response["error"].map(JSONValue.init)
        reply["value"] = response["result"]?["value"].map(JSONValue.init)
        reply["types"] = response["result"]?["types"].map(JSONValue.init)
        replies[seq] = JSON(reply)
    }

    /// Keeps the call, and answers what the page answered to the call in the same place.
    private func answer(_ request: JSON, kind: String) throws {
        let params = request["params"].flatMap { JSONValue($0).members } ?? []
        let result = recorded.calls[safe: calls.count]?.result
        calls.append(RecordedCall(JSON(.object([.init("kind", .string(kind))] + params))))
        var answer = JSONWriter()
        answer.object { writer in
            writer.member("jsonrpc", "2.0")
            writer.member("id", ifPresent: request["id"])
            if let error = result?["error"] {
                writer.member("error", error)
            } else {
                writer.member(
                    "result",
                    object: { writer in
                        writer.member("value", result?["value"] ?? .null)
                        writer.member("types", ifPresent: result?["types"])
                    })
            }
        }
        try socket.send(answer.text)
    }
}

extension PageReplay {
    /// A call that is not as it was.
    public struct Difference: Sendable {
        /// Such as `call 2`.
        public let what: String
        public let difference: JSONDifference

        init(what: String, _ difference: JSONDifference) {
            self.what = what
            self.difference = difference
        }
    }
}

extension Array {
    fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
