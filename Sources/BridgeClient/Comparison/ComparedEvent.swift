import BridgeProtocol
import BridgeTraffic

/// Something that crossed the bridge or the network in one run, without what is different in each run.
struct ComparedEvent {
    let kind: TrafficDifference.Kind
    /// What it is, such as `form connect`. Counterparts have the same name.
    let name: String
    let content: JSONValue
    /// The path of the page that the event belongs to.
    let page: String
    /// The number of the event's record.
    let record: Int
    /// The index of the record in the log, in which numbers begin again with each run of the daemon.
    let position: Int
    /// The reply to a message, if one came before the log ended.
    var reply: Reply?

    struct Reply {
        let content: JSONValue
        let record: Int
        let position: Int
    }

    /// The event with marks in place of ids. Two events that have the same key are equal, apart from the ids themselves.
    var key: String { "\(name) \(ComparedEvent.masked(content.text))" }

    /// Whether Turbo only tells how far a visit has come. It does so when the browser draws, so a page may leave, and a log
    /// may end, before it does.
    static func isProgress(_ handler: String, _ name: String?) -> Bool {
        guard let name, ["turbo", "TurboSession"].contains(handler) else { return false }
        return [
            "visitRequestStarted", "visitRequestFinished", "visitRequestCompleted", "visitRendered", "visitCompleted",
        ].contains(name)
    }

    private static func masked(_ text: String) -> String {
        RecordIDs.split(text).rest.replacing(uuid, with: "UUID")
    }

    nonisolated(unsafe) static let uuid = /[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}/
}

/// A document of a log, and what it exchanged with native code, oldest first.
struct ComparedPage {
    var path: String
    /// The number of the document's first record, and its index.
    let record: Int
    let position: Int
    var messages: [ComparedEvent] = []
    var calls: [ComparedEvent] = []
    /// The index of each message that has a handler and a `seq`.
    fileprivate var indexes: [SentMessage: Int] = [:]
    fileprivate var hasSettled = false

    fileprivate struct SentMessage: Hashable { let handler: String, seq: Int }

    /// Documents without a path are the browser's own empty pages.
    var isCompared: Bool { path.hasPrefix("/") || !messages.isEmpty || !calls.isEmpty }
}

/// What one run of an app has recorded, in the form in which it is compared with another run.
struct ComparedRun {
    private(set) var pages: [ComparedPage] = []
    /// What the emulated app has decided: visits and stacks.
    private(set) var visits: [ComparedEvent] = []
    /// Documents and fetches. Browsers decide when they load the rest.
    private(set) var requests: [ComparedEvent] = []
    private var index = DocumentIndex()
    /// The index of the record that is added.
    private var position = 0
    /// Scheme, host and port of the app's pages. They are left out, because a phone sees the server at another address.
    private var origin: String?

    init(_ records: [TrafficRecord]) {
        let origins = records.compactMap { $0.url.flatMap(Self.origin) }
        let counts = Dictionary(origins.map { ($0, 1) }, uniquingKeysWith: +)
        // A log may begin at a sign-in elsewhere.
        origin = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
        for (position, record) in records.enumerated() {
            self.position = position
            add(record)
        }
    }

    private mutating func add(_ record: TrafficRecord) {
        let place = index.place(of: record)
        if let place, place == pages.count {
            pages.append(ComparedPage(path: path(of: record.url), record: record.record, position: position))
        }
        if let place { add(record, toPage: place) }
        switch record.event {
        case .app(let name, let fields) where ["visit", "navigation"].contains(name):
            visits.append(visit(name, fields, record))
        case .request(let request, _) where ["document", "fetch"].contains(request.type):
            requests.append(event(.request, "\(request.method) \(path(of: request.url))", content(request), record))
        default: break
        }
    }

    private mutating func add(_ record: TrafficRecord, toPage place: Int) {
        settle(record, place)
        switch record.event {
        case .message(let handler, let name, _, _, _) where ComparedEvent.isProgress(handler, name): return
        case .message(let handler, let name, let body, let seq, let verdict):
            var members = content("body", body, record)
            if !verdict.isTaken { members.append(.init("verdict", .string(text(verdict)))) }
            let component = body.json["component"]?.string.map { "\($0) \(body.json["event"]?.string ?? "")" }
            let message = event(
                .message, "\(handler) \(component ?? name ?? "")".trimmed, .object(members), record)
            pages[place].indexes[.init(handler: handler, seq: seq)] = pages[place].messages.count
            pages[place].messages.append(message)
        case .reply(let handler, let seq, let result, _, _):
            guard let index = pages[place].indexes[.init(handler: handler, seq: seq)] else { return }
            let content: [JSONValue.Member] =
                switch result {
                case .success(let value): self.content("value", value, record)
                case .failure(let error): [.init("error", .string(error.message.withoutErrorName))]
                }
            pages[place].messages[index].reply = .init(
                content: .object(content), record: record.record, position: position)
        case .evaluate where record.isByTool, .callAsync where record.isByTool: return
        case .evaluate(_, let source):
            pages[place].calls.append(call(source, record))
        case .callAsync(_, let body, let arguments):
            let members = [.init("body", .string(body))] + content("arguments", arguments, record)
            pages[place].calls.append(event(.call, "an async function", .object(members), record))
        default: return
        }
    }

