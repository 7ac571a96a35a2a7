import BridgeInput
public import BridgeProtocol
import Foundation

/// Replays a recorded page to a running daemon. It posts the page's messages, answers evaluations with the recorded
/// results, and compares the calls and replies of native code with the recorded ones.
///
/// All calls block. The class is not thread-safe.
public final class PageReplay {
    private let recorded: RecordedPage
    private let socket: WebSocket
    /// The evaluations that native code has requested, in order.
    private var calls: [RecordedCall] = []
    /// The replies of handlers, by the `seq` of the messages.
    private var replies: [Int: RecordedCall] = [:]
    private var acknowledged = 0
    private var replyingHandlers: Set<String> = []
    private static let attachID = "attach"

    /// How long to wait for the reply to a message, and for evaluations after the last message.
    public static let timeout = Duration.seconds(2)

    /// Connects to the daemon, and attaches as a page.
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

    /// Posts all messages in order, and compares replies and calls.
    /// - Throws: `ClientError`
    public func differences(ignoring ignored: [JSONPointer]) throws -> [Difference] {
        var found: [Difference] = []
        for (index, message) in recorded.messages.enumerated() {
            try post(message, seq: index + 1)
            guard let reply = message.reply, let now = replies[index + 1] else { continue }
            let what = "the reply to record \(message.record) (\(message.name ?? message.handler))"
            found += differences(what, reply, now, ignored)
        }
        try receive { calls.count >= recorded.calls.count }
        for index in 0..<max(calls.count, recorded.calls.count) {
            found += differences("call \(index + 1)", recorded.calls[safe: index], calls[safe: index], ignored)
        }
        return found
    }

    private func differences(
        _ what: String, _ recorded: RecordedCall?, _ now: RecordedCall?, _ ignored: [JSONPointer]
    ) -> [Difference] {
        JSONDifference.between(recorded?.content, now?.content, ignoring: ignored)
            .map { Difference(what: what, difference: $0) }
    }

    // MARK: Messages

    private func attach() throws {
        let origin = URL(string: recorded.url).flatMap { $0.host == nil ? nil : $0.originText }
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
        try receive(onMessage: { isAttached = isAttached || $0["id"]?.string == PageReplay.attachID }) { isAttached }
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

    /// Handles the daemon's messages until `isDone` returns true or ``timeout`` is over.
    private func receive(onMessage: (JSON) -> Void = { _ in }, until isDone: () -> Bool) throws {
        let deadline = ContinuousClock.now + PageReplay.timeout
        while !isDone(), let text = try socket.receive(within: max(.zero, deadline - ContinuousClock.now)) {
            let frame = try JSON.parse(text)
            for message in frame.kind == .array ? frame.elements : [frame] {
                onMessage(message)
                try handle(message)
            }
        }
    }

    private func handle(_ message: JSON) throws {
        let params = message["params"]
        switch message["method"]?.string {
        case "page.ack": acknowledged = params?["seq"]?.wholeNumber ?? acknowledged
        case "script.evaluate": try answer(message, .evaluate(params?["source"]?.string ?? ""))
        case "script.callAsync":
            let arguments = try ScriptValue(json: params?["arguments"] ?? .null, types: params?["types"])
            try answer(message, .callAsync(params?["body"]?.string ?? "", arguments))
        case nil: try handle(response: message)
        default: break
        }
    }

    private func handle(response: JSON) throws {
        let result = response["result"]
        if response["id"]?.string == PageReplay.attachID {
            for handler in result?["handlers"]?.elements ?? [] where handler["replies"]?.bool == true {
                replyingHandlers.insert(handler["name"]?.string ?? "")
            }
        } else if let seq = response["id"]?.wholeNumber {
            if let error = response["error"] {
                replies[seq] = .reply(.failure(RPCError(json: error)))
            } else {
                let value = try ScriptValue(json: result?["value"] ?? .null, types: result?["types"])
                replies[seq] = .reply(.success(value))
            }
        }
    }

    /// Keeps the call, and answers it with the result of the recorded call that has the same index.
    private func answer(_ request: JSON, _ call: RecordedCall) throws {
        let result = recorded.calls[safe: calls.count]?.result ?? .success(.null)
        calls.append(call)
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("jsonrpc", "2.0")
            writer.member("id", ifPresent: request["id"])
            switch result {
            case .success(let value): writer.member("result", object: { value.write(to: &$0, key: "value") })
            case .failure(let error): writer.member("error", error)
            }
        }
        try socket.send(writer.text)
    }
}

extension PageReplay {
    /// A difference between a recorded call or reply and that of the replay.
    public struct Difference: Sendable {
        /// The call or reply that differs, such as `call 2`.
        public let what: String
        public let difference: JSONDifference
    }
}

extension Array {
    fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
