public import BridgeProtocol

/// A line of the traffic log (docs/protocol.md, "Traffic record"): something that a page and native code exchanged, or
/// the reason why they did not.
public struct TrafficRecord: Sendable {
    public enum Direction: String, Sendable, CaseIterable {
        case toNative, toWeb
    }

    /// The record's number, from 1 in each run of the daemon.
    public let record: Int
    /// The node of a cluster that made the record, and the number that it has there; nil outside of the cluster's traffic.
    public let node: NodeRecord?
    public let time: Timestamp
    /// Nil if the record is about no page.
    let pageMembers: PageMembers?
    /// The content world of a message or an evaluation; nil for the page's own.
    public let world: String?
    /// Whether a tool or a test asked for an evaluation, rather than native code.
    public let isByTool: Bool
    /// The verdict that an observed message would get here, if it would be dropped.
    public let here: Verdict?
    public let direction: Direction
    public let event: Event

    /// The document's id, such as `p7`.
    public var page: String? { pageMembers?.page }
    public var webView: String? { pageMembers?.webView }
    public var url: String? { pageMembers?.url }
    /// The device that shows the page, in a `page` record of an app of its own.
    public var device: DeviceInfo? { pageMembers?.device }

    public init(
        record: Int, node: NodeRecord? = nil, time: Timestamp, page: String? = nil, webView: String? = nil,
        url: String? = nil,
        world: String? = nil, isByTool: Bool = false, here: Verdict? = nil, device: DeviceInfo? = nil,
        direction: Direction, event: Event
    ) {
        let hasPage = page != nil || webView != nil || url != nil
        self.init(
            record: record, node: node, time: time,
            pageMembers: hasPage ? PageMembers(page: page, webView: webView, url: url, device: device) : nil,
            world: world,
            isByTool: isByTool, here: here, direction: direction, event: event)
    }

    init(
        record: Int, node: NodeRecord? = nil, time: Timestamp, pageMembers: PageMembers?, world: String?,
        isByTool: Bool, here: Verdict? = nil, direction: Direction, event: consuming Event
    ) {
        self.record = record
        self.node = node
        self.time = time
        self.pageMembers = pageMembers
        self.world = world
        self.isByTool = isByTool
        self.here = here
        self.direction = direction
        self.event = event
    }

    /// What happened. The enum is indirect, because records are copied often: a copy then only retains the payload.
    public indirect enum Event: Sendable {
        /// - Parameter name: the member `name` of the body.
        case message(handler: String, name: String?, body: ScriptValue, seq: Int, verdict: Verdict)
        case reply(
            handler: String, seq: Int, result: Result<ScriptValue, RPCError>, duration: Duration, verdict: Verdict)
        case evaluate(id: RequestID, source: String)
        case callAsync(id: RequestID, body: String, arguments: ScriptValue)
        case result(id: RequestID, result: Result<ScriptValue, RPCError>, duration: Duration)
        case console(ConsoleEntry)
        case page(PageEvent)
        /// A request of a driven page has ended.
        /// - Parameter visit: the number of the record of the visit that caused it.
        case request(FinishedRequest, visit: Int?)
        /// - Parameter fields: further members. Their names differ, and are none of ``TrafficRecord/commonNames``.
        case app(event: String, fields: [JSONValue.Member])
        /// A problem that is not the verdict on a message.
        /// - Parameters:
        ///   - code: one word for programs.
        ///   - hint: what a developer can do about it.
        ///   - about: the number of the record of the message that the problem concerns, if it is written already.
        ///   - count: how many more times the problem came, if this record stands for all of them.
        case problem(code: String, text: String, hint: String?, about: Int? = nil, count: Int? = nil)
        /// Takes the place of records that a slow reader has missed.
        case gap(count: Int)
    }

    public enum PageEvent: String, Sendable {
        case attached, resumed, updated
        /// An update after which the document has loaded: its `readyState` became `complete`.
        case loaded
        case detached, gone
    }
}

/// The number of a record within the node of a cluster that made it.
public struct NodeRecord: Sendable, Equatable {
    public let node: String
    public let record: Int

