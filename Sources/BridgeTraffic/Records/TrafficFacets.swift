public import BridgeProtocol

/// The parts of a record that filters compare.
public struct TrafficFacets: Sendable, Equatable {
    public var direction: TrafficRecord.Direction
    public var kind: TrafficRecord.Kind
    /// The node of a cluster that made the record.
    public var node: String?
    fileprivate var pageMembers: PageMembers?
    public var page: String? { pageMembers?.page }
    public var webView: String? { pageMembers?.webView }
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
    public var facets: TrafficFacets { event.facets(direction, node?.node, pageMembers) }
}

extension TrafficRecord.Event {
    /// The facets of a record with this event.
    func facets(_ direction: TrafficRecord.Direction, _ node: String?, _ pageMembers: PageMembers?) -> TrafficFacets {
        // Each case makes them at once, because a copy costs more than the rest.
        switch self {
        case .message(let handler, let name, _, _, let verdict):
            TrafficFacets(
                direction: direction, kind: .message, node: node, pageMembers: pageMembers, handler: handler,
                name: name, outcome: verdict.outcome, reason: verdict.reason?.rawValue)
        case .reply(let handler, _, _, _, let verdict):
            TrafficFacets(
                direction: direction, kind: .reply, node: node, pageMembers: pageMembers, handler: handler,
                outcome: verdict.outcome, reason: verdict.reason?.rawValue)
        case .problem(let code, _, _, _, _):
            TrafficFacets(direction: direction, kind: .problem, node: node, pageMembers: pageMembers, reason: code)
        default: TrafficFacets(direction: direction, kind: kind, node: node, pageMembers: pageMembers)
        }
    }
}
