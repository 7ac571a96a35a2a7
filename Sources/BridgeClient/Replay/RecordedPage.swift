public import BridgeProtocol
public import BridgeTraffic

/// The messages that one page of a log posted, and the calls that it received from native code.
public struct RecordedPage: Sendable {
    public struct Message: Sendable {
        /// The number of the message's record.
        public let record: Int
        public let handler: String
        public let name: String?
        public let body: ScriptValue
        /// Nil if the handler does not reply, or did not reply before the log ended.
        public internal(set) var reply: RecordedCall?
        /// Whether the log has placeholders in place of secrets in the body.
        public var isRedacted: Bool { body.json.text.contains("\"[redacted ") }
        let seq: Int
    }

    /// The page's id, such as `p3`.
    public let page: String
    public let webView: String
    public let url: String
    public internal(set) var messages: [Message] = []
    /// The evaluations of native code, oldest first. Those of tools are left out, because a replay has no tools.
    public internal(set) var calls: [RecordedCall] = []

    /// Returns the pages of a log that posted a message or received a call, in the order in which they first appear.
    public static func pages(in records: some Sequence<TrafficRecord>) -> [RecordedPage] {
        var index = DocumentIndex()
        var pages: [RecordedPage] = []
        for record in records {
            guard let place = index.place(of: record) else { continue }
            if place == pages.count {
                pages.append(
                    RecordedPage(page: record.page ?? "", webView: record.webView ?? "main", url: record.url ?? ""))
            }
            pages[place].add(record)
        }
        return pages.filter { !$0.messages.isEmpty || !$0.calls.isEmpty }
    }

    private mutating func add(_ record: TrafficRecord) {
        switch record.event {
        case .message(let handler, let name, let body, let seq, _):
            // Only the call of an interface object has a name and an array as its body. It is skipped, because pages
            // make it over HTTP, and the replay only uses the WebSocket.
            if body.kind == .array, name != nil { return }
            messages.append(Message(record: record.record, handler: handler, name: name, body: body, seq: seq))
        case .reply(_, let seq, let result, _, _):
            guard let index = messages.lastIndex(where: { $0.seq == seq }) else { return }
            messages[index].reply = .reply(result)
        case .evaluate where record.isByTool, .callAsync where record.isByTool: return
        case .evaluate(let id, let source): calls.append(.evaluate(source, id: id))
        case .callAsync(let id, let body, let arguments): calls.append(.callAsync(body, arguments, id: id))
        case .result(let id, let result, _):
            guard let index = calls.lastIndex(where: { $0.id == id }) else { return }
            calls[index].result = result
        default: break
        }
    }
}

/// A call from native code to a page: an evaluation, or the reply to a message.
public struct RecordedCall: Sendable {
    /// The call without ids and times, which differ in each run: `{kind, source}`, `{kind, body, arguments}`,
    /// `{kind, value}` or `{kind, error}`, and `types` if JSON can't express the value.
    public let content: JSONValue
    let id: RequestID?
    /// The page's answer to an evaluation, if there was one.
    public internal(set) var result: Result<ScriptValue, RPCError>?

    private init(_ kind: TrafficRecord.Kind, _ members: [JSONValue.Member?], id: RequestID? = nil) {
        content = .object([.init("kind", .string(kind.rawValue))] + members.compactMap(\.self))
        self.id = id
    }

    static func evaluate(_ source: String, id: RequestID? = nil) -> RecordedCall {
        RecordedCall(.evaluate, [.init("source", .string(source))], id: id)
    }

    static func callAsync(_ body: String, _ arguments: ScriptValue, id: RequestID? = nil) -> RecordedCall {
        RecordedCall(.callAsync, [.init("body", .string(body))] + members("arguments", arguments), id: id)
    }

    static func reply(_ result: Result<ScriptValue, RPCError>) -> RecordedCall {
        switch result {
        case .success(let value): return RecordedCall(.reply, members("value", value))
        case .failure(let error):
            var object: JSONValue = [
                "code": .number(Double(error.code.rawValue)), "message": .string(error.message),
            ]
            object["data"] = error.data
            return RecordedCall(.reply, [.init("error", object)])
        }
    }

    private static func members(_ key: String, _ value: ScriptValue) -> [JSONValue.Member?] {
        [.init(key, JSONValue(value.json)), value.types.map { .init("types", $0.json) }]
    }
}