    public init(node: String, record: Int) {
        self.node = node
        self.record = record
    }
}

extension TrafficRecord {
    /// The names of the members that records of every kind can have, and `event`. No field of an `app` record has one of
    /// them.
    public static let commonNames: Set<String> = [
        "record", "node", "nodeRecord", "time", "page", "webView", "url", "world", "direction", "kind", "event", "by",
        "here",
    ]

    /// The record's `kind`: one for each case of ``Event``.
    public enum Kind: String, Sendable, CaseIterable {
        case message, reply, evaluate, callAsync, result, console, page, request, app, problem, gap
    }
}

extension TrafficRecord {
    /// The value in the record, as in ``StoredRecord/payload``; nil if the payload is the whole record.
    public var payload: ScriptValue? {
        switch event {
        case .message(_, _, let body, _, _): body
        case .reply(_, _, let result, _, _), .result(_, let result, _): (try? result.get()) ?? .null
        case .callAsync(_, _, let arguments): arguments
        default: nil
        }
    }
}

extension TrafficRecord.Event {
    public var kind: TrafficRecord.Kind {
        switch self {
        case .message: .message
        case .reply: .reply
        case .evaluate: .evaluate
        case .callAsync: .callAsync
        case .result: .result
        case .console: .console
        case .page: .page
        case .request: .request
        case .app: .app
        case .problem: .problem
        case .gap: .gap
        }
    }
}

extension TrafficRecord {
    /// Reads a line of a log or of a running daemon's traffic.
    /// - Returns: nil if the line is not a record.
    public init?(line: some Collection<UInt8>) {
        guard let json = try? JSON.parse(Array(line)) else { return nil }
        self.init(json: json)
    }

    /// Reads a record's object.
    /// - Returns: nil if the object is not a record.
    public init?(json: JSON) {
        guard let record = json["record"]?.wholeNumber,
            let time = json["time"]?.string.flatMap(Timestamp.init),
            let direction = json["direction"]?.string.flatMap(Direction.init), let event = Event(json)
        else { return nil }
        self.init(
            record: record, node: NodeRecord(json), time: time, page: json["page"]?.string,
            webView: json["webView"]?.string,
            url: json["url"]?.string, world: json["world"]?.string, isByTool: json["by"]?.string == "tool",
            here: json["here"].map(Verdict.init), device: DeviceInfo(record: json), direction: direction, event: event)
    }
}

extension DeviceInfo {
    /// Reads the members of a record about a page.
    fileprivate init?(record json: JSON) {
        guard json["device"]?.bool == true else { return nil }
        self.init(
            model: json["model"]?.string, system: json["system"]?.string, framework: json["framework"]?.string)
        id = json["deviceId"]?.string
    }
}

extension NodeRecord {
    fileprivate init?(_ json: JSON) {
        guard let node = json["node"]?.string, let record = json["nodeRecord"]?.wholeNumber else { return nil }
        self.init(node: node, record: record)
    }
}

extension TrafficRecord.Event {
    fileprivate init?(_ json: JSON) {
        guard let kind = json["kind"]?.string.flatMap(TrafficRecord.Kind.init) else { return nil }
        let id = json["id"].flatMap(RequestID.init) ?? .null
        let handler = json["handler"]?.string ?? ""
        let duration = Duration(clampingMilliseconds: json["durationMs"]?.number ?? 0)
        switch kind {
        case .message:
            self = .message(
                handler: handler, name: json["name"]?.string, body: json.value("body"), seq: json.whole("seq"),
                verdict: Verdict(json["verdict"]))
        case .reply:
            self = .reply(
                handler: handler, seq: json.whole("seq"), result: json.outcome, duration: duration,
                verdict: Verdict(json["verdict"]))
        case .evaluate: self = .evaluate(id: id, source: json["source"]?.string ?? "")
        case .callAsync:
            self = .callAsync(id: id, body: json["body"]?.string ?? "", arguments: json.value("arguments"))
        case .result: self = .result(id: id, result: json.outcome, duration: duration)
        case .console: self = .console(ConsoleEntry(record: json))
        case .page:
            guard let event = json["event"]?.string.flatMap(TrafficRecord.PageEvent.init) else { return nil }
            self = .page(event)
        case .request: self = .request(FinishedRequest(record: json), visit: json["visit"]?.wholeNumber)
        case .app: self = .app(event: json["event"]?.string ?? "", fields: json.appFields)
        case .problem:
            self = .problem(
                code: json["code"]?.string ?? "", text: json["text"]?.string ?? "", hint: json["hint"]?.string,
                about: json["about"]?.wholeNumber, count: json["count"]?.wholeNumber)
        case .gap: self = .gap(count: json.whole("count"))
        }
    }
}

