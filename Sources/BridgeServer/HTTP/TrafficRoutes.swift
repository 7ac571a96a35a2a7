import BridgeProtocol
import BridgeTraffic
import DequeModule

/// `GET /traffic`: the kept records as NDJSON and, with `?follow=1`, the ones that follow; with `?format=har`, the kept
/// ones as an HTTP Archive.
@MainActor struct TrafficRoutes {
    private static let contentType = "application/x-ndjson"

    let nodes: ClusterNodes
    let access: AccessPolicy
    let deadlines: Deadlines
    /// Records refusals.
    let log: TrafficLog

    func install(in router: Router) { router.on(.get, "/traffic", respond) }

    private func respond(_ request: HTTPRequest, _ responder: HTTPResponder) {
        if let refusal = access.refusal(ofTool: request) { return responder.respond(log.refuse(refusal)) }
        do throws(RPCError) {
            let query = try TrafficQuery(request)
            // A stream has no known length, so a response to HEAD has none, either.
            guard request.method == .get else {
                return responder.respond(HTTPResponse(contentType: TrafficRoutes.contentType))
            }
            switch query.format {
            case .ndjson: send(query, responder.stream(contentType: TrafficRoutes.contentType))
            case .har: sendArchive(query, responder)
            }
        } catch {
            responder.respond(.text(error.message, status: .badRequest))
        }
    }

    private func send(_ query: TrafficQuery, _ stream: HTTPStream) {
        let follower = TrafficFollower(
            nodes.traffic, deadlines, query.filter, after: start(of: query),
            isCrowded: { stream.isCrowded }, send: { stream.write($0.line) })
        stream.onEnd = { follower.cancel() }
        query.follows ? follower.start() : follower.sendKept(then: stream.end)
    }

    private func sendArchive(_ query: TrafficQuery, _ responder: HTTPResponder) {
        var document = HARDocument(version: BridgeServer.version)
        TrafficFollower(
            nodes.traffic, deadlines, query.filter, after: start(of: query), isCrowded: { false },
            send: { record in if let record = TrafficRecord(json: record.json) { document.add(record) } }
        ).sendKept { responder.respond(.json(document)) }
    }

    /// The number of the record after which to begin; nil to begin with the oldest record in memory.
    private func start(of query: TrafficQuery) -> Int? {
        guard let last = query.last else { return query.after }
        let traffic = nodes.traffic
        var numbers: Deque<Int> = []
        var after = query.after ?? 0
        while after < traffic.lastRecord {
            let (records, next) = traffic.query(query.filter, after: after, limit: 256, bytes: TrafficLog.pageBytes)
            numbers += records.map(\.number)
            if numbers.count > last { numbers.removeFirst(numbers.count - last) }
            after = next
        }
        return numbers.first.map { $0 - 1 } ?? traffic.lastRecord
    }
}

/// The query of `GET /traffic`: the params that filter records in `traffic.query`, and a few more.
private struct TrafficQuery {
    private static let names =
        (TrafficFilter.params.map(\.name) + ["after", "filter", "follow", "format", "last", "since"]).sorted()

    enum Format: String, CaseIterable { case ndjson, har }

    let filter: TrafficFilter
    let after: Int?
    let last: Int?
    let follows: Bool
    let format: Format

    /// - Throws: `invalidParams` that names the part of the query that is wrong.
    init(_ request: HTTPRequest) throws(RPCError) {
        var params: [String: String] = [:]
        for part in request.query where !part.isEmpty {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard TrafficQuery.names.contains(pair[0]) else {
                throw .invalidParams(at: "/\(pair[0].forText)", unknown: pair[0], among: TrafficQuery.names)
            }
            params[pair[0]] = pair.count > 1 ? pair[1] : ""
        }
        after = try TrafficQuery.number("after", params)
        last = try TrafficQuery.number("last", params)
        follows = !["", "0"].contains(params["follow", default: ""])
        format = try TrafficQuery.format(params["format"])
        guard format == .ndjson || !follows else {
            throw .invalidParams(at: "/follow", "an HTTP Archive has an end: leave out follow or format")
        }
        var filter = try TrafficFilter { name, _ in params[name] }
        filter.since = try TrafficQuery.time("since", params)
        self.filter = filter
    }

    private static func number(_ name: String, _ params: [String: String]) throws(RPCError) -> Int? {
        guard let text = params[name] else { return nil }
        guard let number = Int(text), number >= 0 else {
            throw .invalidParams(at: "/\(name)", "expected a whole number, at least 0, found '\(text.forText)'")
        }
        return number
    }

    private static func format(_ text: String?) throws(RPCError) -> Format {
        guard let text else { return .ndjson }
        guard let format = Format(rawValue: text) else {
            throw .invalidParams(at: "/format", "expected ndjson or har, found '\(text.forText)'")
        }
        return format
    }

    private static func time(_ name: String, _ params: [String: String]) throws(RPCError) -> Timestamp? {
        guard let text = params[name] else { return nil }
        guard let time = Timestamp(text) else {
            throw .invalidParams(
                at: "/\(name)", "expected a time such as 2026-11-21T10:00:00Z, found '\(text.forText)'")
        }
        return time
    }
}
