public import BridgeProtocol

extension Cassette {
    private static let keys = [
        "cassette", "recorded", "expires", "device", "order", "timing", "repeats", "entries",
    ]

    /// Reads a cassette (docs/notes/cassettes.md).
    public init(_ yaml: YAMLFile) throws(YAMLError) {
        let members = try yaml.root.members(Cassette.keys)
        if let version = members["cassette"], version.json != 1 {
            throw version.error("This version of bridged reads cassette: 1, found \(version.summary).")
        }
        guard let list = members["entries"] else { throw yaml.root.error(expected: "A cassette needs entries: a list") }
        var entries: [Entry] = []
        for entry in try list.elements() { entries.append(try Entry(entry)) }
        self.init(name: yaml.name, entries: entries)
        recorded = try members["recorded"]?.day()
        daysUntilOld = try members["expires"]?.days()
        device = try members["device"].map(DeviceInfo.init)
        if let value = members["order"] { order = try value.word() }
        if let value = members["timing"] { timing = try value.word() }
        if let value = members["repeats"] {
            guard let isAllowed = value.json.bool else {
                throw value.error("repeats is true or false, not \(value.summary).")
            }
            repeats = isAllowed
        }
    }

    /// The cassette as YAML. Reading it gives the same cassette.
    public var yaml: String {
        var lines = ["cassette: 1"]
        if let recorded { lines.append("recorded: \(recorded)") }
        if let daysUntilOld { lines.append("expires: \(daysUntilOld)d") }
        if let device { lines += YAMLText.lines("device", device.yaml) }
        if order != .any { lines.append("order: \(order.rawValue)") }
        if timing != .instant { lines.append("timing: \(timing.rawValue)") }
        if !repeats { lines.append("repeats: false") }
        lines.append(entries.isEmpty ? "entries: []" : "entries:")
        return lines.map { "\($0)\n" }.joined() + Cassette.yaml(of: entries)
    }

    /// The lines of entries, to append to a file whose last key is `entries`.
    public static func yaml(of entries: [Entry]) -> String {
        entries.flatMap { YAMLText.lines(ofElement: $0.yaml) }.map { "  \($0)\n" }.joined()
    }
}

extension Cassette.Entry {
    private static let keys = [
        "handler", "component", "event", "object", "method", "body", "data", "arguments", "match", "reply", "delay",
        "calls", "replies",
    ]

    fileprivate init(_ value: YAMLValue) throws(YAMLError) {
        let members = try value.members(Cassette.Entry.keys)
        let receiver = try Cassette.Receiver(members, value)
        let pattern = try Cassette.Pattern(members, receiver)
        try Cassette.Entry.checkAnswers(members, receiver)
        var replies: [Cassette.ComponentReply] = []
        for reply in try members["replies"]?.elements() ?? [] { replies.append(try Cassette.ComponentReply(reply)) }
        self.init(
            receiver, pattern, reply: try members["reply"].map(StubReply.init) ?? .none,
            delay: try members["delay"]?.duration() ?? .zero,
            calls: try members["calls"]?.elements().map(StubCall.init) ?? [], replies: replies, line: value.line)
    }

    /// Refuses answers that this receiver does not give.
    private static func checkAnswers(
        _ members: [String: YAMLValue], _ receiver: Cassette.Receiver
    ) throws(YAMLError) {
        switch receiver {
        case .component:
            guard let wrong = members["reply"] ?? members["delay"] else { return }
            throw wrong.error("A component has replies, each with its delay: replies: [{data: {…}, delay: 20ms}].")
        case .handler, .method:
            guard let wrong = members["replies"] else { return }
            throw wrong.error("Only a component has replies. A handler or a method has one: reply: {value: …}.")
        }
    }

    fileprivate var yaml: [JSONValue.Member] {
        var members = receiver.yaml
        switch pattern {
        case .anything: break
        case .exactly(let content): members.append(.init(receiver.contentKey, content))
        case .containing(let subset): members.append(.init("match", JSONValue(subset.json)))
        }
        if reply.answers { members.append(.init("reply", reply.yaml)) }
        if let delay = delay.yaml { members.append(.init("delay", delay)) }
        if !replies.isEmpty { members.append(.init("replies", .array(replies.map(\.yaml)))) }
        if !calls.isEmpty { members.append(.init("calls", .array(calls.map(\.yaml)))) }
        return members
    }
}