extension Verdict {
    fileprivate init(_ json: JSON?) {
        self.init(
            json?["outcome"]?.string.flatMap(Outcome.init) ?? .dropped,
            reason: json?["reason"]?.string.map(Reason.init(rawValue:)), expected: json?["expected"]?.string,
            found: json?["found"]?.string, at: json?["at"]?.string, hint: json?["hint"]?.string)
        stub = json?["stub"]?.string
    }
}

extension ConsoleEntry {
    /// Reads the members of a `console` record. Some of them have other names in the message from the page.
    fileprivate init(record json: JSON) {
        self.init(
            level: json["level"]?.string ?? "", text: json["text"]?.string ?? "",
            kind: json["entry"]?.string.flatMap(Kind.init) ?? .console, url: json["sourceURL"]?.string,
            line: json["line"]?.wholeNumber,
            column: json["column"]?.wholeNumber, stack: json["stack"]?.string)
    }
}

extension FinishedRequest {
    /// Reads the members of a `request` record.
    fileprivate init(record json: JSON) {
        self.init(
            url: json["requestURL"]?.string ?? "", method: json["method"]?.string ?? "", type: json["type"]?.string,
            status: json["status"]?.wholeNumber, mimeType: json["mimeType"]?.string,
            milliseconds: json["durationMs"]?.number, failure: json["failure"]?.string,
            fault: json["fault"]?.string)
    }
}

extension JSON {
    fileprivate func whole(_ key: String) -> Int { self[key]?.wholeNumber ?? 0 }

    fileprivate func value(_ key: String) -> ScriptValue {
        (try? ScriptValue(json: self[key] ?? .null, types: self["types"])) ?? .null
    }

    fileprivate var outcome: Result<ScriptValue, RPCError> {
        self["error"].map { .failure(RPCError(json: $0)) } ?? .success(value("value"))
    }

    /// The members that only this `app` record has.
    fileprivate var appFields: [JSONValue.Member] {
        var fields: [JSONValue.Member] = []
        forEachMember { key, value in
            if !TrafficRecord.commonNames.contains(key) { fields.append(.init(key, JSONValue(value))) }
        }
        return fields
    }
}

extension TrafficRecord: JSONWritable {
    /// Appends the record as one object, with its keys in the order of docs/protocol.md.
    public func write(to writer: inout JSONWriter) {
        Self.write(record, node, time, pageMembers, world, isByTool, here, direction, event, to: &writer)
    }

    /// Appends a record that need not exist. The log does this for each message, because making a record and copying it
    /// would cost more than printing it.
    static func write(
        _ record: Int, _ node: NodeRecord?, _ time: Timestamp, _ pageMembers: PageMembers?, _ world: String?,
        _ isByTool: Bool, _ here: Verdict?, _ direction: Direction, _ event: Event, to writer: inout JSONWriter
    ) {
        writer.open("{")
        writer.member("record", record)
        if let node {
            writer.member("node", node.node)
            writer.member("nodeRecord", node.record)
        }
        writer.member("time", time)
        if let pageMembers { writer.members(complete: pageMembers.json) }
        writer.member("world", ifPresent: world)
        writer.member(complete: direction.member)
        writer.member(complete: event.kind.member)
        event.writeMembers(to: &writer)
        writer.member("here", ifPresent: here)
        if isByTool { writer.member("by", "tool") }
        writer.close("}")
    }
}