    /// Takes the path that the document has when it first does something, because the first records have that of the
    /// request, before redirects.
    private mutating func settle(_ record: TrafficRecord, _ place: Int) {
        guard !pages[place].hasSettled else { return }
        pages[place].path = path(of: record.url)
        switch record.event {
        case .message, .evaluate, .page(.loaded): pages[place].hasSettled = true
        default: return
        }
    }

    private func call(_ source: String, _ record: TrafficRecord) -> ComparedEvent {
        guard let call = JavaScriptCallText(in: source) else {
            return event(.call, "a script", .object([.init("source", .string(source))]), record)
        }
        let arguments = normal(.array(call.arguments), record)
        return event(.call, call.function, .object([.init("arguments", arguments)]), record)
    }

    private func visit(_ name: String, _ fields: [JSONValue.Member], _ record: TrafficRecord) -> ComparedEvent {
        let names = name == "visit" ? ["location", "visit", "action"] : ["main", "modal"]
        let members = fields.filter { names.contains($0.key) }
        return event(
            .visit, name == "visit" ? "visit" : "stacks", normal(.object(members), record), record)
    }

    private func content(_ request: FinishedRequest) -> JSONValue {
        var members: [JSONValue.Member] = []
        if let status = request.status { members.append(.init("status", .number(Double(status)))) }
        // The engines word it differently.
        if request.failure != nil { members.append(.init("failed", true)) }
        return .object(members)
    }

    private func content(_ key: String, _ value: ScriptValue, _ record: TrafficRecord) -> [JSONValue.Member] {
        var members = [JSONValue.Member(key, normal(JSONValue(value.json), record))]
        if let types = value.types { members.append(.init("types", types.json)) }
        return members
    }

    private func event(
        _ kind: TrafficDifference.Kind, _ name: String, _ content: JSONValue, _ record: TrafficRecord
    ) -> ComparedEvent {
        ComparedEvent(
            kind: kind, name: name, content: content, page: path(of: record.url), record: record.record,
            position: position)
    }

    private func text(_ verdict: Verdict) -> String {
        [verdict.outcome.rawValue, verdict.reason?.rawValue].compactMap(\.self).joined(separator: ", ")
    }

    // MARK: What differs in each run

    private func path(of url: String?) -> String {
        guard let url else { return "" }
        return url.hasPrefix("http") ? withoutOrigin(url) : url
    }

    private func normal(_ value: JSONValue, _ record: TrafficRecord) -> JSONValue {
        switch value {
        case .string(let text):
            isNow(text, record)
                ? .string("(the time)")
                // Android's pages post JSON as text.
                : ScriptValue(value).parsedText.map { normal(JSONValue($0.json), record) }
                    ?? .string(withoutOrigin(text))
        case .number(let number): isNow(number, record) ? .string("(the time)") : value
        case .array(let elements): .array(elements.map { normal($0, record) })
        case .object(let members): .object(members.map { .init($0.key, normal($0.value, record)) })
        case .null, .bool: value
        }
    }

    private func withoutOrigin(_ text: String) -> String {
        guard let origin, text.contains(origin) else { return text }
        return text == origin ? "/" : text.replacing("\(origin)/", with: "/")
    }

    private func isNow(_ text: String, _ record: TrafficRecord) -> Bool {
        guard text.utf8.count >= 20, let time = Timestamp(text) else { return false }
        return isNow(Double(time.microseconds) / 1_000, record)
    }

    /// Whether a number is the time of the record in milliseconds, give or take ten minutes.
    private func isNow(_ milliseconds: Double, _ record: TrafficRecord) -> Bool {
        abs(milliseconds - Double(record.time.microseconds) / 1_000) < 600_000
    }

    private static func origin(of url: String) -> String? {
        url.firstMatch(of: /^https?:\/\/[^\/?#]+/).map { String($0.output) }
    }
}

extension String {
    fileprivate var trimmed: String { hasSuffix(" ") ? String(dropLast()) : self }

    /// WebKit makes an `Error` of the text with which native code rejects a message.
    fileprivate var withoutErrorName: String { hasPrefix("Error: ") ? String(dropFirst(7)) : self }
}
