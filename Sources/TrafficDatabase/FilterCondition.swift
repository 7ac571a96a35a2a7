import BridgeProtocol
import BridgeTraffic
import GRDB

/// The part of a filter that SQL can check. `filter.matches` must check the rest.
struct FilterCondition {
    private(set) var sql = ""
    private(set) var arguments = StatementArguments()

    init(_ filter: TrafficFilter) {
        if let since = filter.since { add("time >= ?", [since.microseconds]) }
        for term in filter.terms {
            guard let column = FilterCondition.column(of: term.field) else { continue }
            let places = term.values.map { _ in "?" }.joined(separator: ", ")
            let values = StatementArguments(term.values)
            add(
                term.isNegated
                    ? "(\(column) IS NULL OR \(column) NOT IN (\(places)))" : "\(column) IN (\(places))", values)
        }
    }

    private mutating func add(_ condition: String, _ values: StatementArguments) {
        sql += " AND \(condition)"
        arguments += values
    }

    private static func column(of field: TrafficFilter.Field) -> String? {
        switch field {
        case .direction: "direction"
        case .handler: "handler"
        case .name: "name"
        case .page: "page"
        case .webView: "webView"
        case .kind: "kind"
        case .verdict: "outcome"
        case .reason: "reason"
        // The records of a database are all of one node.
        case .node, .text: nil
        }
    }
}
