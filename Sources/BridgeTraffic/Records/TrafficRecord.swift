public import BridgeProtocol

/// One line of the traffic log (protocol.md, "Traffic record"): something that crossed, or kept something from
/// crossing.
public struct TrafficRecord: Sendable {
    public enum Direction: String, Sendable, CaseIterable {
        case toNative, toWeb
    }

    /// Counts from 1 in each run of the daemon.
    public let record: Int
    public let time: Timestamp
    /// The document's id, such as `p7`.
    public let page: String?
    public let webView: String?
    public let url: String?
    public let direction: Direction
    public let event: Event

    public init(
        record: Int, time: Timestamp, page: String? = nil, webView: String? = nil, url: String? = nil,
        direction: Direction, event: Event
    ) {
        self.record = record
        self.time = time
        self.page = page
        self.webView = webView
        self.url = url
        self.direction = direction
        self.event = event
    }

    /// One case for each kind of record. Indirect, because it is handed on more often than it is made.
    public indirect enum Event: Sendable {
        /// - Parameter name: what the body calls itself.
        case message(handler: String, name: String?, body: ScriptValue, seq: Int, verdict: Verdict)
        case reply(
            handler: String, seq: Int, result: Result<ScriptValue, RPCError>, duration: Duration, verdict: Verdict)
        case evaluate(id: RequestID, source: String)
        case callAsync(id: RequestID, body: String, arguments: ScriptValue)
        case result(id: RequestID, result: Result<ScriptValue, RPCError>, duration: Duration)
        case console(ConsoleEntry)
        case page(PageEvent)
        /// - Parameter fields: what the event brings beside its name. Their keys must not be those of every record.
        case app(event: String, fields: [JSONValue.Member])
        /// What went wrong outside a message.
        /// - Parameters:
        ///   - code: one word.
        ///   - hint: what a developer can do about it.
        ///   - about: the number of the message's record, where that has the verdict already.
        case problem(code: String, text: String, hint: String?, about: Int? = nil)
        /// Records that a slow follower missed.
        case gap(count: Int)
    }

    public enum PageEvent: String, Sendable {
        case attached, resumed, updated, detached, gone
    }
}

extension TrafficRecord {
    /// The record's `kind`, one for each case of ``Event``.
    public enum Kind: String, Sendable, CaseIterable {
        case message, reply, evaluate, callAsync, result, console, page, app, problem, gap
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
        case .app: .app
        case .problem: .problem
        case .gap: .gap
        }
    }
}
