/// What native code of a real app answered to its pages: messages, each with the reply and the calls that followed
/// (docs/notes/cassettes.md). The emulated app answers from it.
public struct Cassette: Sendable {
    /// Which entry answers a message that several fit.
    public enum Order: String, Sendable, CaseIterable {
        /// The first one that has not been used yet.
        case any
        /// Messages have to come as they were recorded.
        case recorded
    }

    /// When the app answers.
    public enum Timing: String, Sendable, CaseIterable {
        /// At once, in the order in which the answers came.
        case instant
        /// After the recorded times.
        case recorded
    }

    /// The file's name, as messages show it.
    public var name: String
    /// The day of the recording, such as `2026-11-29`.
    public var recorded: Day?
    /// The number of days after which it is old; nil if it does not get old.
    public var daysUntilOld: Int?
    public var device: DeviceInfo?
    public var order = Order.any
    public var timing = Timing.instant
    /// Whether the last entry that fits answers again when all that fit are used.
    public var repeats = true
    public var entries: [Entry]

    public init(name: String, entries: [Entry] = []) {
        self.name = name
        self.entries = entries
    }

    // MARK: Entries

    /// What native code has that gets a message.
    public enum Receiver: Sendable, Hashable {
        case handler(String)
        case component(String, event: String)
        case method(String, of: String)
    }

    /// The messages that an entry is for.
    public enum Pattern: Sendable {
        case anything
        /// The body; of a component the data without its metadata, of a method the arguments. See ``Message/content``.
        case exactly(JSONValue)
        /// A subset of the body, as in stubs and flows.
        case containing(ScriptValue)
    }

    /// One message, and what native code answered.
    public struct Entry: Sendable {
        public let receiver: Receiver
        public let pattern: Pattern
        /// The reply of a handler, or what a method returns.
        public var reply: StubReply
        /// The time of the reply after the message.
        public var delay: Duration
        /// The calls into the page, in their order.
        public var calls: [StubCall]
        /// The replies of a component, in their order.
        public var replies: [ComponentReply]
        /// The entry's line in the file; nil if it was never in one.
        public var line: Int?

        public init(
            _ receiver: Receiver, _ pattern: Pattern, reply: StubReply = .none, delay: Duration = .zero,
            calls: [StubCall] = [], replies: [ComponentReply] = [], line: Int? = nil
        ) {
            (self.receiver, self.pattern, self.reply, self.delay) = (receiver, pattern, reply, delay)
            (self.calls, self.replies, self.line) = (calls, replies, line)
        }
    }

    /// A reply of a bridge component to a message.
    public struct ComponentReply: Sendable {
        /// The reply's event; nil if it is the message's.
        public let event: String?
        /// An object, without metadata.
        public let data: JSONValue
        /// The time after the message.
        public let delay: Duration

        public init(event: String? = nil, data: JSONValue, delay: Duration = .zero) {
            (self.event, self.data, self.delay) = (event, data, delay)
        }
    }

    /// A message from a page.
    public struct Message: Sendable {
        public let receiver: Receiver
        /// The body; of a component's message the whole message, of a method an array with the arguments.
        public let body: ScriptValue

        public init(_ receiver: Receiver, _ body: ScriptValue) {
            self.receiver = receiver
            self.body = body
        }

        /// The part of the body that an entry names.
        public var content: JSONValue {
            guard case .component = receiver else { return body.plain }
            guard case .object(let members) = body.child("data")?.plain ?? [:] else { return [:] }
            return .object(members.filter { $0.key != "metadata" })
        }
    }
}

extension Cassette.Receiver {
    /// The handler, component or object.
    public var name: String {
        switch self {
        case .handler(let name), .component(let name, _), .method(_, let name): name
        }
    }

    /// Whether both belong to the same handler, component or object.
    package func isBeside(_ other: Cassette.Receiver) -> Bool {
        switch (self, other) {
        case (.handler, .handler), (.component, .component), (.method, .method): name == other.name
        default: false
        }
    }
}

extension Cassette.Receiver: CustomStringConvertible {
    public var description: String {
        switch self {
        case .handler(let name): name
        case .component(let name, let event): "\(name) \(event)"
        case .method(let name, let object): "\(object).\(name)"
        }
    }
}

extension Cassette.Pattern {
    /// - Parameter content: that of the message.
    func fits(_ message: Cassette.Message, _ content: JSONValue) -> Bool {
        switch self {
        case .anything: true
        case .exactly(let recorded): JSONValue.differences(recorded: recorded, now: content).isEmpty
        case .containing(let subset): message.body.contains(subset: subset)
        }
    }
}

extension Cassette.Entry {
    /// What native code answered, as text: the same for the same answers, whatever their times.
    public var answer: String {
        let parts: [JSONValue] = [
            .string(reply.text), .array(calls.map { .string($0.source) }),
            .array(replies.map { [.init(text: $0.event), $0.data] }),
        ]
        return JSONValue.array(parts).text
    }

