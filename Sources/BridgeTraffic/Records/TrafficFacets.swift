public import BridgeProtocol

/// The parts of a record that filters compare.
public struct TrafficFacets: Sendable, Equatable {
    public var direction: TrafficRecord.Direction
    public var kind: TrafficRecord.Kind
    public var page: String?
    public var webView: String?
    public var handler: String?
    /// The member `name` of the message's body.
    public var name: String?
    public var outcome: Verdict.Outcome?
    /// The reason in the verdict, or a problem's code.
    public var reason: String?

    subscript(field: TrafficFilter.Field) -> String? {
        switch field {
        case .direction: direction.rawValue
        case .handler: handler
        case .name: name
        case .page: page
        case .webView: webView
        case .kind: kind.rawValue
        case .verdict: outcome?.rawValue
        case .reason: reason
        case .text: nil
        }
    }
}

extension TrafficFacets {
    /// Reads a record's object.
    /// - Returns: nil if it is not a record.
    init?(_ json: JSON) {
        guard let direction = json["direction"]?.string.flatMap(TrafficRecord.Direction.init),
            let kind = json["kind"]?.string.flatMap(TrafficRecord.Kind.init)
        else { return nil }
        let verdict = json["verdict"]
        self.init(
            direction: direction, kind: kind, page: json["page"]?.string, webView: json["webView"]?.string,
            handler: json["handler"]?.string, name: json["name"]?.string,
            outcome: verdict?["outcome"]?.string.flatMap(Verdict.Outcome.init),
            reason: (verdict?["reason"] ?? json["code"])?.string)
    }
}

extension TrafficRecord {
    public var facets: TrafficFacets {
        var facets = TrafficFacets(direction: direction, kind: event.kind, page: page, webView: webView)
        switch event {
        case .message(let handler, let name, _, _, let verdict):
            facets.handler = handler
            facets.name = name
            facets.outcome = verdict.outcome
            facets.reason = verdict.reason?.rawValue
        case .reply(let handler, _, _, _, let verdict):
            facets.handler = handler
            facets.outcome = verdict.outcome
            facets.reason = verdict.reason?.rawValue
        case .problem(let code, _, _, _, _): facets.reason = code
        default: break
        }
        return facets
    }
}
