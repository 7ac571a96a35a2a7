import BridgeProtocol

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

    func count(_ record: TrafficRecord) {
        add(.records, "kind=\"\(record.event.kind.rawValue)\"")
        switch record.event {
        // The record of its reply brings the end.
        case .message(_, _, _, _, let verdict) where [.awaitingReply, .replied, .rejected].contains(verdict.outcome):
            break
        case .message(_, _, _, _, let verdict): add(.messages, "outcome=\"\(verdict.outcome.rawValue)\"")
        case .reply(_, _, _, _, let verdict): add(.messages, "outcome=\"\(verdict.outcome.rawValue)\"")
        case .problem(let code, _, _, _): add(.problems, "code=\"\(code)\"")
        default: break
        }
    }

    /// - Parameter method: one that there is.
    func called(_ method: String, failed: Bool) {
        add(.calls, "method=\"\(method)\",status=\"\(failed ? "error" : "ok")\"")
    }

    func total(of family: Family) -> Int { counts[family, default: [:]].values.reduce(0, +) }

    /// In the Prometheus text format.
    var text: String {
        Family.allCases.map { family in
            Metrics.family(
                "bridged_\(family.rawValue)_total", family.help, "counter",
                counts[family, default: [:]].sorted { $0.key < $1.key }.map { ($0.key, Double($0.value)) })
        }.joined()
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
