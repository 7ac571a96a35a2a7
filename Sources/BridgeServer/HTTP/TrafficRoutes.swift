import BridgeProtocol
import BridgeTraffic

/// `GET /traffic`: the kept records as NDJSON and, with `?follow=1`, the ones that follow; with `?format=har`, the kept
/// ones as an HTTP Archive.
@MainActor struct TrafficRoutes {
    private static let contentType = "application/x-ndjson"
    /// In how many records the latest ones are looked for at a time.
    private static let part = 10_000

    let nodes: ClusterNodes
    let access: AccessPolicy
    let deadlines: Deadlines
    /// Records refusals.
    let log: TrafficLog
    /// How many bytes the records of an HTTP Archive may have. The daemon makes the whole document in memory.
    let harBytes: Int

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
            case .har: sendHAR(query, responder)
            }
        } catch {
            responder.respond(.text(error.message, status: .badRequest))
        }
    }

    private func send(_ query: TrafficQuery, _ stream: HTTPStream) {
        var follower: TrafficFollower?
        let end = nodes.traffic.lastRecord
        let search = Task {
            let start = await start(of: query, before: end)
            guard !Task.isCancelled else { return }
            let made = TrafficFollower(
                nodes.traffic, deadlines, query.filter, after: start,
                isCrowded: { stream.isCrowded }, send: { stream.write($0.line) })
            follower = made
            query.follows ? made.start() : made.sendKept(through: end, then: stream.end)
        }
        stream.onEnd = {
            search.cancel()
            follower?.cancel()
            follower = nil
        }
    }

    private func sendHAR(_ query: TrafficQuery, _ responder: HTTPResponder) {
        let end = nodes.traffic.lastRecord
        Task {
            var document = HARDocument(version: BridgeServer.version)
            var (bytes, isRefused) = (0, false)
            // Nothing but its reads retains the follower, so one that is crowded for ever goes away.
            TrafficFollower(
                nodes.traffic, deadlines, query.filter, after: await start(of: query, before: end),
                isCrowded: { isRefused },
                send: { record in
                    guard !isRefused else { return }
                    guard bytes < harBytes else {
                        isRefused = true
                        return responder.respond(.text(tooLong, status: .contentTooLarge))
                    }
                    bytes += record.line.count
                    if let record = TrafficRecord(json: record.json) { document.add(record) }
                }
            ).sendKept(through: end) { if !isRefused { responder.respond(.json(document)) } }
        }
    }

    private var tooLong: String {
        "The traffic has more than \(harBytes) bytes, too many for an HTTP Archive. Ask for less with since, last, after or a filter, or read NDJSON into a file and run: bridged log export FILE --har ARCHIVE"
    }

    // MARK: The latest records

    /// The number of the record after which to begin; nil to begin with the oldest record that the log has.
    /// - Parameter end: the number of the last record to send, unless the query follows.
    private func start(of query: TrafficQuery, before end: Int) async -> Int? {
        guard let last = query.last else { return query.after }
        let first = query.after ?? 0
        var (end, missing, start) = (end, last, end)
        // From the latest part to the earliest, because an archive may have millions of records.
        while missing > 0, end > first, !Task.isCancelled {
            let begin = max(first, end - TrafficRoutes.part)
            guard let numbers = await numbers(of: query.filter, after: begin, through: end) else {
                // What cannot be read is a gap for the reader.
                return begin
            }
            if let number = numbers.suffix(missing).first { start = number - 1 }
            missing -= min(missing, numbers.count)
            end = begin
        }
        return start
    }

    /// - Returns: nil if some records cannot be read.
    private func numbers(of filter: TrafficFilter, after: Int, through end: Int) async -> [Int]? {
        var numbers: [Int] = []
        var after = after
        while after < end, !Task.isCancelled {
            let found = await nodes.traffic.find(filter, after: after, limit: 256, bytes: TrafficLog.pageBytes)
            guard !found.isUnreadable else { return nil }
            numbers += found.records.lazy.map(\.number).prefix { $0 <= end }
            after = found.next
        }
        return numbers
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
            guard params.updateValue(pair.count > 1 ? pair[1] : "", forKey: pair[0]) == nil else {
                throw .invalidParams(at: "/\(pair[0].forText)", "it is given twice: leave out one")
            }
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
