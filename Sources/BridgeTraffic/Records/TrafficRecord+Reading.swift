public import BridgeProtocol

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
            direction: direction, event: event)
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
            reason: json?["reason"]?.string.map(Reason.init), expected: json?["expected"]?.string,
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
