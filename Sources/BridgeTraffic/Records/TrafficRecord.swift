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
    /// The document's id, such as `p7`.
    public let page: String?
    public let webView: String?
    public let url: String?
    /// The content world of a message or an evaluation; nil for the page's own.
    public let world: String?
    /// Whether a tool or a test asked for an evaluation, rather than native code.
    public let isByTool: Bool
    public let direction: Direction
    public let event: Event

    public init(
        record: Int, node: NodeRecord? = nil, time: Timestamp, page: String? = nil, webView: String? = nil,
        url: String? = nil,
        world: String? = nil, isByTool: Bool = false, direction: Direction, event: Event
    ) {
        self.record = record
        self.node = node
        self.time = time
        self.page = page
        self.webView = webView
        self.url = url
        self.world = world
        self.isByTool = isByTool
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
        ///   - about: the number of the message's record, if that record already has the verdict.
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
    ]

    /// The record's `kind`: one for each case of ``Event``.
    public enum Kind: String, Sendable, CaseIterable {
        case message, reply, evaluate, callAsync, result, console, page, request, app, problem, gap
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
