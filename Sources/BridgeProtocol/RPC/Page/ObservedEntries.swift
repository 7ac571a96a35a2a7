/// The params of `page.observed`: what `bridge.js` has observed in a page of an app of its own. Native code of that app
/// has handled it; the daemon only records it.
public struct ObservedEntries: MethodCall {
    public let entries: [ObservedEntry]

    public init(_ entries: [ObservedEntry]) { self.entries = entries }

    public var method: String { PageMethod.observed.rawValue }

    public func writeMembers(to writer: inout JSONWriter) { writer.member("entries", entries) }

    /// - Throws: `invalidParams` that names the member.
    init(params: JSON) throws(RPCError) {
        guard let list = params["entries"], list.kind == .array else {
            throw .invalidParams(at: "/entries", "expected an array, found \(params["entries"].summary)")
        }
        var entries: [ObservedEntry] = []
        for (index, entry) in list.elements.enumerated() {
            entries.append(try ObservedEntry(entry, at: "/entries/\(index)"))
        }
        self.entries = entries
    }
}

/// One thing that happened between a page and native code of its own app.
public struct ObservedEntry: Sendable, JSONWritable {
    public enum Event: Sendable {
        /// The page posted to a message handler; or, with a name, called a method of an interface object with an array.
        case message(handler: String, name: String?, body: ScriptValue)
        /// Native code replied to the message `of`, or returned a value; an error has the text that the page got.
        case reply(of: Int, handler: String, Result<ScriptValue, ObservedError>, milliseconds: Double)
        /// Native code called a function of the page, with an array.
        case call(function: String, arguments: ScriptValue)
        /// The page got an event of Turbo.
        case event(name: String, detail: [JSONValue.Member])
    }

    /// The number of the entry in its document: 1, 2, 3…
    public let seq: Int
    public let event: Event

    public init(seq: Int, _ event: Event) { (self.seq, self.event) = (seq, event) }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("seq", seq)
            writer.member("kind", event.kind)
            switch event {
            case .message(let handler, let name, let body):
                writer.member("handler", handler)
                writer.member("name", ifPresent: name)
                body.write(to: &writer, key: "body")
            case .reply(let of, let handler, let result, let milliseconds):
                writer.member("of", of)
                writer.member("handler", handler)
                switch result {
                case .success(let value): value.write(to: &writer, key: "value")
                case .failure(let error): writer.member("error", error.text)
                }
                writer.member("durationMs", milliseconds)
            case .call(let function, let arguments):
                writer.member("function", function)
                arguments.write(to: &writer, key: "arguments")
            case .event(let name, let detail):
                writer.member("name", name)
                writer.member("detail", JSONValue.object(detail))
            }
        }
    }
}

/// The text of an error or exception that a page got from native code.
public struct ObservedError: Error, Sendable, Equatable {
    public let text: String

    public init(_ text: String) { self.text = text }
}

extension ObservedEntry.Event {
    fileprivate var kind: String {
        switch self {
        case .message: "message"
        case .reply: "reply"
        case .call: "call"
        case .event: "event"
        }
    }

    fileprivate init(_ json: JSON, at place: String) throws(RPCError) {
        func text(_ key: String, _ limit: Int = PageText.handler) throws(RPCError) -> String {
            guard let text = json[key]?.string else {
                throw .invalidParams(at: "\(place)/\(key)", "expected String, found \(json[key].summary)")
            }
            return PageText.cut(text, to: limit)
        }
        switch json["kind"]?.string {
        case "message":
            let name = json["name"].map { PageText.cut($0.string ?? "", to: PageText.handler) }
            self = .message(handler: try text("handler"), name: name, body: try ScriptValue(params: json, key: "body"))
        case "reply":
            let error = json["error"]?.string.map { ObservedError(PageText.cut($0, to: PageText.entry)) }
            let value = error == nil ? try ScriptValue(params: json, key: "value") : .undefined
            let result: Result<ScriptValue, ObservedError> = error.map { .failure($0) } ?? .success(value)
            self = .reply(
                of: json["of"]?.wholeNumber ?? 0, handler: try text("handler"), result,
                milliseconds: json["durationMs"]?.number ?? 0)
        case "call":
            self = .call(function: try text("function"), arguments: try ScriptValue(params: json, key: "arguments"))
        case "event":
            var detail: [JSONValue.Member] = []
            json["detail"]?.forEachMember { detail.append(.init(PageText.cut($0, to: PageText.word), JSONValue($1))) }
            self = .event(name: try text("name"), detail: detail)
        default:
            throw .invalidParams(
                at: "\(place)/kind", "expected message, reply, call or event, found \(json["kind"].summary)")
        }
    }
}

extension ObservedEntry {
    fileprivate init(_ json: JSON, at place: String) throws(RPCError) {
        guard let seq = json["seq"]?.wholeNumber, (1...1 << 53).contains(seq) else {
            throw .invalidParams(
                at: "\(place)/seq", "expected a whole number from 1 to 2^53, found \(json["seq"].summary)")
        }
        self.init(seq: seq, try Event(json, at: place))
    }
}