extension TrafficRecord.Direction {
    /// The member of a record. Each record has one, so it is not put together each time.
    fileprivate var member: StaticString {
        switch self {
        case .toNative: #""direction":"toNative""#
        case .toWeb: #""direction":"toWeb""#
        }
    }
}

extension TrafficRecord.Kind {
    /// The member of a record.
    fileprivate var member: StaticString {
        switch self {
        case .message: #""kind":"message""#
        case .reply: #""kind":"reply""#
        case .evaluate: #""kind":"evaluate""#
        case .callAsync: #""kind":"callAsync""#
        case .result: #""kind":"result""#
        case .console: #""kind":"console""#
        case .page: #""kind":"page""#
        case .request: #""kind":"request""#
        case .app: #""kind":"app""#
        case .problem: #""kind":"problem""#
        case .gap: #""kind":"gap""#
        }
    }
}

extension TrafficRecord.Event {
    /// Writes the members that only this kind of record has.
    func writeMembers(to writer: inout JSONWriter) {
        switch self {
        case .message(let handler, let name, let body, let seq, let verdict):
            writer.member("handler", handler)
            writer.member("name", ifPresent: name)
            body.write(to: &writer, key: "body")
            writer.member("seq", seq)
            writer.member("verdict", verdict)
        case .reply(let handler, let seq, let result, let duration, let verdict):
            writer.member("handler", handler)
            writer.member("seq", seq)
            writer.members(of: result, after: duration)
            writer.member("verdict", verdict)
        case .evaluate(let id, let source):
            writer.member("id", id)
            writer.member("source", source)
        case .callAsync(let id, let body, let arguments):
            writer.member("id", id)
            writer.member("body", body)
            arguments.write(to: &writer, key: "arguments")
        case .result(let id, let result, let duration):
            writer.member("id", id)
            writer.members(of: result, after: duration)
        case .console(let entry):
            writer.members(of: entry)
        case .page(let event):
            writer.member("event", event.rawValue)
        case .request(let request, let visit):
            writer.members(of: request)
            writer.member("visit", ifPresent: visit)
        case .app(let event, let fields):
            writer.member("event", event)
            writer.members(ofApp: fields)
        case .problem(let code, let text, let hint, let about, let count):
            writer.member("code", code)
            writer.member("text", text)
            writer.member("hint", ifPresent: hint)
            writer.member("about", ifPresent: about)
            writer.member("count", ifPresent: count)
        case .gap(let count):
            writer.member("count", count)
        }
    }
}

extension JSONWriter {
    fileprivate mutating func members(of result: Result<ScriptValue, RPCError>, after duration: Duration) {
        switch result {
        case .success(let value): value.write(to: &self, key: "value")
        case .failure(let error): member("error", error)
        }
        member("durationMs", duration)
    }

    /// The record has a member `url` of its own, so that of the request is called `requestURL`.
    fileprivate mutating func members(of request: FinishedRequest) {
        member("method", request.method)
        member("requestURL", request.url)
        member("type", ifPresent: request.type)
        member("status", ifPresent: request.status)
        member("mimeType", ifPresent: request.mimeType)
        member("durationMs", ifPresent: request.milliseconds)
        member("failure", ifPresent: request.failure)
        member("fault", ifPresent: request.fault)
    }

    /// Leaves out a field whose name a member of the record has already, since an object must not have a name twice:
    /// programs that read the log refuse such a line, or take either value.
    fileprivate mutating func members(ofApp fields: [JSONValue.Member]) {
        var names = TrafficRecord.commonNames
        for field in fields {
            guard names.insert(field.key).inserted else {
                assertionFailure("An app record has '\(field.key)' twice. Give its own field another name.")
                continue
            }
            member(named: field.key, field.value)
        }
    }

    /// The record has members `kind` and `url` of its own, so those of the entry are called `entry` and `sourceURL`.
    fileprivate mutating func members(of entry: ConsoleEntry) {
        member("level", entry.level)
        member("text", entry.text)
        member("entry", entry.kind.rawValue)
        member("sourceURL", ifPresent: entry.url)
        member("line", ifPresent: entry.line)
        member("column", ifPresent: entry.column)
        member("stack", ifPresent: entry.stack)
    }
}
