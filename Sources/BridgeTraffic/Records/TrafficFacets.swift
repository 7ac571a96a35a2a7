public import BridgeProtocol

/// The parts of a record that filters compare.
public struct TrafficFacets: Sendable, Equatable {
    public var direction: TrafficRecord.Direction
    public var kind: TrafficRecord.Kind
    /// The node of a cluster that made the record.
    public var node: String?
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
        case .node: node
        case .webView: webView
        case .kind: kind.rawValue
        case .verdict: outcome?.rawValue
        case .reason: reason
        case .text: nil
        }
    }
}

extension TrafficRecord {
    public var facets: TrafficFacets {
        switch event {
        case .message(let handler, let name, _, _, let verdict):
            facets(handler: handler, name: name, outcome: verdict.outcome, reason: verdict.reason?.rawValue)
        case .reply(let handler, _, _, _, let verdict):
            facets(handler: handler, outcome: verdict.outcome, reason: verdict.reason?.rawValue)
        case .problem(let code, _, _, _, _): facets(reason: code)
        default: facets()
        }
    }

    private func facets(
        handler: String? = nil, name: String? = nil, outcome: Verdict.Outcome? = nil, reason: String? = nil
    ) -> TrafficFacets {
        TrafficFacets(
            direction: direction, kind: event.kind, node: node?.node, page: page, webView: webView, handler: handler,
            name: name,
            outcome: outcome, reason: reason)
    }
}
