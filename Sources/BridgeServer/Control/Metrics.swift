import BridgeProtocol
import BridgeTraffic

/// Counts what the daemon does, for `/metrics` and `daemon.info`. On the main actor.
@MainActor final class Metrics {
    /// A counter with one label, whose values are few and known.
    enum Family: String, CaseIterable {
        case records, messages, problems, calls

        fileprivate var label: String {
            switch self {
            case .records: "kind"
            case .messages: "outcome"
            case .problems: "code"
            case .calls: "method"
            }
        }

        fileprivate var help: String {
            switch self {
            case .records: "Traffic records."
            case .messages: "Messages that pages posted, by how they ended; a reply counts when it is given."
            case .problems: "Problems that were recorded."
            case .calls: "Calls of the control channel; failed ones have a status of their own."
            }
        }
    }

    private var counts: [Family: [String: Int]] = [:]
    @exclusivity(unchecked) private var records = CaseCounts<TrafficRecord.Kind>()
    @exclusivity(unchecked) private var messages = CaseCounts<Verdict.Outcome>()

    func count(_ record: borrowing TrafficRecord) {
        records.add(record.event.kind)
        switch record.event {
        // The record of its reply brings the end.
        case .message(_, _, _, _, let verdict) where [.awaitingReply, .replied, .rejected].contains(verdict.outcome):
            break
        case .message(_, _, _, _, let verdict), .reply(_, _, _, _, let verdict):
            messages.add(verdict.outcome)
        case .problem(let code, _, _, _): add(.problems, "code=\"\(code)\"")
        default: break
        }
    }

    /// - Parameter method: one that there is.
    func called(_ method: String, failed: Bool) {
        add(.calls, "method=\"\(method)\",status=\"\(failed ? "error" : "ok")\"")
    }

    func total(of family: Family) -> Int { samples(of: family).reduce(0) { $0 + Int($1.value) } }

    /// In the Prometheus text format.
    var text: String {
        Family.allCases.map { family in
            Metrics.family(
                "bridged_\(family.rawValue)_total", family.help, "counter",
                samples(of: family))
        }.joined()
    }

    private func samples(of family: Family) -> [(labels: String, value: Double)] {
        let counted: [String: Int] =
            switch family {
            case .records: records.labelled(family.label)
            case .messages: messages.labelled(family.label)
            case .problems, .calls: counts[family, default: [:]]
            }
        return counted.sorted { $0.key < $1.key }.map { ($0.key, Double($0.value)) }
    }

    static func family(
        _ name: String, _ help: String, _ type: String, _ samples: [(labels: String, value: Double)]
    ) -> String {
        let lines = samples.map { "\(name)\($0.labels.isEmpty ? "" : "{\($0.labels)}") \($0.value)\n" }
        return "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n" + lines.joined()
    }

    private func add(_ family: Family, _ labels: String) {
        counts[family, default: [:]][labels, default: 0] += 1
    }
}

/// Counts the cases of an enumeration. What is counted with every message is counted here: no label is made, and no
/// key is hashed.
private struct CaseCounts<Case: CaseIterable & Equatable & RawRepresentable<String>> {
    private let cases = Array(Case.allCases)
    private var counts = [Int](repeating: 0, count: Case.allCases.count)

    mutating func add(_ element: Case) {
        if let index = cases.firstIndex(of: element) { counts[index] += 1 }
    }

    /// Those that were counted, by their Prometheus labels.
    func labelled(_ label: String) -> [String: Int] {
        let counted = zip(cases, counts).filter { $0.1 > 0 }
        return Dictionary(uniqueKeysWithValues: counted.map { ("\(label)=\"\($0.0.rawValue)\"", $0.1) })
    }
}