    /// What follows the message of a component, in its order.
    public var componentAnswers: [ComponentAnswer] {
        let all = replies.map { ComponentAnswer.reply($0) } + calls.map { ComponentAnswer.call($0) }
        return all.enumerated().sorted { ($0.element.delay, $0.offset) < ($1.element.delay, $1.offset) }.map(\.element)
    }

    public enum ComponentAnswer: Sendable {
        case reply(Cassette.ComponentReply)
        case call(StubCall)

        public var delay: Duration {
            switch self {
            case .reply(let reply): reply.delay
            case .call(let call): call.delay
            }
        }
    }
}

// MARK: Age

extension Cassette {
    /// A day, such as `2026-11-29`.
    public struct Day: Sendable, Equatable, CustomStringConvertible {
        public let description: String
        private let number: Int

        public init?(_ text: String) {
            guard text.wholeMatch(of: /\d{4}-\d\d-\d\d/) != nil, let start = Timestamp("\(text)T00:00:00Z") else {
                return nil
            }
            self.init(start)
        }

        /// The day of a time, in UTC.
        public init(_ time: Timestamp) {
            description = String(time.description.prefix(10))
            number = Int((Double(time.microseconds) / 86_400e6).rounded(.down))
        }

        func days(since day: Day) -> Int { number - day.number }
    }

    /// A sentence that says that the recording is old; nil if it is not.
    public func warning(on today: Day) -> String? {
        guard let recorded, let daysUntilOld else { return nil }
        let age = today.days(since: recorded)
        guard age > daysUntilOld else { return nil }
        return
            "\(name) was recorded \(age) days ago, on \(recorded), and expires after \(daysUntilOld)d. Record it again, or "
            + "change expires in it."
    }
}

// MARK: What bodies are compared as

extension ScriptValue {
    /// The value as plain JSON, as people write it: dates are their texts, undefined members are left out, an object that
    /// occurs again is the place where it was. A text that is the JSON of an object or an array is what it stands for.
    public var plain: JSONValue {
        switch kind {
        case .undefined: return .null
        case .reference: return .string("[the value at \(json.string ?? "")]")
        case .array:
            return .array((0..<json.count).map { child(index: $0)?.plain ?? .null })
        case .object:
            var members: [JSONValue.Member] = []
            json.forEachMember { key, _ in
                guard let member = child(key), member.kind != .undefined else { return }
                members.append(.init(key, member.plain))
            }
            return .object(members)
        case .string: return parsedText.map { JSONValue($0.json) } ?? .string(string ?? "")
        default: return JSONValue(json)
        }
    }
}

extension JSONValue {
    /// The differences between what was recorded and what came. A recorded placeholder of a secret fits any value.
    static func differences(recorded: JSONValue, now: JSONValue) -> [JSONDifference] {
        JSONDifference.between(recorded, now.with(placeholdersOf: recorded), ignoring: [])
    }

    private func with(placeholdersOf recorded: JSONValue) -> JSONValue {
        switch (recorded, self) {
        case (.string, _) where recorded.isPlaceholder: return recorded
        case (.object, .object(let members)):
            return .object(
                members.map { member in
                    recorded[member.key].map { .init(member.key, member.value.with(placeholdersOf: $0)) } ?? member
                })
        case (.array, .array(let elements)):
            return .array(
                elements.enumerated().map { index, element in
                    recorded[index].map { element.with(placeholdersOf: $0) } ?? element
                })
        default: return self
        }
    }

    /// Whether it stands for a secret in a record.
    private var isPlaceholder: Bool { string.map { $0.hasPrefix("[redacted ") && $0.hasSuffix("]") } ?? false }

    /// The value without the members that stand for secrets.
    package var withoutPlaceholders: JSONValue {
        switch self {
        case .object(let members):
            .object(
                members.compactMap { member in
                    member.value.isPlaceholder ? nil : .init(member.key, member.value.withoutPlaceholders)
                })
        case .array(let elements): .array(elements.map(\.withoutPlaceholders))
        default: self
        }
    }

    /// The part of the value that has the shape of a pattern.
    package func limited(to pattern: JSONValue) -> JSONValue {
        switch (pattern, self) {
        case (.object(let wanted), .object):
            return .object(
                wanted.compactMap { member in self[member.key].map { .init(member.key, $0.limited(to: member.value)) } }
            )
        case (.array, .array(let elements)):
            return .array(
                elements.enumerated().map { index, element in
                    pattern[index].map { element.limited(to: $0) } ?? element
                })
        default: return self
        }
    }
}

extension Cassette {
    /// Whether an entry fits the message of a recorded one.
    public func has(_ recorded: Entry) -> Bool {
        guard case .exactly(let content) = recorded.pattern else { return false }
        let message = Message(recorded.receiver, recorded.receiver.body(with: content))
        return entries.contains { $0.receiver == recorded.receiver && $0.pattern.fits(message, content) }
    }
}

extension Cassette.Receiver {
    /// The body of a message with this content.
    fileprivate func body(with content: JSONValue) -> ScriptValue {
        guard case .component(let name, let event) = self else { return ScriptValue(content) }
        return ScriptValue(["component": .string(name), "event": .string(event), "data": content])
    }
}
