public import BridgeProtocol

/// Makes the entries of a cassette from the records of pages in apps of their own. It does no I/O.
///
/// A reply belongs to its message by the message's number, that of a component by the id in it. Any other call of native
/// code belongs to the message before it.
public struct CassetteRecorder {
    /// How much is recorded: a page can post without end, and all of it stays in memory.
    public struct Limits: Sendable {
        public let messages: Int
        /// The bytes of the records of messages and answers.
        public let bytes: Int

        public init(messages: Int, bytes: Int) { (self.messages, self.bytes) = (messages, bytes) }

        public static let usual = Limits(messages: 20_000, bytes: 16 << 20)
    }

    /// A page may claim that its app took years.
    private static let longestDelay = Duration.seconds(600)

    private struct Recorded {
        /// The index of the message's entry.
        let entry: Int
        let time: Timestamp
    }

    /// What is known of one document.
    private struct Document {
        /// By the numbers of the messages.
        var messages: [Int: Recorded] = [:]
        /// The messages of components, by their names and ids.
        var ofComponents: [[String]: Recorded] = [:]
        var latest: Recorded?
    }

    /// Everything that was recorded, in the order of the messages.
    public private(set) var entries: [Cassette.Entry] = []
    /// The device of the latest page.
    public private(set) var device: DeviceInfo?
    public let limits: Limits
    private var bytes = 0
    private let redaction: Redaction
    private var index = DocumentIndex()
    private var documents: [Int: Document] = [:]

    /// Whether so much is recorded that no message is added.
    public var isFull: Bool { entries.count >= limits.messages || bytes > limits.bytes }

    /// - Parameter redaction: removes what a log may have with `--no-redact`.
    public init(redaction: Redaction = .standard, limits: Limits = .usual) {
        (self.redaction, self.limits) = (redaction, limits)
    }

    /// Adds the next record.
    /// - Returns: whether there is anything new.
    public mutating func add(_ record: TrafficRecord) -> Bool {
        guard bytes <= limits.bytes, let place = index.place(of: record) else { return false }
        if let device = record.device { self.device = device }
        let isNew = add(record, at: place)
        if isNew { bytes += record.text.utf8.count }
        return isNew
    }

    private mutating func add(_ record: TrafficRecord, at place: Int) -> Bool {
        switch record.event {
        case .message where isFull: return false
        case .message(let handler, let name, let body, let seq, let verdict) where verdict.outcome == .observed:
            return add(handler, name, body, seq, record.time, place)
        case .reply(_, let seq, let result, let duration, _):
            guard let recorded = documents[place]?.messages[seq] else { return false }
            return add(result, after: duration, to: recorded.entry)
        case .evaluate(_, let source) where !record.isByTool:
            return add(source, at: record.time, documents[place])
        default: return false
        }
    }

    // MARK: Messages

    private mutating func add(
        _ handler: String, _ name: String?, _ body: ScriptValue, _ seq: Int, _ time: Timestamp, _ place: Int
    ) -> Bool {
        guard let message = CassetteRecorder.message(handler, name, body) else { return false }
        let recorded = Recorded(entry: entries.count, time: time)
        documents[place, default: Document()].messages[seq] = recorded
        documents[place]?.latest = recorded
        if case .component(let name, _) = message.receiver, let id = message.body.child("id")?.string {
            documents[place]?.ofComponents[[name, id]] = recorded
        }
        entries.append(Cassette.Entry(message.receiver, .exactly(redacted(message.content))))
        return true
    }

    /// The message as the app got it; nil for what is the framework's own affair. Only the call of a method has a name and an
    /// array.
    private static func message(_ handler: String, _ name: String?, _ body: ScriptValue) -> Cassette.Message? {
        switch handler {
        case "turbo", "TurboSession": return nil
        case "bridge", "strada": return componentMessage(body)
        case "BridgeComponentsNative", "StradaNative":
            guard name == "bridgeDidReceiveMessage", let argument = body.child(index: 0) else { return nil }
            return componentMessage(ScriptValue(argument.plain))
        default:
            guard let name, body.kind == .array else { return Cassette.Message(.handler(handler), body) }
            return Cassette.Message(.method(name, of: handler), body)
        }
    }

    private static func componentMessage(_ body: ScriptValue) -> Cassette.Message? {
        guard let component = body.child("component")?.string, let event = body.child("event")?.string else {
            return nil
        }
        return Cassette.Message(.component(component, event: event), body)
    }

    // MARK: Answers

