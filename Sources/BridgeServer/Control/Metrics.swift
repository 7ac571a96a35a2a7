import BridgeProtocol
import BridgeTraffic

/// Counts records, verdicts, problems and calls, for `/metrics` and `daemon.info`. On the main actor.
@MainActor final class Metrics {
    private struct Call: Hashable {
        let method: String
        let failed: Bool
    }

    private var records: [TrafficRecord.Kind: Int] = [:]
    private var outcomes: [Verdict.Outcome: Int] = [:]
    private var problems: [String: Int] = [:]
    private var calls: [Call: Int] = [:]

    var recordCount: Int { records.values.reduce(0, +) }
    var messageCount: Int { outcomes.values.reduce(0, +) }
    var callCount: Int { calls.values.reduce(0, +) }

    func count(_ record: borrowing TrafficRecord) {
        records[record.event.kind, default: 0] += 1
        switch record.event {
        case .message(_, _, _, _, let verdict):
            switch verdict.outcome {
            // A message with a reply is counted when the reply is recorded.
            case .awaitingReply, .replied, .rejected: break
            default: outcomes[verdict.outcome, default: 0] += 1
            }
        case .reply(_, _, _, _, let verdict): outcomes[verdict.outcome, default: 0] += 1
        case .problem(let code, _, _, _, let count): problems[code, default: 0] += count ?? 1
        default: break
        }
    }

    /// - Parameter method: a method that exists, or `unknown`, because a Prometheus label should have few values.
    func countCall(_ method: String, failed: Bool) {
        calls[Call(method: method, failed: failed), default: 0] += 1
    }

    /// The counters in the Prometheus text format: https://prometheus.io/docs/instrumenting/exposition_formats/
    var text: String {
        counter("records", "Traffic records.", records) { "kind=\"\($0.rawValue)\"" }
            + counter(
                "messages", "Messages that pages posted, by how they ended; a reply counts when it is given.", outcomes
            ) { "outcome=\"\($0.rawValue)\"" }
            + counter("problems", "Problems that were recorded.", problems) { "code=\"\($0)\"" }
            + counter("calls", "Calls of the control channel; failed ones have a status of their own.", calls) {
                "method=\"\($0.method)\",status=\"\($0.failed ? "error" : "ok")\""
            }
    }

    private func counter<Key>(_ name: String, _ help: String, _ counts: [Key: Int], _ labels: (Key) -> String) -> String
    {
        let samples = counts.map { (labels: labels($0.key), value: Double($0.value)) }.sorted { $0.labels < $1.labels }
        return Metrics.family("bridged_\(name)_total", help, "counter", samples)
    }

    static func family(
        _ name: String, _ help: String, _ type: String, _ samples: [(labels: String, value: Double)]
    ) -> String {
        let lines = samples.map { "\(name)\($0.labels.isEmpty ? "" : "{\($0.labels)}") \($0.value)\n" }
        return "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n" + lines.joined()
    }
}