extension Cassette.Receiver {
    fileprivate init(_ members: [String: YAMLValue], _ value: YAMLValue) throws(YAMLError) {
        switch (members["handler"], members["component"], members["object"]) {
        case (let handler?, nil, nil) where members["event"] == nil && members["method"] == nil:
            self = .handler(try handler.text())
        case (nil, let component?, nil) where members["method"] == nil:
            guard let event = members["event"] else {
                throw value.error(expected: "A component's entry needs its event: {component: form, event: connect}")
            }
            self = .component(try component.text(), event: try event.text())
        case (nil, nil, let object?) where members["event"] == nil:
            guard let method = members["method"] else {
                throw value.error(expected: "An object's entry needs its method: {object: Device, method: model}")
            }
            self = .method(try method.text(), of: try object.text())
        default:
            throw value.error(
                expected: "An entry has a handler, or a component and its event, or an object and its method")
        }
    }

    fileprivate var yaml: [JSONValue.Member] {
        switch self {
        case .handler(let name): [.init("handler", .string(name))]
        case .component(let name, let event): [.init("component", .string(name)), .init("event", .string(event))]
        case .method(let name, let object): [.init("object", .string(object)), .init("method", .string(name))]
        }
    }

    /// The key of the part of a message that an entry names.
    fileprivate var contentKey: String {
        switch self {
        case .handler: "body"
        case .component: "data"
        case .method: "arguments"
        }
    }
}

extension Cassette.Pattern {
    fileprivate init(_ members: [String: YAMLValue], _ receiver: Cassette.Receiver) throws(YAMLError) {
        let key = receiver.contentKey
        for other in ["body", "data", "arguments"] where other != key {
            guard let wrong = members[other] else { continue }
            throw wrong.error("The entry of \(receiver) has \(key), not \(other).")
        }
        switch (members[key], members["match"]) {
        case (nil, nil): self = .anything
        case (nil, let match?): self = .containing(match.scriptValue)
        case (let content?, nil):
            if key == "arguments" { _ = try content.elements() }
            if key == "data" { _ = try content.members() }
            self = .exactly(content.scriptValue.plain)
        case (_?, let match?):
            throw match.error("\(key) is the whole, and match a part of it: leave one of them out.")
        }
    }
}

extension Cassette.ComponentReply {
    fileprivate init(_ value: YAMLValue) throws(YAMLError) {
        let members = try value.members(["event", "data", "delay"])
        let data = members["data"]
        _ = try data?.members()
        self.init(
            event: try members["event"]?.text(), data: data?.json ?? [:],
            delay: try members["delay"]?.duration() ?? .zero)
    }

    fileprivate var yaml: JSONValue {
        var members: [JSONValue.Member] = event.map { [.init("event", .string($0))] } ?? []
        members.append(.init("data", data))
        if let delay = delay.yaml { members.append(.init("delay", delay)) }
        return .object(members)
    }
}

extension DeviceInfo {
    fileprivate init(_ value: YAMLValue) throws(YAMLError) {
        let members = try value.members(["model", "system", "framework"])
        self.init(
            model: try members["model"]?.text(), system: try members["system"]?.text(),
            framework: try members["framework"]?.text())
    }

    fileprivate var yaml: JSONValue {
        let members = [("model", model), ("system", system), ("framework", framework)]
        return .object(members.compactMap { key, text in text.map { .init(key, .string($0)) } })
    }
}

extension YAMLValue {
    fileprivate func day() throws(YAMLError) -> Cassette.Day {
        guard let day = Cassette.Day(try text()) else {
            throw error("Expected a day such as 2026-11-29, found \(summary).")
        }
        return day
    }

    fileprivate func days() throws(YAMLError) -> Int {
        let text = try text()
        guard text.hasSuffix("d"), let days = Int(text.dropLast()), days >= 0 else {
            throw error("Expected a number of days such as 90d, found \(summary).")
        }
        return days
    }

    fileprivate func word<Word: RawRepresentable & CaseIterable>() throws(YAMLError) -> Word
    where Word.RawValue == String {
        guard let word = Word(rawValue: try text()) else {
            throw error("Expected \(Word.allCases.map(\.rawValue).joined(separator: " or ")), found \(summary).")
        }
        return word
    }
}
