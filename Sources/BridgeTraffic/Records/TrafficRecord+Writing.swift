public import BridgeProtocol

extension TrafficRecord: JSONWritable {
    /// Appends the record as one object, with its keys in the order of docs/protocol.md.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("record", record)
            writer.member("node", ifPresent: node?.node)
            writer.member("nodeRecord", ifPresent: node?.record)
            writer.member("time", time)
            writer.member("page", ifPresent: page)
            writer.member("webView", ifPresent: webView)
            writer.member("url", ifPresent: url)
            writer.member("world", ifPresent: world)
            writer.member("direction", direction.rawValue)
            writer.member("kind", event.kind.rawValue)
            event.writeMembers(to: &writer)
            if isByTool { writer.member("by", "tool") }
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