    private mutating func add(
        _ result: Result<ScriptValue, RPCError>, after duration: Duration, to entry: Int
    ) -> Bool {
        switch (result, entries[entry].receiver) {
        // A method that returns nothing has no reply, and neither has the handler of components.
        case (.success(let value), .method) where value.kind == .undefined: return false
        case (_, .component): return false
        case (.success(let value), _): entries[entry].reply = .value(redaction.redacted(value))
        case (.failure(let error), _):
            let text = redaction.redacted(ScriptValue(.string(error.message))).string
            entries[entry].reply = .error(text ?? error.message)
        }
        // The page's clock has measured the reply. What came before it in the page did so by this time.
        let duration = min(duration, CassetteRecorder.longestDelay)
        entries[entry].delay = duration
        entries[entry].calls = entries[entry].calls.map { StubCall($0.content, delay: min($0.delay, duration)) }
        return true
    }

    private mutating func add(_ source: String, at time: Timestamp, _ document: Document?) -> Bool {
        guard let document, !CassetteRecorder.isOfFramework(source) else { return false }
        let call = StubCall(source: source, delay: .zero)
        if case .function(_, let arguments) = call.content, arguments.count == 1,
            let reply = CassetteRecorder.reply(arguments[0]),
            let recorded = document.ofComponents[[reply.component, reply.id]]
        {
            let event: String? =
                if case .component(_, event: reply.event) = entries[recorded.entry].receiver { nil } else {
                    reply.event
                }
            entries[recorded.entry].replies.append(
                Cassette.ComponentReply(
                    event: event, data: redacted(reply.data), delay: CassetteRecorder.delay(time, recorded)))
            return true
        }
        guard let latest = document.latest, let content = redacted(call.content) else { return false }
        // The daemon gets several entries at once, and its clock may say that a call came before the reply that it followed.
        let answer = entries[latest.entry]
        let earliest = answer.reply.answers ? answer.delay + .milliseconds(1) : .zero
        let delay = max(CassetteRecorder.delay(time, latest), earliest)
        entries[latest.entry].calls.append(StubCall(content, delay: delay))
        return true
    }

    /// Whether native code of Turbo or of bridge components calls its adapter: the emulated app does that itself.
    private static func isOfFramework(_ source: String) -> Bool {
        ["window.turboNative.", "window.nativeBridge.register(", "window.nativeBridge.unregister("].contains {
            source.hasPrefix($0)
        }
    }

    /// The reply of a component in a call's argument, which is JSON text on Android.
    private static func reply(
        _ argument: ScriptValue
    ) -> (component: String, id: String, event: String, data: JSONValue)? {
        let value = argument.plain
        guard let component = value["component"]?.string, let id = value["id"]?.string,
            let event = value["event"]?.string
        else { return nil }
        let members = value["data"]?.members ?? []
        return (component, id, event, .object(members.filter { $0.key != "metadata" }))
    }

    private static func delay(_ time: Timestamp, _ recorded: Recorded) -> Duration {
        .microseconds(max(0, time.microseconds - recorded.time.microseconds))
    }

    // MARK: Secrets

    private func redacted(_ value: JSONValue) -> JSONValue {
        JSONValue(redaction.redacted(ScriptValue(value)).json)
    }

    /// - Returns: nil for a script that seems to have a secret, which cannot be taken out of it.
    private func redacted(_ call: StubCall.Content) -> StubCall.Content? {
        switch call {
        case .function(let function, let arguments):
            .function(function, arguments.map(redaction.redacted))
        case .script(let source): redaction.findsSecret(inScript: source) ? nil : call
        }
    }
}

extension CassetteRecorder {
    /// The entries that a file needs. A message that got the same answer as the one before it with the same content is left
    /// out.
    public var neededEntries: [Cassette.Entry] { neededEntries(after: 0) }

    /// Those of the needed entries whose messages a cassette has no entry for.
    /// - Parameters:
    ///   - cassette: nil for one without entries.
    ///   - count: how many of the first messages to leave out.
    public func entries(missingIn cassette: Cassette?, after count: Int = 0) -> [Cassette.Entry] {
        neededEntries(after: count).filter { cassette?.has($0) != true }
    }

    private func neededEntries(after count: Int) -> [Cassette.Entry] {
        var latest: [Cassette.Receiver: [String: String]] = [:]
        return entries.enumerated().compactMap { index, entry in
            guard case .exactly(let content) = entry.pattern else { return index < count ? nil : entry }
            let answer = entry.answer
            let isNew = latest[entry.receiver, default: [:]].updateValue(answer, forKey: content.text) != answer
            return isNew && index >= count ? entry : nil
        }
    }
}
