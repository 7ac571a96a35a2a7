public import BridgeProtocol

/// What one page posted, and what native code asked of it, as a log has it.
public struct RecordedPage: Sendable {
    public struct Message: Sendable {
        public let record: Int
        public let handler: String
        public let name: String?
        public let body: ScriptValue
        /// Nil where the handler did not reply, or did not while the log was written.
        public internal(set) var reply: RecordedCall?
        /// Whether values in it were left out of the log.
        public var isRedacted: Bool { body.json.text.contains("\"[redacted ") }
        let seq: Int
    }

    /// Such as `p3`.
    public let page: String
    public let webView: String
    public let url: String
    public internal(set) var messages: [Message] = []
    /// Evaluations, oldest first.
    public internal(set) var calls: [RecordedCall] = []

    /// The pages of a log in the order in which they came, those that posted nothing and were asked nothing left out.
    public static func pages(in records: some Sequence<JSON>) -> [RecordedPage] {
        var reader = RecordedPages()
        for record in records { reader.add(record) }
        return reader.pages.filter { !$0.messages.isEmpty || !$0.calls.isEmpty }
    }
}

/// A call from native code to a page: an evaluation, or the reply to a message.
public struct RecordedCall: Sendable {
    /// The record without what differs from run to run: `{kind, source}`, `{kind, body, arguments}`, `{kind, value}`
    /// or `{kind, error}`.
    public let content: JSON
    /// What the page answered.
    public internal(set) var result: JSON?
    let id: String?

    init(_ record: JSON) {
        let kept = ["kind", "source", "body", "arguments", "types", "value", "error"]
        content = JSON(.object((JSONValue(record).members ?? []).filter { kept.contains($0.key) }))
        id = record["id"]?.text
    }
}

private struct RecordedPages {
    private(set) var pages: [RecordedPage] = []
    private var lastRecord = 0
    /// Where a page of the present run of the daemon stands in `pages`.
    private var places: [String: Int] = [:]

    mutating func add(_ record: JSON) {
        let number = record["record"]?.wholeNumber ?? 0
        // The daemon was started again: its pages have the same names.
        if number <= lastRecord { places = [:] }
        lastRecord = number
        guard let name = record["page"]?.string else { return }
        let place = places[name] ?? pages.count
        if place == pages.count {
            places[name] = place
            pages.append(
                RecordedPage(
                    page: name, webView: record["webView"]?.string ?? "main", url: record["url"]?.string ?? ""))
        }
        pages[place].add(record, number)
    }
}

extension RecordedPage {
    fileprivate mutating func add(_ record: JSON, _ number: Int) {
        let seq = record["seq"]?.wholeNumber ?? 0
        switch record["kind"]?.string {
        case "message":
            guard let body = try? ScriptValue(json: record["body"] ?? .null, types: record["types"]) else { return }
            // Only what an interface object was called with has a name beside a list; a page alone can call one.
            guard body.kind != .array || record["name"] == nil else { return }
            messages.append(
                Message(
                    record: number, handler: record["handler"]?.string ?? "", name: record["name"]?.string, body: body,
                    seq: seq))
        case "reply":
            guard let index = messages.lastIndex(where: { $0.seq == seq }) else { return }
            messages[index].reply = RecordedCall(record)
        case "evaluate", "callAsync": calls.append(RecordedCall(record))
        case "result":
            guard let index = calls.lastIndex(where: { $0.id == record["id"]?.text }) else { return }
            calls[index].result = record
        default: break
        }
    }
}
