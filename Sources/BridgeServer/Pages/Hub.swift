import BridgeProtocol
import BridgeTraffic
import Logging

/// Routes what comes from pages to handlers, and what native code asks for to pages. On the main actor.
///
/// The transport calls `handle`; the files beside this one hold what it does for each kind of event. What each message
/// needs is not checked for overlapping accesses, as in ``TrafficLog``.
@MainActor final class Hub {
    /// A connection, and what it has shown of itself.
    final class PageConnection {
        let channel: Channel
        var page: Page?
        var errors = 0
        /// A connection that never attaches is closed when this passes.
        var attachDeadline: Deadlines.Token?

        init(channel: Channel) { self.channel = channel }
    }

    let limits: BridgeServer.Configuration.Limits
    /// The member of a message body that holds the message's name.
    let discriminator: String
    let traffic: TrafficLog
    let deadlines = Deadlines()
    let logger: Logger
    /// For web views that have none of their own in `scopes`.
    let defaultScope = WebViewScope()
    @exclusivity(unchecked) var scopes: [String: WebViewScope] = [:]
    @exclusivity(unchecked) var connections: [ConnectionID: PageConnection] = [:]
    /// Every document that is not gone.
    var pages: [String: Page] = [:]
    /// Those of them that have no connection.
    var away: [String: Page] = [:]
    /// The latest documents that are gone, oldest first: a beacon of theirs may still be on its way.
    var departed: [Page] = []
    /// Documents that wait for what the one before them left.
    var held: [Page] = []
    var pageCount = 0
    /// Ids of evaluations go up over all pages: a document that was given up and comes back remembers those it has
    /// answered.
    var evaluationCount = 0
    @exclusivity(unchecked) var stubs = Stubs()
    /// Whose frames this round of the loop brought.
    @exclusivity(unchecked) private var unacknowledged: [PageConnection] = []
    /// By handler: how many messages found it.
    @exclusivity(unchecked) var messageCounts: [String: Int] = [:]
    private var toolSeq = 0
    /// Is told of pages that attach and go.
    var pageObservers: [@MainActor (TrafficRecord.PageEvent, Page) -> Void] = []

    init(
        limits: BridgeServer.Configuration.Limits, discriminator: String, traffic: TrafficLog, logger: Logger
    ) {
        self.limits = limits
        self.discriminator = discriminator
        self.traffic = traffic
        self.logger = logger
        defaultScope.hub = self
    }

    /// What the transport tells, in order. Requests go to the router, not here.
    func opened(_ channel: Channel) {
        let connection = PageConnection(channel: channel)
        connection.attachDeadline = deadlines.schedule(after: limits.attachTimeout) { [self] in
            traffic.problem(
                "attachMissing", "A connection was open for \(limits.attachTimeout.seconds) s and never attached.",
                hint: "A page's first message is a page.attach request; bridge.js sends it by itself.")
            channel.close(.policyViolation, "page.attach expected")
        }
        connections[channel.id] = connection
    }

    func received(_ result: Result<PageFrame, JSONParseError>, on channel: Channel) {
        guard let connection = connections[channel.id] else { return }
        switch result {
        case .success(let frame): frame.forEach { receive($0, from: connection) }
        case .failure(let error):
            answer(.parseError(error), to: .null, connection)
        }
        unacknowledged.append(connection)
    }

    /// Writes what a round of the loop brought, in one go, and then acknowledges it.
    func roundEnded() {
        guard !unacknowledged.isEmpty else { return }
        traffic.flush()
        for connection in unacknowledged { acknowledge(connection) }
        unacknowledged.removeAll(keepingCapacity: true)
    }

    func closed(_ channel: Channel, _ closure: Closure) {
        guard let connection = connections.removeValue(forKey: channel.id) else { return }
        deadlines.cancel(connection.attachDeadline)
        if let page = connection.page, page.channel === channel { detach(page, closure) }
        traffic.flush()
    }

    /// Tools number what they post as a page -1, -2, …, so that it is never taken for the page's own.
    func nextToolSeq() -> Int {
        toolSeq -= 1
        return toolSeq
    }

    private func receive(_ message: PageFrame.Message, from connection: PageConnection) {
        switch (message, connection.page) {
        case (.post(let message, let id), let page?): post(message, id, page)
        case (.post(_, let id), nil): answer(.early("message.post"), to: id ?? .null, connection)
        case (.result(let id, let value), let page?): finish(id, .success(value), page)
        case (.result, nil): break
        case (.other(let message), _): receive(message, from: connection)
        }
    }

    private func receive(_ message: RPCMessage, from connection: PageConnection) {
        switch message {
        case .request(let id, let method, let params): call(method, params, id, connection)
        case .notification(let method, let params): call(method, params, nil, connection)
        case .success(let id, let result): finish(id, .success(result), connection.page)
        case .failure(let id, let error, let data):
            finish(id, .failure(ResponseFailure(error: error, data: data)), connection.page)
        case .malformed(let id, let error): answer(error, to: id, connection)
        }
    }

    private func call(_ method: String, _ params: JSON?, _ id: RequestID?, _ connection: PageConnection) {
        do throws(RPCError) {
            let params = params ?? .null
            switch (method, connection.page) {
            case ("message.post", let page?): try post(params, id, page)
            case ("page.update", let page?): try update(page, params)
            case ("console.entry", let page?): try log(params, page)
            case ("page.attach", nil): try attach(params, id, connection)
            case ("page.attach", let page?):
                throw RPCError(.invalidRequest, "This connection is attached already, as \(page.id).")
            case ("message.post", nil), ("page.update", nil), ("console.entry", nil):
                throw .early(method)
            default: throw .methodNotFound(method)
            }
        } catch {
            answer(error, to: id ?? .null, connection)
        }
    }

    /// Tells the page of an error of its own, and keeps it: a `problem` record, and the end of the connection after
    /// too many.
    ///
    /// JSON-RPC has no answer to a notification; ours is an error with the id null, because silence is what users
    /// complain of most.
    private func answer(_ error: RPCError, to id: RequestID, _ connection: PageConnection) {
        connection.channel.send { $0.error(id: id, error) }
        traffic.problem(
            Hub.problemCode(error.code), error.message, hint: "See docs/protocol.md for what a page may send.",
            page: connection.page)
        guard error.code == .parseError || error.code == .invalidRequest else { return }
        connection.errors += 1
        guard connection.errors == limits.errors else { return }
        traffic.problem(
            "tooManyErrors", "A connection sent \(limits.errors) messages that are not JSON-RPC, and is closed.",
            hint: "Something other than bridge.js is talking; look at the problems before this one.",
            page: connection.page)
        connection.channel.close(.policyViolation, "too many errors")
    }

    private static func problemCode(_ code: RPCError.Code) -> String {
        switch code {
        case .parseError: "parseError"
        case .invalidRequest: "invalidRequest"
        case .methodNotFound: "methodNotFound"
        case .invalidParams: "invalidParams"
        default: "error\(code.rawValue)"
        }
    }
}

extension RPCError {
    fileprivate static func early(_ method: String) -> RPCError {
        RPCError(.invalidRequest, "\(method) came before page.attach, which must be the first message.")
    }
}
