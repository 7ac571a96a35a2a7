import BridgeProtocol
import BridgeTraffic

/// `GET /traffic`: the kept records as NDJSON, and with `?follow=1` those that come.
@MainActor struct TrafficRoute {
    private static let contentType = "application/x-ndjson"
    nonisolated private static let names = [
        "after", "direction", "filter", "follow", "handler", "kind", "last", "name", "page", "since", "webView",
    ]

    let control: Control

    func install(in router: Router) { router.on(.get, "/traffic", respond) }

    private func respond(_ request: HTTPRequest, _ responder: HTTPResponder) {
        if let refusal = control.access.refusal(ofTool: request) {
            control.hub.traffic.report(refusal)
            return responder.respond(.refusal(refusal))
        }
        do throws(RPCError) {
            let wanted = try Wanted(request)
            if wanted.follows, request.method == .get {
                follow(wanted, responder.stream(contentType: TrafficRoute.contentType))
            } else {
                let body = kept(wanted).flatMap(\.line)
                responder.respond(HTTPResponse(contentType: TrafficRoute.contentType, body: body))
            }
        } catch {
            responder.respond(.text(error.message, status: .badRequest))
        }
    }

    private func kept(_ wanted: Wanted) -> some Collection<StoredRecord> {
        let records = control.hub.traffic.query(wanted.filter, after: wanted.after ?? 0, limit: .max).records
        return records.suffix(wanted.last ?? records.count)
    }

    private func follow(_ wanted: Wanted, _ stream: HTTPStream) {
        let traffic = control.hub.traffic
        let after = wanted.last == nil ? wanted.after : kept(wanted).first.map { $0.number - 1 } ?? traffic.lastRecord
        let follower = TrafficFollower(
            traffic, control.hub.deadlines, wanted.filter, after: after, isCrowded: { stream.isCrowded },
            send: { stream.write($0.line) })
        follower.start()
        stream.onEnd = { follower.cancel() }
    }

    /// What the query asks for.
    private struct Wanted {
        let filter: TrafficFilter
        let after: Int?
        let last: Int?
        let follows: Bool

        /// - Throws: `invalidParams` that names the part of the query.
        init(_ request: HTTPRequest) throws(RPCError) {
            var params: [String: String] = [:]
            for part in request.query where !part.isEmpty {
                let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                guard TrafficRoute.names.contains(pair[0]) else {
                    throw .invalidParams(at: "/\(pair[0].forText)", unknown: pair[0], among: TrafficRoute.names)
                }
                params[pair[0]] = pair.count > 1 ? pair[1] : ""
            }
            after = try Wanted.number("after", params)
            last = try Wanted.number("last", params)
            follows = !["", "0"].contains(params["follow", default: ""])
            filter = try Wanted.filter(params)
        }

        private static func number(_ name: String, _ params: [String: String]) throws(RPCError) -> Int? {
            guard let text = params[name] else { return nil }
            guard let number = Int(text), number >= 0 else {
                throw .invalidParams(at: "/\(name)", "expected a whole number from 0 on, found '\(text.forText)'")
            }
            return number
        }

        /// The same filters as `traffic.query`, which reads them.
        private static func filter(_ params: [String: String]) throws(RPCError) -> TrafficFilter {
            let texts = params.filter { !["after", "last", "follow", "since"].contains($0.key) }
            var filter = try QueryTraffic.read(from: JSON(JSONValue(texts.mapValues(JSONValue.string)))).filter
            guard let text = params["since"] else { return filter }
            guard let since = Timestamp(text) else {
                throw .invalidParams(
                    at: "/since", "expected a time such as 2026-11-21T10:00:00Z, found '\(text.forText)'")
            }
            filter.since = since
            return filter
        }
    }
}
